// The blocks behind BlockCache: in shards, each with a lock of its own, the least recently used go first.
#pragma once

#include <array>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "bloomery/detail/fnv.h"
#include "bloomery/metrics.h"
#include "bloomery/table.h"

namespace bloomery::table {

// A block as it is asked: verified and without compression.
using SharedBlock = std::shared_ptr<const std::string>;

struct BlockKey {
  std::uint64_t table = 0, offset = 0;

  std::uint64_t hash() const { return detail::splitmix64(table * 0x9e37'79b9'7f4a'7c15 + offset); }
  friend bool operator==(const BlockKey&, const BlockKey&) = default;
};

// Numbers tables, so that one that is opened again meets none of the blocks of the one before.
std::uint64_t next_table_number();

}  // namespace bloomery::table

namespace bloomery {

struct BlockCache::Impl {
  explicit Impl(std::uint64_t bytes) : capacity(bytes) {}

  table::SharedBlock find(const table::BlockKey& key);
  // What is larger than a shard may hold is not kept.
  void insert(const table::BlockKey& key, table::SharedBlock block);

  static constexpr std::size_t kShards = 16;

  std::uint64_t capacity;
  struct Kept {
    table::BlockKey key;
    table::SharedBlock block;
  };
  struct Hasher {
    std::size_t operator()(const table::BlockKey& key) const { return key.hash(); }
  };
  struct alignas(2 * kCacheLine) Shard {
    std::mutex mutex;
    std::list<Kept> blocks;  // the most recently used first
    std::unordered_map<table::BlockKey, std::list<Kept>::iterator, Hasher> by_key;
    std::uint64_t bytes = 0, hits = 0, misses = 0, evicted = 0;
  };
  std::array<Shard, kShards> shards;

  Shard& shard_of(const table::BlockKey& key) { return shards[key.hash() >> 60]; }
};

}  // namespace bloomery
