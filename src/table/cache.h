// Blocks in memory, and the cache that keeps them: in shards, each with a lock of its own; the least recently used go
// first.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/detail/buffer.h"
#include "bloomery/detail/cache_line.h"
#include "bloomery/detail/fnv.h"
#include "bloomery/metrics.h"
#include "bloomery/result.h"
#include "bloomery/table/table.h"

namespace BLOOMERY_NAMESPACE::table {
class TableWriter;
}

namespace BLOOMERY_NAMESPACE::detail {

struct TableAccess {
  static BlockCache::Impl& impl(const BlockCache& cache) { return *cache.impl_; }
  static const Table::Impl& impl(const Table& table) { return *table.impl_; }
  static const table::TableWriter& file(const TableBuilder& builder);
};

}  // namespace BLOOMERY_NAMESPACE::detail

namespace BLOOMERY_NAMESPACE::table {

// What is behind a cache or a table, and the file of a builder that nobody has moved from.
inline BlockCache::Impl& impl_of(const BlockCache& cache) { return detail::TableAccess::impl(cache); }
inline const Table::Impl& impl_of(const Table& table) { return detail::TableAccess::impl(table); }
inline const TableWriter& file_of(const TableBuilder& builder) { return detail::TableAccess::file(builder); }

struct BlockKey {
  std::uint64_t table = 0, offset = 0;

  std::uint64_t hash() const { return detail::splitmix64(table * 0x9e37'79b9'7f4a'7c15 + offset); }
  friend bool operator==(const BlockKey&, const BlockKey&) = default;
};

// Numbers tables, so that one that is opened again meets none of the blocks of the one before.
std::uint64_t next_table_number();

// A block as it is asked: verified and without compression. Its contents follow it in the same memory, so that a lookup
// misses as few lines as can be, or they stay in a mapped file. Counts those who hold it.
class alignas(detail::kCacheLine) KeptBlock {
 public:
  char* contents() { return reinterpret_cast<char*>(this) + kContentsAt; }
  std::string_view view() const { return {data_, bytes_}; }
  // Forgets what is behind the first `bytes`. Only its single holder may call it.
  void keep_first(std::uint64_t bytes) { bytes_ = bytes; }
  std::uint64_t memory() const { return memory_.size(); }

 private:
  friend class BlockRef;
  friend struct bloomery::BlockCache::Impl;
  static constexpr std::size_t kContentsAt = 2 * detail::kCacheLine;

  KeptBlock(detail::Buffer memory, std::uint64_t bytes)
      : data_(contents()), bytes_(bytes), memory_(std::move(memory)) {}

  std::atomic<std::uint64_t> holders_{1};
  // The cache uses these under the lock of the shard.
  std::uint64_t insertions_ = 0;  // of the shard when it was used last, about
  BlockKey key_;
  KeptBlock *in_bucket_ = nullptr, *newer_ = nullptr, *older_ = nullptr;

  const char* data_;
  std::uint64_t bytes_;
  detail::Buffer memory_;  // in which it lies itself
};

// Holds a block, or none.
class BlockRef {
 public:
  static Result<BlockRef> make(std::uint64_t bytes);
  // Makes a block of contents that stay where they are, in a mapped file. Nobody may look at them after that was
  // closed.
  static Result<BlockRef> make_in_place(std::string_view contents);

  BlockRef() = default;
  BlockRef(const BlockRef& other) : block_(other.block_) {
    if (block_ != nullptr) block_->holders_.fetch_add(1, std::memory_order_relaxed);
  }
  BlockRef(BlockRef&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  BlockRef& operator=(BlockRef other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~BlockRef() {
    if (block_ != nullptr && block_->holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) free(block_);
  }

  explicit operator bool() const { return block_ != nullptr; }
  KeptBlock* operator->() const { return block_; }

 private:
  friend struct bloomery::BlockCache::Impl;
  explicit BlockRef(KeptBlock* block) : block_(block) {}  // takes over one hold
  static void free(KeptBlock* block);

  KeptBlock* block_ = nullptr;
};

}  // namespace BLOOMERY_NAMESPACE::table

namespace BLOOMERY_NAMESPACE {

struct BlockCache::Impl {
  explicit Impl(std::uint64_t bytes) : capacity(bytes) {}
  ~Impl();

  // Returns none when the block is not there.
  table::BlockRef find(const table::BlockKey& key);
  // What is larger than a shard may hold is not kept.
  void insert(const table::BlockKey& key, table::BlockRef block);
  // Memory of tables that no lookup can do without; less is left for blocks.
  void pin(std::uint64_t bytes) { pinned.fetch_add(bytes, std::memory_order_relaxed); }
  void unpin(std::uint64_t bytes) { pinned.fetch_sub(bytes, std::memory_order_relaxed); }
  std::uint64_t shard_capacity() const;

  static constexpr std::size_t kShards = 16;

  struct alignas(2 * detail::kCacheLine) Shard {
    std::mutex mutex;
    std::vector<table::KeptBlock*> buckets;  // a power of two, at least twice as many as blocks
    std::size_t count = 0;
    table::KeptBlock *newest = nullptr, *oldest = nullptr;
    std::uint64_t insertions = 0, bytes = 0, hits = 0, misses = 0, evicted = 0;

    table::KeptBlock*& bucket_of(const table::BlockKey& key) { return buckets[key.hash() & (buckets.size() - 1)]; }
    table::KeptBlock** find(const table::BlockKey& key);
    void grow();
    void link_newest(table::KeptBlock* block);
    void unlink(table::KeptBlock* block);
  };

  std::uint64_t capacity;
  std::atomic<std::uint64_t> pinned{0};
  std::array<Shard, kShards> shards;

  Shard& shard_of(const table::BlockKey& key) { return shards[key.hash() >> 60]; }
};

}  // namespace BLOOMERY_NAMESPACE
