// Every single bit of a table is flipped, and the table cut at every length: no wrong value and no "not found" in
// silence, no crash, and no allocation that the file does not account for. With BLOOMERY_SOAK all of them, else some.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <iostream>
#include <map>

#include "bloomery/detail/fnv.h"
#include "bloomery/table/table.h"
#include "support/allocations.h"
#include "support/scratch.h"

namespace bloomery {
namespace {

using testing::Allocations;

using Entries = std::map<std::string, std::string>;

Entries some_entries(std::size_t count) {
  Entries entries;
  for (std::uint64_t i = 0; entries.size() < count; ++i)
    entries["user" + std::to_string(detail::splitmix64(i) % 1'000'000'007)] =
        std::string(i % 100, static_cast<char>('a' + i % 26));
  return entries;
}

std::string table_of(const Entries& entries, const TableOptions& options) {
  const testing::Scratch scratch;
  TableBuilder builder = *TableBuilder::create(scratch / "t", options);
  std::uint64_t sequence = 1;
  for (const auto& [key, value] : entries)
    if (!builder.add({key, value, sequence++, false}).ok()) return {};
  return builder.finish().ok() ? testing::read_text(scratch / "t") : std::string();
}

// A file in memory, of which one byte is changed at a time.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& bytes) : fd_(::memfd_create("table", 0)) { restore(bytes); }
  ~MemoryFile() { ::close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }
  void put(std::size_t at, char byte) const { EXPECT_EQ(::pwrite(fd_, &byte, 1, static_cast<off_t>(at)), 1); }
  void cut(std::size_t bytes) const { EXPECT_EQ(::ftruncate(fd_, static_cast<off_t>(bytes)), 0); }
  void restore(const std::string& bytes) const {
    EXPECT_EQ(::pwrite(fd_, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  }

 private:
  int fd_;
};

struct Counts {
  std::uint64_t refused = 0, properties = 0, without_effect = 0, missed_by_verify = 0, silent = 0, large = 0;

  std::uint64_t all() const { return refused + properties + without_effect; }
};

class Damage {
 public:
  Damage(const Entries& entries, const std::string& path, std::size_t bytes, bool map)
      : entries_(entries), path_(path), bytes_(bytes), map_(map) {
    for (const auto& [key, value] : entries) keys_.emplace_back(key), values_.push_back(&value);
  }

  // Whether nobody has noticed anything.
  bool look() {
    TableReadOptions options;
    options.map = map_;
    options.cache = std::make_shared<BlockCache>(1 << 20);
    const Allocations watch;
    const bool unnoticed = ask(options);
    counts.large += watch.largest() > bytes_ ? 1 : 0;
    return unnoticed;
  }

  Counts counts;

 private:
  bool ask(const TableReadOptions& options) {
    const Result<std::shared_ptr<Table>> opened = Table::open(path_, options);
    if (!opened.ok()) {
      ++counts.refused;
      return false;
    }
    const Table& table = **opened;
    bool properties = false;
    const auto compare = [&](const Result<Lookup>& got, const std::string& value) {
      if (!got.ok()) properties = true;
      else if (!got->found() || got->value != value) ++counts.silent;
    };
    for (const auto& [key, value] : entries_) compare(table.get(key), value);
    constexpr std::size_t kGroup = 30;  // so that the answers are small beside the file
    for (std::size_t first = 0; first < keys_.size(); first += kGroup) {
      const auto some = std::span(keys_).subspan(first, std::min(kGroup, keys_.size() - first));
      Result<std::vector<Result<Lookup>>> together = table.multi_get(some);
      if (!together.ok()) properties = true;
      for (std::size_t i = 0; together.ok() && i < some.size(); ++i) compare((*together)[i], *values_[first + i]);
    }
    for (const bool forward : {true, false}) walk(table, forward, properties);
    properties = properties || table.stats().filter_unusable > 0;
    ++(properties ? counts.properties : counts.without_effect);
    if (properties) return false;
    const bool unnoticed = table.verify().ok();
    counts.missed_by_verify += unnoticed ? 1 : 0;
    return unnoticed;
  }

  void walk(const Table& table, bool forward, bool& properties) {
    TableIterator at = table.iterate();
    std::size_t seen = 0;
    for (forward ? at.first() : at.last(); at.valid(); forward ? at.next() : at.previous(), ++seen) {
      const std::size_t number = forward ? seen : keys_.size() - 1 - seen;
      if (number >= keys_.size() || at.entry().key != keys_[number] || at.entry().value != *values_[number])
        ++counts.silent;
    }
    if (!at.status().ok()) properties = true;
    else if (seen != keys_.size()) ++counts.silent;
  }

  const Entries& entries_;
  const std::string path_;
  const std::size_t bytes_;
  const bool map_;
  std::vector<std::string_view> keys_;
  std::vector<const std::string*> values_;
};

struct Variant {
  const char* name;
  Compression compression = Compression::none;
  std::optional<Kind> filter = Kind::split;
  std::uint64_t partition_bytes = 0;
  bool prefix = false, map = true;
  std::size_t entries = 300;
};

void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

class TableDamage : public ::testing::TestWithParam<Variant> {};

TEST_P(TableDamage, no_flipped_bit_and_no_cut_fools_it) {
  const Variant& variant = GetParam();
  TableOptions options;
  options.block_bytes = 512;
  options.compression = variant.compression;
  options.filter = variant.filter;
  options.filter_partition_bytes = variant.partition_bytes;
  if (variant.prefix) options.prefix = PrefixExtractor::fixed(6);
  const Entries entries = some_entries(variant.entries);
  const std::string good = table_of(entries, options);
  ASSERT_FALSE(good.empty());
  const MemoryFile file(good);
  Damage damage(entries, file.path(), good.size(), variant.map);
  ASSERT_TRUE(damage.look()) << "undamaged, and yet";
  damage.counts = {};
  const std::size_t step = std::getenv("BLOOMERY_SOAK") != nullptr ? 1 : 599;
  for (std::size_t bit = 0; bit < 8 * good.size(); bit += step) {
    file.put(bit / 8, static_cast<char>(good[bit / 8] ^ (1 << bit % 8)));
    // Nothing but what fills gaps has no checksum.
    if (damage.look()) {
      EXPECT_EQ(good[bit / 8], 0) << "bit " << bit;
    }
    file.put(bit / 8, good[bit / 8]);
  }
  const std::uint64_t flips = damage.counts.all();
  for (std::size_t cut = 1; cut <= good.size(); cut += step) {
    file.cut(good.size() - cut);
    EXPECT_FALSE(damage.look()) << "cut by " << cut;
  }
  const Counts& counts = damage.counts;
  std::cout << "table of " << good.size() << " bytes, " << variant.name << ": " << flips << " flipped bits and "
            << counts.all() - flips << " cuts; " << counts.refused << " refused, " << counts.properties << " told, "
            << counts.without_effect << " without effect (verify misses " << counts.missed_by_verify << ", in gaps), "
            << counts.silent << " silent, " << counts.large << " allocations above the file's size\n";
  EXPECT_EQ(counts.silent, 0u);
  EXPECT_EQ(counts.large, 0u);
  EXPECT_GT(counts.refused, 0u);
  EXPECT_GT(counts.properties, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    , TableDamage,
    ::testing::Values(
        Variant{.name = "none_split"}, Variant{.name = "none_classic", .filter = Kind::classic},
        Variant{.name = "none_no_filter", .filter = std::nullopt},
        Variant{.name = "lz4_split_read", .compression = Compression::lz4, .map = false, .entries = 700},
        Variant{.name = "zstd_block", .compression = Compression::zstd, .filter = Kind::block, .entries = 700},
        Variant{.name = "partitions", .partition_bytes = 1024, .prefix = true},
        Variant{.name = "partitions_read", .partition_bytes = 1024, .prefix = true, .map = false}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace bloomery
