#include "bench/measure.h"

#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "bench/ceiling.h"

namespace bloomery::bench {
namespace {

class Measurement {
 public:
  Measurement(const KeyShape& shape, std::uint64_t n, const Options& options)
      : shape_(shape),
        window_(std::min<std::size_t>(options.window_keys, n)),
        windows_(options.windows),
        present_(shape, 0, n),
        answers_(window_) {}

  // Small filters are built several times; of large ones each build has windows enough.
  void build(const std::vector<Peer*>& peers) {
    const std::size_t wanted = present_.size() <= kAddWindow        ? windows_ / 2
                               : present_.size() <= 10 * kAddWindow ? 3
                                                                    : 1;
    for (std::size_t r = 0; r < std::max<std::size_t>(wanted, 1); ++r) {
      for (Peer* peer : peers) {
        append("add", *peer, peer->build(present_.all()));
        if (peer->has_batch()) append("add_many", *peer, peer->build_many(present_.all()));
      }
    }
  }

  // Every window has keys of its own and starts with another peer.
  void look_up(const std::vector<Peer*>& peers) {
    for (std::size_t w = 0; w < windows_; ++w) {
      const KeySet absent(shape_, kAbsent + w * window_, window_);
      for (std::size_t p = 0; p < peers.size(); ++p) {
        Peer& peer = *peers[(p + w) % peers.size()];
        const Keys warm = present_part(w + 1, window_ / 4);
        if (ask("present", present_part(w, window_), warm, peer) != window_) fail(peer, "an added key is not found");
        false_positives_[peer.name()] += ask("absent", absent.all(), warm, peer);
      }
      ceiling_.window(peers.front()->memory(), window_);
    }
  }

  Measured result(const std::vector<Peer*>& peers) const {
    const auto keys = static_cast<double>(present_.size()), asked = static_cast<double>(windows_ * window_);
    Measured measured;
    for (const auto& [operation, by_who] : samples_)
      for (const auto& [who, samples] : by_who) measured.ns[operation][who] = median(samples);
    for (const Peer* peer : peers) {
      measured.bits_per_key[peer->name()] = static_cast<double>(peer->bits()) / keys;
      measured.fpr[peer->name()] = static_cast<double>(false_positives_.at(peer->name())) / asked;
    }
    measured.ceiling_ns = ceiling_.ns();
    measured.ceiling_distance = ceiling_.best_distance();
    return measured;
  }

 private:
  void append(const std::string& operation, const Peer& peer, const std::vector<double>& more) {
    std::vector<double>& samples = samples_[operation][peer.name()];
    samples.insert(samples.end(), more.begin(), more.end());
  }

  Keys present_part(std::size_t w, std::size_t count) const {
    return present_.part(w * window_ % (present_.size() - count + 1), count);
  }

  // Asks by both calls, each after a short untimed run that brings the filter back into the caches it lives in.
  // Returns how many of the keys were found.
  std::size_t ask(const std::string& which, const Keys& keys, const Keys& warm, Peer& peer) {
    peer.contains(warm, answers_);
    append("contains_" + which, peer, {ns_per_item(size(keys), [&] { peer.contains(keys, answers_); })});
    const std::size_t found = std::accumulate(answers_.begin(), answers_.end(), std::size_t{0});
    if (peer.has_batch()) {
      peer.contains_many(warm, answers_);
      append("contains_many_" + which, peer, {ns_per_item(size(keys), [&] { peer.contains_many(keys, answers_); })});
      if (std::accumulate(answers_.begin(), answers_.end(), std::size_t{0}) != found)
        fail(peer, "its batch answers differ from its single ones");
    }
    return found;
  }

  [[noreturn]] static void fail(const Peer& peer, const char* why) {
    std::fprintf(stderr, "bloomery_bench: %s: %s\n", peer.name().c_str(), why);
    std::exit(1);
  }

  KeyShape shape_;
  std::size_t window_, windows_;
  KeySet present_;
  std::vector<std::uint8_t> answers_;
  std::map<std::string, std::map<std::string, std::vector<double>>> samples_;
  std::map<std::string, std::size_t> false_positives_;
  Ceiling ceiling_;
};

}  // namespace

Measured measure(const std::vector<std::unique_ptr<Peer>>& peers, const KeyShape& shape, std::uint64_t n,
                 const Options& options) {
  Measurement measurement(shape, n, options);
  std::vector<Peer*> able;
  std::vector<std::string> skipped;
  for (const std::unique_ptr<Peer>& peer : peers) {
    const std::string why = peer->why_not(n);
    if (!why.empty()) {
      skipped.push_back(peer->name() + ": " + why);
      continue;
    }
    able.push_back(peer.get());
  }
  measurement.build(able);
  measurement.look_up(able);
  Measured measured = measurement.result(able);
  measured.skipped = skipped;
  return measured;
}

}  // namespace bloomery::bench
