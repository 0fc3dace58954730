// What is behind a Table: shared by its lookups, its iterators and its verification.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/detail/buffer.h"
#include "bloomery/metrics.h"
#include "bloomery/table.h"
#include "io/file.h"
#include "table/block.h"
#include "table/cache.h"
#include "table/format.h"

namespace bloomery {
namespace table {

// Contents, and who keeps them: nobody when they lie in the mapped file.
struct Block {
  std::string_view contents;
  SharedBlock owner;
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
  struct alignas(2 * kCacheLine) Line {
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
  // Of keys: denied by the filter, passed and there, passed and not there. Of blocks.
  enum Event : std::size_t { kDenied, kRight, kWrong, kBlocksRead, kBytesRead, kCacheHits, kDamaged, kEvents };

  // From the cache, or read, verified and unpacked.
  Result<table::Block> block(const table::Handle& handle) const;
  // The data block in which the key is, if it is anywhere.
  Result<std::optional<table::Handle>> data_block_of(std::string_view key) const;
  Result<Lookup> look_up(std::string_view contents, std::string_view key) const;
  Result<Lookup> find(std::string_view key) const;
  Result<Lookup> counted(Result<Lookup> result) const;

  Status read_frame();
  Status read_properties();
  Status read_filter();
  // Contents and trailer: in the mapping, or read into `room`.
  Result<std::string_view> stored(const table::Handle& handle, std::string& room) const;

  std::string path;
  TableReadOptions options;
  std::optional<io::MappedFile> map;  // or
  std::optional<io::File> file;
  std::uint64_t size = 0;
  std::uint64_t number = table::next_table_number();
  table::Footer footer;
  table::Block top;  // of the index; empty when the table is
  TableProperties told;
  detail::Buffer filter_memory;  // when it is not mapped
  std::optional<AnyView> filter;
  bool unusable = false;  // there is a filter, but

  mutable table::SpreadCounters<kEvents> counters;
};

}  // namespace bloomery
