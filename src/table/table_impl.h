// What is behind a Table: shared by its lookups, its iterators and its verification.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/detail/buffer.h"
#include "bloomery/detail/cache_line.h"
#include "bloomery/metrics.h"
#include "bloomery/table/table.h"
#include "core/io/file.h"
#include "table/block.h"
#include "table/cache.h"
#include "table/format.h"
#include "table/index.h"

namespace BLOOMERY_NAMESPACE {
namespace table {

// Where a block may come from: the cache too, or only the file, verified whatever the options say.
enum class From { anywhere, file };

// Returns a view over a part of the filter that Impl::read_partition has read.
AnyView partition_view(const BlockRef& part);

// A part of the filter in a mapped file; verified when it is asked first.
struct LazyPartition {
  std::once_flag once;
  std::optional<AnyView> view;
};

// Counts in one of several lines, so that threads seldom meet.
template <std::size_t kEvents>
class SpreadCounters {
 public:
  void count(std::size_t event, std::uint64_t by = 1) {
    lines_[this_line()].events[event].fetch_add(by, std::memory_order_relaxed);
  }
  std::uint64_t total(std::size_t event) const {
    std::uint64_t sum = 0;
    for (const Line& line : lines_) sum += line.events[event].load(std::memory_order_relaxed);
    return sum;
  }

 private:
  static constexpr std::size_t kLines = 16;
  struct alignas(2 * detail::kCacheLine) Line {
    std::array<std::atomic<std::uint64_t>, kEvents> events{};
  };
  static std::size_t this_line() {
    static std::atomic<std::size_t> threads{0};
    thread_local const std::size_t line = threads.fetch_add(1, std::memory_order_relaxed) % kLines;
    return line;
  }

  std::array<Line, kLines> lines_;
};

}  // namespace table

// Immutable but for its counters.
struct Table::Impl {
  // Counts of keys: the filter denied the key, passed it rightly, passed it wrongly, passed it and the block could not
  // be read. Then counts of scans of a prefix, and of blocks.
  enum Event : std::size_t {
    kDenied,
    kRight,
    kWrong,
    kFailed,
    kUnusable,
    kPrefixes,
    kPrefixesDenied,
    kBlocksRead,
    kBytesRead,
    kCacheHits,
    kDamaged,
    kEvents
  };

  Impl() = default;
  Impl(const Impl&) = delete;
  ~Impl();

  // Returns a block from the cache, or reads, verifies and unpacks it.
  Result<table::Block> block(const table::Handle& handle, table::From from = table::From::anywhere) const;
  Result<table::Block> read_block(const table::Handle& handle, bool verify) const;
  static Result<table::Block> unpacked(table::Block stored, Compression compression);
  Result<const table::IndexBlock*> index_block(std::size_t number) const;
  Result<table::IndexBlock> read_index(const table::Handle& handle, bool sketches = false) const;
  // The data block in which the key is, if it is anywhere.
  struct Place {
    const table::IndexBlock* index = nullptr;
    std::size_t number = 0;

    const table::Handle& handle() const { return index->handle(number); }
  };
  Result<std::optional<Place>> place_of(std::string_view key) const;
  Result<table::Block> data_block(const Place& place) const;
  Result<Lookup> look_up(std::string_view contents, std::string_view key) const;
  Result<Lookup> find(std::string_view key, Hash hash) const;
  // A key of a batch that the filter let pass: its number and its hash.
  struct Passed {
    std::size_t key;
    Hash hash;
  };
  void find_all(std::span<const std::string_view> keys, std::span<const Passed> passed,
                std::span<Result<Lookup>> results) const;
  Result<Lookup> counted(Result<Lookup> result) const;

  // Returns the hash by which filter and sketches know a key; a lookup computes it once. Without a filter there are no
  // sketches either, and the hash means nothing.
  Hash hash_of(std::string_view key) const noexcept { return has_filter() ? hasher(key) : Hash(); }
  // Whether the filters let a key, or keys, pass (filter.cc); hash is hash_of(key), and hashes become those of the
  // keys.
  bool may_contain(std::string_view key, Hash hash) const;
  void may_contain_many(std::span<const std::string_view> keys, std::span<Hash> hashes,
                        std::span<std::uint8_t> answers) const;
  // An error when the extractor throws.
  Result<bool> may_contain_prefix(std::string_view prefix) const;
  bool partition_may_contain(std::string_view key, Hash hash) const;
  bool partition_may_contain(const AnyView& part, std::string_view key, Hash hash) const;
  Result<AnyView> decode_partition(std::string_view stored, std::uint64_t offset) const;
  std::optional<AnyView> lazy_partition(const table::Handle& handle, std::size_t number) const;
  Result<table::BlockRef> read_partition(const table::Handle& handle, table::From from = table::From::anywhere) const;
  bool has_filter() const { return filter || filter_index.size() > 0; }
  void unusable(const Error& why) const;

  Status read_end(std::string& end) const;
  Status read_frame();
  // Reads what is around the entries and the filters again: footer, top of the index, properties.
  Status verify_frame() const;
  Status read_properties();
  Status read_filters();
  Status read_filter();
  Status read_filter_index();
  Status read_prefix_filter();
  Result<AnyView> read_envelope(const table::Handle& handle, std::uint64_t keys, detail::Buffer& memory) const;
  void pin(std::uint64_t bytes) const;
  std::uint64_t bytes_held() const;  // when it was just opened
  // Returns contents and trailer, in the mapping or read into memory of their own.
  Result<table::Block> stored(const table::Handle& handle) const;

  std::string path;
  TableReadOptions options;
  std::optional<io::MappedFile> map;  // or
  std::optional<io::File> file;
  std::uint64_t size = 0;
  std::uint64_t number = table::next_table_number();
  table::Footer footer;
  table::IndexBlock top;  // of the index; empty when the table is
  TableProperties properties;
  table::Handle prefix_handle;
  std::unique_ptr<std::atomic<const table::IndexBlock*>[]> index_blocks;  // those that were read
  mutable std::atomic<std::uint64_t> pinned{0};                           // bytes that count in the cache

  // One filter for all keys, or the index of its partitions; neither when there is none that can be used.
  std::optional<AnyView> filter;
  // The hasher of the filter. A part may have another, in theory: such parts are asked by the key.
  Hasher hasher = Hasher::xxh3();
  detail::Buffer filter_memory;  // when it is not mapped
  table::IndexBlock filter_index;
  std::unique_ptr<table::LazyPartition[]> partitions;  // of a mapped file
  std::optional<AnyView> prefix_filter;
  detail::Buffer prefix_memory;
  std::optional<PrefixExtractor> prefix;

  mutable table::SpreadCounters<kEvents> counters;
};

}  // namespace BLOOMERY_NAMESPACE
