// The filters in front of tables: one or in partitions, for keys and for prefixes, exchanged, and damaged.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

#include "bloomery/file.h"
#include "bloomery/log.h"
#include "bloomery/table/table.h"
#include "support/scratch.h"
#include "table/format.h"
#include "table/properties.h"

namespace bloomery {
namespace {

using testing::read_text;
using testing::Scratch;

// Whatever goes wrong, a filter answers "maybe".
static_assert(noexcept(std::declval<const Table&>().may_contain({})));
static_assert(noexcept(std::declval<const Table&>().may_contain_prefix({})));

std::string filter_key(std::uint64_t i) { return "key" + std::to_string(1'000'000 + i); }

std::string prefix_of(int user) {
  std::string prefix = std::to_string(user);
  return prefix += '/';
}

class TableFilters : public ::testing::Test {
 protected:
  // Those with an even number.
  TableProperties build(const TableOptions& options, std::uint64_t keys = 20'000) {
    TableBuilder builder = *TableBuilder::create(path_, options);
    Status added;
    for (std::uint64_t i = 0; i < keys && added.ok(); ++i)
      added = builder.add({filter_key(2 * i), filter_key(i), i, false});
    EXPECT_TRUE(added.ok()) << added.error().to_string();
    Result<TableProperties> properties = builder.finish();
    EXPECT_TRUE(properties.ok()) << properties.error().to_string();
    return *properties;
  }

  static std::vector<TableReadOptions> ways_to_read() {
    std::vector<TableReadOptions> ways(4);
    ways[1].map = false;
    ways[2].map = false;
    ways[2].cache = std::make_shared<BlockCache>(4 << 20);
    ways[3].cache = std::make_shared<BlockCache>(4 << 20);
    return ways;
  }

  // Asks for all keys that are there and as many that are not.
  static void ask(const Table& table, std::uint64_t keys = 20'000) {
    std::vector<std::string> names;
    for (std::uint64_t i = 0; i < 2 * keys; ++i) names.push_back(filter_key(i));
    const std::vector<std::string_view> views(names.begin(), names.end());
    const auto together = *table.multi_get(views);
    for (std::uint64_t i = 0; i < names.size(); ++i) {
      ASSERT_EQ(together[i]->found(), i % 2 == 0) << names[i];
      const Result<Lookup> got = table.get(names[i]);
      ASSERT_TRUE(got.ok() && got->found() == (i % 2 == 0)) << names[i];
    }
  }

  Scratch scratch_;
  std::string path_ = scratch_ / "t.blt";
};

TEST_F(TableFilters, in_partitions_answer_as_one_does) {
  for (const Kind kind : kTableKinds) {
    TableOptions options;
    options.filter = kind;
    const TableProperties whole = build(options);
    EXPECT_EQ(whole.filter_partitions, 0u);
    options.filter_partition_bytes = 2048;
    const TableProperties built = build(options);
    // From 17 KB of ribbon to 26 KB of split. A static filter of few keys is larger than of many; of ribbon its rate is
    // lower.
    EXPECT_NEAR(static_cast<double>(built.filter_partitions), static_cast<double>(whole.filter_bytes) / 2048, 1);
    EXPECT_LT(built.designed_fpr, 1.05 * whole.designed_fpr);
    EXPECT_GT(built.designed_fpr, (kind == Kind::ribbon ? 0.5 : 0.95) * whole.designed_fpr);
    for (const TableReadOptions& way : ways_to_read()) {
      const std::shared_ptr<Table> table = *Table::open(path_, way);
      EXPECT_EQ(table->properties().filter, kind);
      EXPECT_EQ(table->properties().filter_partitions, built.filter_partitions);
      EXPECT_EQ(table->properties().filter_bytes, built.filter_bytes);
      ask(*table);
      EXPECT_FALSE(table->may_contain("zzz"));  // behind the last
      const TableStats stats = table->stats();
      EXPECT_EQ(stats.filter_unusable, 0u);
      // Of 20,000 questions: four standard deviations, but at least 30 %.
      const double tolerance = std::max(0.3, 4 / std::sqrt(20'000 * built.designed_fpr));
      EXPECT_NEAR(stats.measured_fpr / built.designed_fpr, 1, tolerance);
      EXPECT_TRUE(table->verify().ok()) << table->verify().error().to_string();
    }
  }
}

// A table of many partitions opens without them, and a lookup loads its own.
TEST_F(TableFilters, partitions_are_loaded_by_need) {
  TableOptions options;
  options.filter_partition_bytes = 2048;
  const TableProperties built = build(options);
  TableReadOptions read;
  read.map = false;
  read.cache = std::make_shared<BlockCache>(4 << 20);
  const std::shared_ptr<Table> table = *Table::open(path_, read);
  EXPECT_LT(read.cache->stats().pinned, built.filter_bytes / 4);
  const std::uint64_t before = table->stats().bytes_read;
  for (std::uint64_t i = 1; i < 200; i += 2) (void)table->may_contain(filter_key(i));
  EXPECT_LT(table->stats().bytes_read - before, 3000u);  // one of them
  ask(*table);
  EXPECT_GT(table->stats().bytes_read - before, built.filter_bytes);
}

TEST_F(TableFilters, of_prefixes_spare_a_scan_its_reads) {
  TableOptions options;
  options.prefix = PrefixExtractor::through('/');
  TableBuilder builder = *TableBuilder::create(path_, options);
  for (int user = 1000; user < 3000; user += 2)
    for (int i = 0; i < 5; ++i)
      ASSERT_TRUE(builder.add({prefix_of(user) += static_cast<char>('0' + i), "v", 1, false}).ok());
  ASSERT_TRUE(builder.add({"zebra", "without a prefix", 1, false}).ok());
  const TableProperties built = *builder.finish();
  EXPECT_EQ(built.prefixes, 1000u);
  EXPECT_EQ(built.prefix, "through:47");
  for (const TableReadOptions& way : ways_to_read()) {
    const std::shared_ptr<Table> table = *Table::open(path_, way);
    TableIterator at = table->iterate();
    std::uint64_t empty_scans = 0;
    for (int user = 1000; user < 3000; ++user) {
      const std::string prefix = prefix_of(user);
      std::uint64_t visited = 0;
      for (at.seek_prefix(prefix); at.valid(); at.next(), ++visited) ASSERT_TRUE(at.entry().key.starts_with(prefix));
      ASSERT_TRUE(at.status().ok());
      ASSERT_EQ(visited, user % 2 == 0 ? 5u : 0u) << prefix;
      empty_scans += table->may_contain_prefix(prefix + "anything") ? 0 : 1;
    }
    EXPECT_GT(empty_scans, 950u);
    EXPECT_EQ(table->stats().prefixes_asked, 4000u);
    EXPECT_EQ(table->stats().prefixes_no, 2 * empty_scans);
    // What the filter knows nothing of is looked for.
    std::uint64_t visited = 0;
    for (at.seek_prefix("10"); at.valid(); at.next()) ++visited;
    EXPECT_EQ(visited, 250u);
    at.seek_prefix("ze");
    ASSERT_TRUE(at.valid());
    at.previous();
    EXPECT_FALSE(at.valid());  // it was the first of its prefix
    at.seek_prefix("none/");
    EXPECT_FALSE(at.valid());
    at.seek("1000/");
    EXPECT_TRUE(at.valid());  // no longer bound to a prefix
    EXPECT_TRUE(table->verify().ok());
  }
}

TEST_F(TableFilters, of_a_users_own_prefixes_need_the_same_function) {
  const PrefixExtractor first_letter{"first letter", [](std::string_view key) {
                                       return key.empty() ? std::nullopt : std::optional(key.substr(0, 1));
                                     }};
  TableOptions options;
  options.prefix = first_letter;
  build(options);
  const std::shared_ptr<Table> without = *Table::open(path_);
  EXPECT_TRUE(without->may_contain_prefix("x"));
  EXPECT_EQ(without->stats().filter_unusable, 1u);
  TableReadOptions read;
  read.prefix = first_letter;
  const std::shared_ptr<Table> with = *Table::open(path_, read);
  EXPECT_FALSE(with->may_contain_prefix("x"));
  EXPECT_TRUE(with->may_contain_prefix("k"));
  EXPECT_EQ(with->stats().filter_unusable, 0u);
  options.prefix = PrefixExtractor{};
  EXPECT_EQ(TableBuilder::create(path_, options).error().field, "prefix");
}

TEST_F(TableFilters, fixed_prefixes_leave_out_shorter_keys) {
  TableOptions options;
  options.filter = std::nullopt;  // a filter of prefixes alone
  options.prefix = PrefixExtractor::fixed(4);
  TableBuilder builder = *TableBuilder::create(path_, options);
  for (const char* key : {"a", "abc", "abcd", "abcde", "bcdef"}) ASSERT_TRUE(builder.add({key, "", 1, false}).ok());
  EXPECT_EQ(builder.finish()->prefixes, 2u);
  const std::shared_ptr<Table> table = *Table::open(path_);
  EXPECT_TRUE(table->may_contain_prefix("abcdx"));
  EXPECT_TRUE(table->may_contain_prefix("xyz"));  // too short to be asked
  EXPECT_FALSE(table->may_contain_prefix("wxyz"));
  EXPECT_EQ(table->properties().filter, std::nullopt);
  EXPECT_TRUE(table->verify().ok());
}

TEST_F(TableFilters, can_be_exchanged) {
  build({});
  const std::string old = read_text(path_);
  TableOptions options;
  options.filter = Kind::block;
  options.filter_size = {};
  options.filter_size.fpr = 0.001;
  options.filter_partition_bytes = 4096;
  options.prefix = PrefixExtractor::fixed(5);
  const std::string other = scratch_ / "other.blt";
  for (const TableReadOptions& way : ways_to_read()) {
    const std::shared_ptr<Table> table = *Table::open(path_, way);
    const Result<TableProperties> properties = refilter(*table, other, options);
    ASSERT_TRUE(properties.ok()) << properties.error().to_string();
    EXPECT_EQ(read_text(path_), old);
    const std::shared_ptr<Table> changed = *Table::open(other);
    EXPECT_EQ(changed->properties().filter, Kind::block);
    EXPECT_NEAR(changed->properties().designed_fpr, 0.001, 0.0002);
    EXPECT_EQ(changed->properties().largest, table->properties().largest);
    EXPECT_EQ(changed->properties().prefix, "fixed:5");
    ask(*changed);
    EXPECT_TRUE(changed->verify().ok()) << changed->verify().error().to_string();
  }
  // In place, and to none; whoever has it open goes on.
  const std::shared_ptr<Table> open = *Table::open(other);
  TableOptions none;
  none.filter = std::nullopt;
  ASSERT_TRUE(refilter(*open, other, none).ok());
  ask(*open);
  const std::shared_ptr<Table> bare = *Table::open(other);
  EXPECT_EQ(bare->properties().filter, std::nullopt);
  ask(*bare);
  EXPECT_TRUE(bare->verify().ok());
  // And back: byte for byte what the builder made.
  ASSERT_TRUE(refilter(*bare, other, {}).ok());
  EXPECT_TRUE(read_text(other) == old);
  options.filter_partition_bytes = 7;
  EXPECT_EQ(refilter(*bare, other, options).error().field, "filter_partition_bytes");
}

TEST_F(TableFilters, of_an_empty_table_can_be_exchanged_too) {
  build({}, 0);
  const std::string old = read_text(path_);
  ASSERT_TRUE(refilter(**Table::open(path_), path_, {}).ok());
  EXPECT_TRUE(read_text(path_) == old);
}

// What is damaged is repaired from the entries; damaged entries are an error and change nothing.
TEST_F(TableFilters, that_are_damaged_are_done_without_and_repaired) {
  for (const std::uint64_t partition : {0u, 2048u}) {
    TableOptions options;
    options.filter_partition_bytes = partition;
    build(options);
    const std::string good = read_text(path_);
    std::string bad = good;
    const std::size_t at = bad.find("BLM") + 300;
    for (std::size_t i = at; i < at + 400; ++i) bad[i] = 0;  // keys vanish from it
    testing::write_text(path_, bad);
    for (const TableReadOptions& way : ways_to_read()) {
      const std::shared_ptr<Table> table = *Table::open(path_, way);
      ask(*table);
      EXPECT_GT(table->stats().filter_unusable, 0u);
      EXPECT_EQ(table->verify().error().field, "filter");
    }
    ASSERT_TRUE(refilter(**Table::open(path_), path_, options).ok());
    EXPECT_TRUE(read_text(path_) == good);
    bad = good;
    bad[1000] = static_cast<char>(bad[1000] ^ 1);
    testing::write_text(path_, bad);
    EXPECT_EQ(refilter(**Table::open(path_), path_, options).error().field, "checksum");
    EXPECT_TRUE(read_text(path_) == bad);
  }
}

// Properties that tell of a filter where the file has none.
TEST_F(TableFilters, that_are_not_there_are_none_whatever_the_properties_say) {
  TableProperties properties;
  properties.keys = properties.entries = properties.filter_partitions = 1;
  properties.filter = Kind::block;
  const std::string block = *table::encode_block(table::encode_properties(properties, {}), Compression::none, 0);
  table::Footer footer;
  footer.properties = {0, block.size() - table::kTrailerBytes};
  footer.file_bytes = block.size() + table::kFooterBytes;
  const auto end = table::encode_footer(footer);
  testing::write_text(path_, block + std::string(end.begin(), end.end()));
  for (const TableReadOptions& way : ways_to_read()) {
    const std::shared_ptr<Table> table = *Table::open(path_, way);
    EXPECT_FALSE(table->properties().filter.has_value());
    EXPECT_TRUE(table->may_contain("a"));
    EXPECT_FALSE(table->verify().ok());
  }
}

TEST_F(TableFilters, of_very_large_parts_are_one) {
  for (const std::uint64_t bytes : {std::uint64_t{1} << 58, ~std::uint64_t{0}}) {
    TableOptions options;
    options.filter_partition_bytes = bytes;
    build(options);
    EXPECT_EQ((*Table::open(path_))->properties().filter_partitions, 1u);
  }
}

// A sound envelope of the same length in its place, empty, of a kind whose "no" is no promise.
TEST_F(TableFilters, of_a_kind_that_forgets_are_done_without) {
  TableOptions options;
  options.filter = Kind::block;
  build(options);
  std::string file = read_text(path_);
  const std::size_t at = file.find("BLM") - 1;
  std::uint64_t length = 0;
  std::memcpy(&length, file.data() + at + 40, sizeof length);
  const StableFilter stable = *StableFilter::with_geometry({length / 64 - 1, 5, 27});
  const std::vector<std::uint8_t> envelope = *encode(stable.view(), Format::envelope, 20'000);
  ASSERT_EQ(envelope.size(), 128 + length);
  file.replace(at, envelope.size(), reinterpret_cast<const char*>(envelope.data()), envelope.size());
  testing::write_text(path_, file);
  for (const TableReadOptions& way : ways_to_read()) {
    const std::shared_ptr<Table> table = *Table::open(path_, way);
    ask(*table);
    EXPECT_GT(table->stats().filter_unusable, 0u);
  }
  for (const Kind kind : {Kind::stable, Kind::cuckoo, Kind::scalable}) {
    options.filter = kind;
    EXPECT_EQ(TableBuilder::create(path_, options).error().code, ErrorCode::unsupported) << to_string(kind);
  }
}

TEST_F(TableFilters, a_part_found_damaged_again_and_again_is_logged_a_few_times) {
  TableOptions options;
  options.filter_partition_bytes = 2048;
  build(options);
  std::string bytes = read_text(path_);
  bytes[bytes.find("BLM") + 300] ^= 1;
  testing::write_text(path_, bytes);
  static int properties = 0;
  properties = 0;
  set_log_hook([](LogLevel, std::string_view, void*) { ++properties; }, nullptr);
  TableReadOptions read;
  read.map = false;
  const std::shared_ptr<Table> table = *Table::open(path_, read);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(table->may_contain(filter_key(1)));
  set_log_hook(nullptr, nullptr);
  EXPECT_EQ(table->stats().filter_unusable, 1000u);
  EXPECT_EQ(properties, 16);
}

TEST_F(TableFilters, say_what_they_did_to_prometheus) {
  build({});
  TableReadOptions read;
  read.cache = std::make_shared<BlockCache>(4 << 20);
  const std::shared_ptr<Table> table = *Table::open(path_, read);
  ask(*table);
  const std::string page = *prometheus(std::vector{table->figures("users"), read.cache->figures("blocks")});
  EXPECT_NE(page.find("bloomery_table_gets_total{filter=\"users\"} 80000"), std::string::npos) << page;
  EXPECT_NE(page.find("bloomery_table_fpr_alarm{filter=\"users\"} 0"), std::string::npos);
  EXPECT_NE(page.find("bloomery_block_cache_capacity_bytes{filter=\"blocks\"} 4194304"), std::string::npos);
  EXPECT_NE(table->figures("users").json()->find("\"table_keys\""), std::string::npos);
}

}  // namespace
}  // namespace bloomery
