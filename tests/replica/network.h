// A network that loses, doubles, delays, reorders and splits, by one seed.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "bloomery/replica/message.h"

namespace bloomery::replica::sim {

// A chance of 0 to 1, and numbers below a bound, from one stream.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  bool chance(double p) { return static_cast<double>(random_() >> 11) * 0x1p-53 < p; }
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  std::uint64_t number() { return random_(); }

 private:
  std::mt19937_64 random_;
};

struct Mail {
  std::uint64_t from = 0, to = 0;
  Bytes bytes;
};

class Network {
 public:
  Network(Dice& dice, std::size_t nodes) : dice_(dice), site_(nodes, 0) {
    loss_ = dice.chance(0.3) ? 0 : 0.3 * static_cast<double>(dice.below(100)) / 100;
    double_ = 0.2 * static_cast<double>(dice.below(100)) / 100;
    slowest_ = 1 + dice.below(40);
  }

  void send(std::uint64_t from, std::uint64_t to, const Bytes& bytes) {
    if (site_[from] != site_[to]) return;
    if (!calm_ && dice_.chance(loss_)) return;
    const int copies = !calm_ && dice_.chance(double_) ? 2 : 1;
    for (int i = 0; i < copies; ++i) {
      if (under_way_.size() >= kMostUnderWay) return;  // so does a real one
      under_way_.emplace(now_ + 1 + (calm_ ? 0 : dice_.below(slowest_)), Mail{from, to, bytes});
    }
  }
  // What arrives now.
  std::vector<Mail> tick() {
    ++now_;
    std::vector<Mail> due;
    while (!under_way_.empty() && under_way_.begin()->first <= now_) {
      due.push_back(std::move(under_way_.begin()->second));
      under_way_.erase(under_way_.begin());
    }
    return due;
  }
  void split() {
    for (std::uint64_t& site : site_) site = dice_.below(2);
  }
  void heal() { site_.assign(site_.size(), 0); }
  void calm() {
    heal();
    calm_ = true;
    under_way_.clear();
  }
  bool idle() const { return under_way_.empty(); }

 private:
  static constexpr std::size_t kMostUnderWay = 5000;

  Dice& dice_;
  double loss_ = 0, double_ = 0;
  std::uint64_t slowest_ = 1, now_ = 0;
  bool calm_ = false;
  std::vector<std::uint64_t> site_;
  std::multimap<std::uint64_t, Mail> under_way_;
};

}  // namespace bloomery::replica::sim
