#include "table/cache.h"

#include <algorithm>
#include <memory>

namespace BLOOMERY_NAMESPACE {

using table::BlockRef;
using table::KeptBlock;

std::uint64_t table::next_table_number() {
  static std::atomic<std::uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

Result<BlockRef> BlockRef::make(std::uint64_t bytes) {
  Result<detail::Buffer> memory = detail::Buffer::zeroed(KeptBlock::kContentsAt + bytes);
  BLOOMERY_TRY(memory);
  void* const at = memory->data();
  return BlockRef(new (at) KeptBlock(*std::move(memory), bytes));
}

Result<BlockRef> BlockRef::make_in_place(std::string_view contents) {
  Result<BlockRef> block = make(0);
  BLOOMERY_TRY(block);
  (*block)->data_ = contents.data();
  (*block)->bytes_ = contents.size();
  return block;
}

void BlockRef::free(KeptBlock* block) {
  const detail::Buffer memory = std::move(block->memory_);
  std::destroy_at(block);
}

BlockCache::BlockCache(std::uint64_t capacity_bytes) : impl_(std::make_unique<Impl>(capacity_bytes)) {}
BlockCache::~BlockCache() = default;

BlockCache::Impl::~Impl() {
  for (Shard& shard : shards)
    for (KeptBlock* block = shard.newest; block != nullptr;) BlockRef(std::exchange(block, block->older_));
}

BlockCache::Stats BlockCache::stats() const {
  Stats stats;
  stats.capacity = impl_->capacity;
  stats.pinned = impl_->pinned.load(std::memory_order_relaxed);
  for (Impl::Shard& shard : impl_->shards) {
    const std::lock_guard lock(shard.mutex);
    stats.hits += shard.hits;
    stats.misses += shard.misses;
    stats.evicted += shard.evicted;
    stats.bytes += shard.bytes;
  }
  return stats;
}

std::uint64_t BlockCache::Impl::shard_capacity() const {
  const std::uint64_t taken = pinned.load(std::memory_order_relaxed);
  return (capacity > taken ? capacity - taken : 0) / kShards;
}

// Returns where the pointer to the block is, or where one to nullptr is. The shard must have buckets.
KeptBlock** BlockCache::Impl::Shard::find(const table::BlockKey& key) {
  KeptBlock** at = &bucket_of(key);
  while (*at != nullptr && (*at)->key_ != key) at = &(*at)->in_bucket_;
  return at;
}

void BlockCache::Impl::Shard::grow() {
  std::vector<KeptBlock*> old(std::max<std::size_t>(2 * buckets.size(), 64), nullptr);
  old.swap(buckets);
  for (KeptBlock* block : old)
    while (block != nullptr) {
      KeptBlock* const next = block->in_bucket_;
      block->in_bucket_ = std::exchange(bucket_of(block->key_), block);
      block = next;
    }
}

void BlockCache::Impl::Shard::link_newest(KeptBlock* block) {
  block->insertions_ = insertions;
  block->newer_ = nullptr;
  block->older_ = newest;
  (newest != nullptr ? newest->newer_ : oldest) = block;
  newest = block;
}

void BlockCache::Impl::Shard::unlink(KeptBlock* block) {
  (block->newer_ != nullptr ? block->newer_->older_ : newest) = block->older_;
  (block->older_ != nullptr ? block->older_->newer_ : oldest) = block->newer_;
}

BlockRef BlockCache::Impl::find(const table::BlockKey& key) {
  Shard& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  if (shard.buckets.empty()) {
    ++shard.misses;
    return {};
  }
  KeptBlock* const block = *shard.find(key);
  if (block == nullptr) {
    ++shard.misses;
    return {};
  }
  ++shard.hits;
  // Moving it to the front costs two neighbours' lines, so that is left until an eighth of the blocks came after it: a
  // cache that holds everything moves nothing.
  if (shard.insertions - block->insertions_ > shard.count / 8) {
    shard.unlink(block);
    shard.link_newest(block);
  }
  block->holders_.fetch_add(1, std::memory_order_relaxed);
  return BlockRef(block);
}

void BlockCache::Impl::insert(const table::BlockKey& key, BlockRef block) {
  const std::uint64_t cost = block->memory(), most = shard_capacity();
  if (cost > most) return;
  KeptBlock* dropped = nullptr;  // freed after the lock
  {
    Shard& shard = shard_of(key);
    const std::lock_guard lock(shard.mutex);
    if (2 * (shard.count + 1) > shard.buckets.size()) shard.grow();
    if (*shard.find(key) != nullptr) return;  // another thread was faster
    while (shard.oldest != nullptr && shard.bytes + cost > most) {
      KeptBlock* const oldest = shard.oldest;
      *shard.find(oldest->key_) = oldest->in_bucket_;
      shard.unlink(oldest);
      shard.bytes -= oldest->memory();
      --shard.count;
      ++shard.evicted;
      oldest->in_bucket_ = std::exchange(dropped, oldest);
    }
    block->key_ = key;
    KeptBlock* const kept = std::exchange(block.block_, nullptr);  // the cache has the hold now
    kept->in_bucket_ = std::exchange(shard.bucket_of(key), kept);
    ++shard.insertions;
    shard.link_newest(kept);
    ++shard.count;
    shard.bytes += cost;
  }
  while (dropped != nullptr) BlockRef(std::exchange(dropped, dropped->in_bucket_));
}

}  // namespace BLOOMERY_NAMESPACE
