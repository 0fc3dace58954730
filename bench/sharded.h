// A filter in 32 parts, each with memory of its own and a share of the keys: the usual way to make threads meet less.
// Measured beside Shared, which is one filter for all; docs/performance.md says what came of it.
#pragma once

#include <cstdint>
#include <vector>

#include "bloomery/live/shared.h"

namespace bloomery::bench {

template <class Filter>
class Sharded {
 public:
  static constexpr unsigned kShardBits = 5;

  // Aborts when there is no memory: a benchmark has no use for less.
  Sharded(std::uint64_t n, double fpr) {
    for (unsigned i = 0; i < 1u << kShardBits; ++i)
      shards_.push_back(*Shared<Filter>::with_capacity((n >> kShardBits) + 1, fpr));
  }

  bool add(Hash hash) { return shards_[shard_of(hash)].add(hash); }
  bool contains(Hash hash) const { return shards_[shard_of(hash)].contains(hash); }
  void prefault(unsigned threads) {
    for (Shared<Filter>& shard : shards_) (void)shard.prefault(threads);
  }

 private:
  // The filter itself takes the upper bits for the block and the lower ones for the positions; a product mixes both.
  static std::size_t shard_of(Hash hash) { return (hash.bits * 0x9e37'79b9'7f4a'7c15) >> (64 - kShardBits); }

  std::vector<Shared<Filter>> shards_;
};

}  // namespace bloomery::bench
