// The shape in which every filter of this benchmark is asked, ours included. A virtual call covers a whole window of
// keys, so it costs nothing per key.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/clock.h"
#include "bench/keys.h"

namespace bloomery::bench {

inline constexpr double kFpr = 0.01;
inline constexpr std::size_t kAddWindow = 1'000'000;

class Peer {
 public:
  virtual ~Peer() = default;

  virtual std::string name() const = 0;
  // Why it cannot hold n keys on this machine; empty when it can.
  virtual std::string why_not(std::uint64_t) const { return {}; }

  // Starts over with an empty filter for these keys and adds them; nanoseconds per key, one figure a window.
  virtual std::vector<double> build(const Keys& keys) = 0;
  virtual void contains(const Keys& keys, std::span<std::uint8_t> answers) const = 0;
  virtual std::uint64_t bits() const = 0;

  // The same by the peer's batch calls, if it has them.
  virtual bool has_batch() const { return false; }
  virtual std::vector<double> build_many(const Keys& keys) { return build(keys); }
  virtual void contains_many(const Keys& keys, std::span<std::uint8_t> answers) const { contains(keys, answers); }

  // The memory that lookups read; only needed of the filter the ceiling is measured on.
  virtual std::span<const std::uint8_t> memory() const { return {}; }
};

// Calls add(part) for the windows of a span of keys, and times each.
template <class Span, class Add>
std::vector<double> timed_in_windows(const Span& keys, Add add) {
  std::vector<double> samples;
  for (std::size_t first = 0; first < keys.size(); first += kAddWindow) {
    const Span part = keys.subspan(first, std::min(kAddWindow, keys.size() - first));
    samples.push_back(ns_per_item(part.size(), [&] { add(part); }));
  }
  return samples;
}

std::unique_ptr<Peer> make_bloomery();
std::unique_ptr<Peer> make_libbloom();
std::unique_ptr<Peer> make_leveldb();

// Ours first, then those found when this was configured; the names of the others.
std::vector<std::unique_ptr<Peer>> all_peers();
std::vector<std::string> missing_peers();

}  // namespace bloomery::bench
