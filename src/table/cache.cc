#include "table/cache.h"

#include <atomic>
#include <utility>

namespace bloomery {
namespace {

// What a block takes beside its bytes: list node, map node, control block. About.
constexpr std::uint64_t kOverhead = 160;

std::uint64_t cost_of(const table::SharedBlock& block) { return block->capacity() + kOverhead; }

}  // namespace

std::uint64_t table::next_table_number() {
  static std::atomic<std::uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

BlockCache::BlockCache(std::uint64_t capacity_bytes) : impl_(std::make_unique<Impl>(capacity_bytes)) {}
BlockCache::~BlockCache() = default;

BlockCache::Stats BlockCache::stats() const {
  Stats stats;
  stats.capacity = impl_->capacity;
  for (Impl::Shard& shard : impl_->shards) {
    const std::lock_guard lock(shard.mutex);
    stats.hits += shard.hits;
    stats.misses += shard.misses;
    stats.evicted += shard.evicted;
    stats.bytes += shard.bytes;
  }
  return stats;
}

table::SharedBlock BlockCache::Impl::find(const table::BlockKey& key) {
  Shard& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.by_key.find(key);
  if (found == shard.by_key.end()) {
    ++shard.misses;
    return nullptr;
  }
  ++shard.hits;
  shard.blocks.splice(shard.blocks.begin(), shard.blocks, found->second);
  return found->second->block;
}

void BlockCache::Impl::insert(const table::BlockKey& key, table::SharedBlock block) {
  const std::uint64_t cost = cost_of(block), most = capacity / kShards;
  if (cost > most) return;
  std::list<Kept> dropped;  // freed after the lock
  Shard& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  if (shard.by_key.contains(key)) return;  // another thread was faster
  while (shard.bytes + cost > most) {
    const auto oldest = std::prev(shard.blocks.end());
    shard.bytes -= cost_of(oldest->block);
    shard.by_key.erase(oldest->key);
    dropped.splice(dropped.begin(), shard.blocks, oldest);
    ++shard.evicted;
  }
  shard.blocks.push_front({key, std::move(block)});
  shard.by_key.emplace(key, shard.blocks.begin());
  shard.bytes += cost;
}

}  // namespace bloomery
