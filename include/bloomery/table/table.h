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

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/any.h"
#include "bloomery/export.h"
#include "bloomery/figures.h"
#include "bloomery/file.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

// How blocks are compressed, with the numbers that files store.
enum class Compression : std::uint8_t { none = 0, lz4 = 1, zstd = 2 };
BLOOMERY_API const char* to_string(Compression compression) noexcept;
BLOOMERY_API Result<Compression> compression_from_name(std::string_view name);

// The kinds that can stand in front of a table.
inline constexpr std::array kTableKinds = {Kind::classic, Kind::split, Kind::block, Kind::fuse, Kind::ribbon};

// One entry of a table. Keys compare as unsigned bytes. Of several entries of a key the one with the largest sequence
// number is the newest. The caller owns the bytes that key and value refer to.
struct Entry {
  std::string_view key, value;
  std::uint64_t sequence = 0;  // below 2^63
  bool deleted = false;        // a tombstone: hides older entries of the key, in this table and in older ones
};

// Extracts the beginning of a key, for which a table can have a filter that scans ask. `of` must return the same prefix
// for every key that begins with that prefix. A key for which it returns nothing is in no filter of prefixes. What `of`
// throws is an error of the call that needed it; may_contain_prefix, which has no error, then returns true.
struct PrefixExtractor {
  std::string name;  // stored in the table; readers must use the same extractor
  std::function<std::optional<std::string_view>(std::string_view)> of;

  // The first so many bytes; and all up to the first delimiter, with it. Readers know these two by their names.
  BLOOMERY_API static PrefixExtractor fixed(std::size_t bytes);
  BLOOMERY_API static PrefixExtractor through(char delimiter);
};

struct TableOptions {
  std::size_t block_bytes = 4096;  // of a data block before compression; a larger entry makes a larger block
  unsigned restart_interval = 16;  // keys from one that is written whole to the next
  Compression compression = Compression::none;
  // The kind of the filter, which is sized when the number of keys is known. Nothing: no filter, and every get reads.
  std::optional<Kind> filter = Kind::block;
  SizeSpec filter_size = {.fpr = 0.01, .bits_per_key = 10.5, .numbers = {}};
  std::optional<Hasher> hasher = {};  // of the filter; by default xxh3, and fnv_splitmix for classic
  bool check_filter = true;           // asks the filter for every key before the file appears
  // 0: one filter, which a reader holds as long as the table is open. Otherwise one filter of about so many bytes for
  // each range of keys, which readers load through their cache when they need it.
  std::uint64_t filter_partition_bytes = 0;
  std::optional<PrefixExtractor> prefix = {};  // adds a filter for scans, of the same kind and bits for each prefix
};

// The properties that a table stores.
struct TableProperties {
  std::uint64_t file_bytes = 0, filter_bytes = 0, index_bytes = 0;
  std::uint64_t entries = 0, keys = 0, deleted = 0, blocks = 0;
  std::uint64_t key_bytes = 0, value_bytes = 0;  // of all entries, before compression
  std::uint64_t min_sequence = 0, max_sequence = 0;
  std::string smallest, largest;
  std::optional<Kind> filter;           // nothing: no filter, or one that cannot be used
  double designed_fpr = 0;              // of the filter, 0 without one
  std::uint64_t filter_partitions = 0;  // 0: one filter for all keys
  std::string prefix;                   // name of the extractor, empty without a filter of prefixes
  std::uint64_t prefixes = 0;           // in that filter
};

class Table;
namespace detail {
struct TableAccess;  // gives the files of this layer access to what the classes below hide
}

// Writes a table. The protocol is: create add* finish. Destruction without finish leaves nothing behind. One thread at
// a time may use it. It owns its temporary file. One that was moved from is finished, and refuses all three.
class TableBuilder {
 public:
  BLOOMERY_API static Result<TableBuilder> create(const std::string& path, const TableOptions& options);
  // Does the same for a path where nothing is, not even a link to nothing. What another process puts there before
  // finish stays, and finish fails; a finish that fails leaves nothing of its own there.
  BLOOMERY_API static Result<TableBuilder> create_new(const std::string& path, const TableOptions& options);
  BLOOMERY_API TableBuilder(TableBuilder&&) noexcept;
  BLOOMERY_API TableBuilder& operator=(TableBuilder&&) noexcept;
  BLOOMERY_API ~TableBuilder();

  // Adds an entry. Entries come in order: keys ascend, and of one key the newer entry comes first. After an error
  // finish refuses, so only destruction is left.
  BLOOMERY_API Status add(const Entry& entry);
  // Publishes the file under its name, whole: temporary file, fsync, rename, fsync of the folder.
  BLOOMERY_API Result<TableProperties> finish();
  // Returns what was added as a table without name and filter, which is gone when nobody reads it any more. Call it in
  // the place of finish to begin again with entries that are nowhere else.
  BLOOMERY_API Result<std::shared_ptr<Table>> finish_unnamed();

  BLOOMERY_API std::uint64_t entries() const;
  BLOOMERY_API std::uint64_t file_bytes() const;  // written so far

 private:
  friend struct detail::TableAccess;
  struct Impl;
  explicit TableBuilder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Keeps blocks that were read, for any number of tables, up to a number of bytes that includes all that these tables
// hold in memory. The blocks used least recently go first; a block that is in use at that moment is freed afterwards.
// Any thread may use it. Tables share ownership of it.
class BlockCache {
 public:
  struct Stats {
    std::uint64_t hits = 0, misses = 0, evicted = 0;
    std::uint64_t bytes = 0;   // of blocks
    std::uint64_t pinned = 0;  // of filters and tops of indexes: what open tables hold
    std::uint64_t capacity = 0;
  };
  // Throws std::bad_alloc.
  BLOOMERY_API explicit BlockCache(std::uint64_t capacity_bytes);
  BLOOMERY_API ~BlockCache();
  BLOOMERY_API Stats stats() const;
  // Returns the stats for Prometheus and JSON (bloomery/figures.h), under that name. Throws std::bad_alloc.
  BLOOMERY_API Figures figures(std::string_view name) const;

  struct Impl;

 private:
  friend struct detail::TableAccess;
  std::unique_ptr<Impl> impl_;
};

struct TableReadOptions {
  // Without a cache blocks are read and verified again each time. For a mapped file the cache keeps compressed blocks
  // unpacked, and of other blocks only that they were verified: it does not copy them.
  std::shared_ptr<BlockCache> cache = {};
  // Maps the file; otherwise each block is read by pread. Never write to a mapped file in place: a process that
  // truncates it ends its readers by SIGBUS. Replace it by rename, as TableBuilder does.
  bool map = true;
  bool verify = true;  // checks the checksum of each block that is read from the file
  bool use_filter = true;
  std::optional<Secret> secret = {};           // of a filter with a keyed hash
  std::optional<PrefixExtractor> prefix = {};  // needed if the table was built with an extractor of your own
  // There is an alarm when the measured rate of the filter is above alarm_times the designed one and above alarm_least,
  // over at least alarm_from questions for absent keys.
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
  void clear() {
    state = Found::absent;
    sequence = 0;
    value.clear();
  }
};

// Counters of a table since it was opened.
struct TableStats {
  std::uint64_t asked = 0;         // keys, those included whose get was an error
  std::uint64_t filter_no = 0;     // the filter denied the key
  std::uint64_t filter_right = 0;  // the filter passed the key rightly: it is there, or deleted
  std::uint64_t filter_wrong = 0;  // the filter passed the key wrongly
  // Filters and partitions that could not be used; for these the answer was "maybe".
  std::uint64_t filter_unusable = 0;
  std::uint64_t prefixes_asked = 0, prefixes_no = 0;  // scans of a prefix, and those that needed no read
  std::uint64_t blocks_read = 0, bytes_read = 0, cache_hits = 0;
  std::uint64_t damaged_blocks = 0;
  double designed_fpr = 0, predicted_fpr = 0, measured_fpr = 0;
  bool alarm = false;  // measured_fpr is far above designed_fpr
};

// Walks over the entries of a table in order, forward and back. It visits all versions of a key, the newest first. One
// thread at a time may use it. It keeps its table alive.
class TableIterator {
 public:
  BLOOMERY_API TableIterator(TableIterator&&) noexcept;
  BLOOMERY_API TableIterator& operator=(TableIterator&&) noexcept;
  BLOOMERY_API ~TableIterator();

  BLOOMERY_API void first();
  BLOOMERY_API void last();
  BLOOMERY_API void seek(std::string_view key);  // goes to the first entry whose key is not less
  // Goes to the first entry whose key begins with the prefix; the walk ends with the last such entry. Reads nothing
  // when the filter of prefixes says no.
  BLOOMERY_API void seek_prefix(std::string_view prefix);
  BLOOMERY_API void next();
  BLOOMERY_API void previous();
  // False at either end, and after an error, which status() returns.
  BLOOMERY_API bool valid() const;
  BLOOMERY_API const Status& status() const;
  BLOOMERY_API Entry entry() const;  // while valid(); its bytes live until the iterator moves

  struct Impl;

 private:
  friend class Table;
  explicit TableIterator(std::unique_ptr<Impl> impl);
  template <class Move>
  void guard(const Move& move) noexcept;
  std::unique_ptr<Impl> impl_;
};

// An open table. Any thread may use it. Iterators share ownership of it, so it lives in a shared_ptr.
class Table : public std::enable_shared_from_this<Table> {
 public:
  // Opens a table. It takes memory for the top of the index, and for the filter if that is neither mapped nor in
  // partitions. With use it takes memory for the index blocks that lookups need and, with a filter, 32 bytes for each
  // of their data blocks: a sketch of a block that was read, which spares most false positives a second read. Together
  // that is at most 2.5 % of the data with blocks of 4 KiB.
  //
  // A table whose filter is damaged, of an unknown kind, or keyed with another secret opens without it; the log hook
  // and the stats say so. A filter that cannot be read now is an error: try again, or open without use_filter.
  BLOOMERY_API static Result<std::shared_ptr<Table>> open(const std::string& path,
                                                          const TableReadOptions& options = {});
  BLOOMERY_API ~Table();

  // Returns the newest entry of the key. The error is that a block is damaged or unreadable; it concerns the keys of
  // that block alone.
  BLOOMERY_API Result<Lookup> get(std::string_view key) const;
  // Looks up many keys: it hashes them together, asks the filter for them together, and reads in the order of the file.
  // Keys that the filter denies take no memory. `results` has the size of `keys` and is overwritten.
  BLOOMERY_API Status multi_get(std::span<const std::string_view> keys, std::span<Result<Lookup>> results) const;
  BLOOMERY_API Result<std::vector<Result<Lookup>>> multi_get(std::span<const std::string_view> keys) const;
  // Asks the filter alone. False: the key is not in the table.
  BLOOMERY_API bool may_contain(std::string_view key) const noexcept;
  // Asks the filter of prefixes alone. False: no key of the table begins so.
  BLOOMERY_API bool may_contain_prefix(std::string_view prefix) const noexcept;

  BLOOMERY_API TableIterator iterate() const;

  BLOOMERY_API const TableProperties& properties() const;
  BLOOMERY_API TableStats stats() const;
  // Returns properties and stats for Prometheus and JSON (bloomery/figures.h), under that name. Throws std::bad_alloc.
  BLOOMERY_API Figures figures(std::string_view name) const;
  BLOOMERY_API const std::string& path() const;
  // Reads every block again, whatever the cache holds. Compares every checksum, and every entry with the filters, the
  // order and the properties.
  BLOOMERY_API Status verify() const;

  struct Impl;

 private:
  friend struct detail::TableAccess;
  explicit Table(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Writes a table of the same entries with other filters. Of the options it uses filter, filter_size, hasher,
// check_filter, filter_partition_bytes and prefix. It copies and verifies blocks and index. `path` may be that of the
// table itself: those that have it open go on reading the old file.
BLOOMERY_API Result<TableProperties> refilter(const Table& table, const std::string& path, const TableOptions& options);

}  // namespace BLOOMERY_NAMESPACE
