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

  // Every window has keys of its own, some for single calls and others for batches, and starts with another peer.
  void look_up(const std::vector<Peer*>& peers) {
    for (std::size_t w = 0; w < windows_; ++w) {
      const KeySet absent(shape_, kAbsent + 2 * w * window_, 2 * window_);
      const Asked there{present_part(3 * w, window_), present_part(3 * w + 1, window_)},
          away{absent.part(0, window_), absent.part(window_, window_)};
      const Keys warm = present_part(3 * w + 2, window_ / 4);
      for (std::size_t p = 0; p < peers.size(); ++p) {
        Peer& peer = *peers[(p + w) % peers.size()];
        if (ask("present", there, warm, peer) != window_) fail(peer, "an added key is not found");
        false_positives_[peer.name()] += ask("absent", away, warm, peer);
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

  // Keys of single calls, and of a batch: one of the same keys would find their lines in the caches.
  struct Asked {
    Keys one_by_one, in_batch;
  };

  // Asks by both calls, each after a short untimed run that brings the filter back into the caches it lives in. Returns
  // how many keys single calls found.
  std::size_t ask(const std::string& which, const Asked& keys, const Keys& warm, Peer& peer) {
    peer.contains(warm, answers_);
    append("contains_" + which, peer,
           {ns_per_item(size(keys.one_by_one), [&] { peer.contains(keys.one_by_one, answers_); })});
    const std::size_t found = found_in_answers();
    if (peer.has_batch()) {
      peer.contains_many(warm, answers_);
      append("contains_many_" + which, peer,
             {ns_per_item(size(keys.in_batch), [&] { peer.contains_many(keys.in_batch, answers_); })});
      const std::size_t in_batch = found_in_answers();
      peer.contains(keys.in_batch, answers_);
      if (found_in_answers() != in_batch) fail(peer, "its batch answers differ from its single ones");
    }
    return found;
  }
  std::size_t found_in_answers() const { return std::accumulate(answers_.begin(), answers_.end(), std::size_t{0}); }

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
