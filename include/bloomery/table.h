// A sorted table in a file, with a filter in front: a key that is not there costs nanoseconds and no read. It is
// written once, by a TableBuilder, and read by any number of threads and processes. spec/table.md has the bytes,
// docs/table.md the advice.
//
//   auto builder = bloomery::TableBuilder::create("users.blt", {});
//   builder->add({.key = "anna", .value = "42"});        // in order
//   builder->finish();                                   // the file appears, whole
//
//   auto table = bloomery::Table::open("users.blt", {});
//   auto got = (*table)->get("anna");                    // got->found(), got->value
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/any.h"
#include "bloomery/export.h"
#include "bloomery/file.h"
#include "bloomery/result.h"

namespace bloomery {

// The numbers are those of files.
enum class Compression : std::uint8_t { none = 0, lz4 = 1, zstd = 2 };
BLOOMERY_API const char* to_string(Compression compression) noexcept;
BLOOMERY_API Result<Compression> compression_from_name(std::string_view name);

// Keys compare as unsigned bytes. Of several entries of a key the one with the largest sequence number is the newest.
struct Entry {
  std::string_view key, value;
  std::uint64_t sequence = 0;  // below 2^63
  bool deleted = false;        // a tombstone: hides older entries of the key, in this table and in older ones
};

struct TableOptions {
  std::size_t block_bytes = 4096;  // of a data block before compression; larger when one entry is
  unsigned restart_interval = 16;  // keys between two that are written whole
  Compression compression = Compression::none;
  // The filter, sized when the number of keys is known; nothing: none, and every get reads.
  std::optional<Kind> filter = Kind::split;
  SizeSpec filter_size = {.fpr = 0.01, .bits_per_key = 10.5, .m = {}, .blocks = {}, .k = {}};
  std::optional<Hasher> hasher = {};  // of the filter; the kind's own unless given
  bool check_filter = true;           // asks it for every key before the file appears
};

// What a table says of itself.
struct TableProperties {
  std::uint64_t file_bytes = 0, filter_bytes = 0, index_bytes = 0;
  std::uint64_t entries = 0, keys = 0, deleted = 0, blocks = 0;
  std::uint64_t key_bytes = 0, value_bytes = 0;  // of all entries, before compression
  std::uint64_t min_sequence = 0, max_sequence = 0;
  std::string smallest, largest;
  std::optional<Kind> filter;  // nothing: none, or one that cannot be used
  double designed_fpr = 0;     // of the filter, 0 without one
};

// Protocol: create add* finish; destruction without finish leaves nothing behind. One thread at a time.
class TableBuilder {
 public:
  BLOOMERY_API static Result<TableBuilder> create(const std::string& path, const TableOptions& options);
  BLOOMERY_API TableBuilder(TableBuilder&&) noexcept;
  BLOOMERY_API TableBuilder& operator=(TableBuilder&&) noexcept;
  BLOOMERY_API ~TableBuilder();

  // In order: keys ascend, and of one key the newer entry comes first. After an error nothing but destruction is left.
  BLOOMERY_API Status add(const Entry& entry);
  // The file appears under its name, whole: temporary file, fsync, rename, fsync of the folder.
  BLOOMERY_API Result<TableProperties> finish();

  BLOOMERY_API std::uint64_t entries() const;
  BLOOMERY_API std::uint64_t file_bytes() const;  // written so far

 private:
  struct Impl;
  explicit TableBuilder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Blocks that were read, for any number of tables, up to a number of bytes. Safe from any thread.
class BlockCache {
 public:
  struct Stats {
    std::uint64_t hits = 0, misses = 0, evicted = 0;
    std::uint64_t bytes = 0, capacity = 0;
  };
  BLOOMERY_API explicit BlockCache(std::uint64_t capacity_bytes);
  BLOOMERY_API ~BlockCache();
  BLOOMERY_API Stats stats() const;

  struct Impl;
  Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

struct TableReadOptions {
  std::shared_ptr<BlockCache> cache = {};  // nothing: blocks are read again each time
  bool map = true;                         // the file is mapped; else each block is read by pread
  bool verify = true;                      // the checksum of each block that is read from the file
  bool use_filter = true;
  std::optional<Secret> secret = {};  // of a filter with a keyed hash
  // When the measured rate of the filter is an alarm: above so many times the designed one, and above the least rate,
  // over at least so many questions for absent keys.
  double alarm_times = 2;
  double alarm_least = 0.02;
  std::uint64_t alarm_from = 10'000;
};

enum class Found : std::uint8_t { found, deleted, absent };

struct Lookup {
  Found state = Found::absent;
  std::uint64_t sequence = 0;
  std::string value = {};

  bool found() const { return state == Found::found; }
};

// What happened at a table since it was opened.
struct TableStats {
  std::uint64_t asked = 0;            // keys
  std::uint64_t filter_no = 0;        // of them, denied by the filter
  std::uint64_t filter_right = 0;     // passed, and there (or deleted)
  std::uint64_t filter_wrong = 0;     // passed, and not there
  std::uint64_t filter_unusable = 0;  // 1 when the table has a filter that could not be used
  std::uint64_t blocks_read = 0, bytes_read = 0, cache_hits = 0;
  std::uint64_t damaged_blocks = 0;
  double designed_fpr = 0, predicted_fpr = 0, measured_fpr = 0;
  bool alarm = false;  // measured is far above designed
};

// Walks over the entries of a table in order, forward and back; all versions of a key are visited, the newest first.
// Keeps its table alive. One thread at a time.
class TableIterator {
 public:
  BLOOMERY_API TableIterator(TableIterator&&) noexcept;
  BLOOMERY_API TableIterator& operator=(TableIterator&&) noexcept;
  BLOOMERY_API ~TableIterator();

  BLOOMERY_API void first();
  BLOOMERY_API void last();
  BLOOMERY_API void seek(std::string_view key);  // to the first entry whose key is not less
  BLOOMERY_API void next();
  BLOOMERY_API void previous();
  // False at either end, and after an error, which status() tells.
  BLOOMERY_API bool valid() const;
  BLOOMERY_API const Status& status() const;
  BLOOMERY_API Entry entry() const;  // of a valid one, until it moves

 private:
  friend class Table;
  struct Impl;
  explicit TableIterator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Safe from any thread.
class Table : public std::enable_shared_from_this<Table> {
 public:
  // Memory: the top of the index, and nothing that grows with the table but the filter when it is not mapped. A filter
  // that is damaged, of a kind that this build does not know, or keyed with another secret is done without, and the log
  // hook and the stats tell.
  BLOOMERY_API static Result<std::shared_ptr<Table>> open(const std::string& path,
                                                          const TableReadOptions& options = {});
  BLOOMERY_API ~Table();

  // The newest entry of the key. An error is that of a damaged or unreadable block, and concerns the keys in it alone.
  BLOOMERY_API Result<Lookup> get(std::string_view key) const;
  // All of them: hashed together, asked of the filter together, then read in the order of the file.
  BLOOMERY_API std::vector<Result<Lookup>> multi_get(std::span<const std::string_view> keys) const;
  // False: the key is not here, by the filter alone.
  BLOOMERY_API bool may_contain(std::string_view key) const;

  BLOOMERY_API TableIterator iterate() const;

  BLOOMERY_API const TableProperties& properties() const;
  BLOOMERY_API TableStats stats() const;
  BLOOMERY_API const std::string& path() const;
  // Reads every block and compares every entry with the filter, the order and the properties.
  BLOOMERY_API Status verify() const;

 private:
  friend class TableIterator;
  struct Impl;
  explicit Table(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace bloomery
