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

// The numbers are those of files.
enum class Compression : std::uint8_t { none = 0, lz4 = 1, zstd = 2 };
BLOOMERY_API const char* to_string(Compression compression) noexcept;
BLOOMERY_API Result<Compression> compression_from_name(std::string_view name);

// The kinds that can stand in front of a table.
inline constexpr std::array kTableKinds = {Kind::classic, Kind::split, Kind::block, Kind::fuse, Kind::ribbon};

// Keys compare as unsigned bytes. Of several entries of a key the one with the largest sequence number is the newest.
struct Entry {
  std::string_view key, value;
  std::uint64_t sequence = 0;  // below 2^63
  bool deleted = false;        // a tombstone: hides older entries of the key, in this table and in older ones
};

// What scans ask for: the beginning of a key, for which a table can have a filter of its own. Of a key that begins with
// some bytes for which `of` says something, it must say the same. One that says nothing is in no filter. What `of`
// throws is an error of the call that needed it; may_contain_prefix, which has none, then says true.
struct PrefixExtractor {
  std::string name;  // stored in the table; one who reads must use the same
  std::function<std::optional<std::string_view>(std::string_view)> of;

  // Of so many bytes; a reader knows these two by their names.
  BLOOMERY_API static PrefixExtractor fixed(std::size_t bytes);
  BLOOMERY_API static PrefixExtractor through(char delimiter);  // up to the first of these, which belongs to it
};

struct TableOptions {
  std::size_t block_bytes = 4096;  // of a data block before compression; larger when one entry is
  unsigned restart_interval = 16;  // keys between two that are written whole
  Compression compression = Compression::none;
  // The filter, sized when the number of keys is known; nothing: none, and every get reads.
  std::optional<Kind> filter = Kind::block;
  SizeSpec filter_size = {.fpr = 0.01, .bits_per_key = 10.5, .numbers = {}};
  std::optional<Hasher> hasher = {};  // of the filter; unless given xxh3, and fnv_splitmix for classic
  bool check_filter = true;           // asks it for every key before the file appears
  // 0: one filter, which a reader holds as long as the table is open. Else one of about so many bytes for each range of
  // keys, which readers load when they ask it, through their cache.
  std::uint64_t filter_partition_bytes = 0;
  std::optional<PrefixExtractor> prefix = {};  // a filter for scans, of the same kind and size for each prefix
};

// What a table says of itself.
struct TableProperties {
  std::uint64_t file_bytes = 0, filter_bytes = 0, index_bytes = 0;
  std::uint64_t entries = 0, keys = 0, deleted = 0, blocks = 0;
  std::uint64_t key_bytes = 0, value_bytes = 0;  // of all entries, before compression
  std::uint64_t min_sequence = 0, max_sequence = 0;
  std::string smallest, largest;
  std::optional<Kind> filter;           // nothing: none, or one that cannot be used
  double designed_fpr = 0;              // of the filter, 0 without one
  std::uint64_t filter_partitions = 0;  // 0: one filter for all keys
  std::string prefix;                   // name of the extractor, empty without a filter of prefixes
  std::uint64_t prefixes = 0;           // in that filter
};

class Table;
namespace detail {
struct TableAccess;  // how the layer itself reaches what the classes below hide
}

// Protocol: create add* finish; destruction without finish leaves nothing behind. One thread at a time.
class TableBuilder {
 public:
  BLOOMERY_API static Result<TableBuilder> create(const std::string& path, const TableOptions& options);
  BLOOMERY_API TableBuilder(TableBuilder&&) noexcept;
  BLOOMERY_API TableBuilder& operator=(TableBuilder&&) noexcept;
  BLOOMERY_API ~TableBuilder();

  // In order: keys ascend, and of one key the newer entry comes first. After an error nothing but destruction is left:
  // finish refuses.
  BLOOMERY_API Status add(const Entry& entry);
  // The file appears under its name, whole: temporary file, fsync, rename, fsync of the folder.
  BLOOMERY_API Result<TableProperties> finish();
  // Instead: what was added, without a filter, as a table under no name, which is gone when nobody reads it any more.
  // For who has to begin again, and has the entries nowhere else.
  BLOOMERY_API Result<std::shared_ptr<Table>> finish_unnamed();

  BLOOMERY_API std::uint64_t entries() const;
  BLOOMERY_API std::uint64_t file_bytes() const;  // written so far

 private:
  struct Impl;
  explicit TableBuilder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Blocks that were read, for any number of tables, up to a number of bytes in which all that these tables hold in
// memory counts. The blocks used least recently go first; those that are in use at that moment are freed when they are
// not. Safe from any thread.
class BlockCache {
 public:
  struct Stats {
    std::uint64_t hits = 0, misses = 0, evicted = 0;
    std::uint64_t bytes = 0;   // of blocks
    std::uint64_t pinned = 0;  // of filters and tops of indexes: what open tables hold
    std::uint64_t capacity = 0;
  };
  BLOOMERY_API explicit BlockCache(std::uint64_t capacity_bytes);
  BLOOMERY_API ~BlockCache();
  BLOOMERY_API Stats stats() const;
  // For Prometheus and JSON (bloomery/figures.h), under that name.
  BLOOMERY_API Figures figures(std::string_view name) const;

  struct Impl;

 private:
  friend struct detail::TableAccess;
  std::unique_ptr<Impl> impl_;
};

struct TableReadOptions {
  // Nothing: blocks are read and verified again each time. Of a mapped file the cache keeps packed blocks as they were
  // unpacked, and of the others that they were verified: they are not copied.
  std::shared_ptr<BlockCache> cache = {};
  // The file is mapped; else each block is read by pread. Who cuts a mapped file ends its readers by SIGBUS: replace it
  // by rename, as TableBuilder does, never write in place.
  bool map = true;
  bool verify = true;  // the checksum of each block that is read from the file
  bool use_filter = true;
  std::optional<Secret> secret = {};           // of a filter with a keyed hash
  std::optional<PrefixExtractor> prefix = {};  // needed for one of a user's own
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
  void clear() {
    state = Found::absent;
    sequence = 0;
    value.clear();
  }
};

// What happened at a table since it was opened.
struct TableStats {
  std::uint64_t asked = 0;         // keys
  std::uint64_t filter_no = 0;     // of them, denied by the filter
  std::uint64_t filter_right = 0;  // passed, and there (or deleted)
  std::uint64_t filter_wrong = 0;  // passed, and not there
  std::uint64_t filter_unusable =
      0;  // filters (partitions too) that could not be used, and were answered for with maybe
  std::uint64_t prefixes_asked = 0, prefixes_no = 0;  // scans of a prefix, and those that needed no read
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
  // To the first entry whose key begins so; the walk ends with the last such. Reads nothing when the table has a filter
  // for prefixes, and it says no.
  BLOOMERY_API void seek_prefix(std::string_view prefix);
  BLOOMERY_API void next();
  BLOOMERY_API void previous();
  // False at either end, and after an error, which status() tells.
  BLOOMERY_API bool valid() const;
  BLOOMERY_API const Status& status() const;
  BLOOMERY_API Entry entry() const;  // of a valid one, until it moves

  struct Impl;

 private:
  friend class Table;
  explicit TableIterator(std::unique_ptr<Impl> impl);
  template <class Move>
  void guard(const Move& move) noexcept;
  std::unique_ptr<Impl> impl_;
};

// Safe from any thread.
class Table : public std::enable_shared_from_this<Table> {
 public:
  // Memory: the top of the index, and nothing that grows with the table but the filter when it is neither mapped nor in
  // partitions. With use it grows by the index blocks that lookups needed, and with a filter by 32 bytes for each of
  // their data blocks: a sketch of those that were read, which spares most keys that the filter lets pass wrongly a
  // second read. Together that is at most 2.5 % of the data, by blocks of 4 KiB. A filter that is damaged, of a kind
  // that this build does not know, or keyed with another secret is done without, and the log hook and the stats tell.
  // One that cannot be read now is an error: the next try may have it, and use_filter does without it.
  BLOOMERY_API static Result<std::shared_ptr<Table>> open(const std::string& path,
                                                          const TableReadOptions& options = {});
  BLOOMERY_API ~Table();

  // The newest entry of the key. An error is that of a damaged or unreadable block, and concerns the keys in it alone.
  BLOOMERY_API Result<Lookup> get(std::string_view key) const;
  // All of them: hashed together, asked of the filter together, then read in the order of the file. Needs no memory for
  // keys that the filter denies. `results` has the size of `keys`; what was in it is overwritten.
  BLOOMERY_API Status multi_get(std::span<const std::string_view> keys, std::span<Result<Lookup>> results) const;
  BLOOMERY_API Result<std::vector<Result<Lookup>>> multi_get(std::span<const std::string_view> keys) const;
  // False: the key is not here, by the filter alone.
  BLOOMERY_API bool may_contain(std::string_view key) const;
  // False: no key begins so, by the filter of prefixes alone.
  BLOOMERY_API bool may_contain_prefix(std::string_view prefix) const;

  BLOOMERY_API TableIterator iterate() const;

  BLOOMERY_API const TableProperties& properties() const;
  BLOOMERY_API TableStats stats() const;
  // The same for Prometheus and JSON (bloomery/figures.h), under that name.
  BLOOMERY_API Figures figures(std::string_view name) const;
  BLOOMERY_API const std::string& path() const;
  // Reads every block again, whatever the cache holds, and compares every checksum, and every entry with the filters,
  // the order and the properties.
  BLOOMERY_API Status verify() const;

  struct Impl;

 private:
  friend struct detail::TableAccess;
  explicit Table(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The same entries with other filters, by the options' filter, filter_size, hasher, check_filter,
// filter_partition_bytes and prefix; blocks and index are copied as they are, and verified. `path` may be the table's
// own: whoever has it open goes on reading the old one.
BLOOMERY_API Result<TableProperties> refilter(const Table& table, const std::string& path, const TableOptions& options);

}  // namespace BLOOMERY_NAMESPACE
