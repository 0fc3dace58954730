// Tables: what goes in comes out, by every way of reading, and what is damaged is told.
#include "bloomery/table/table.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "bloomery/detail/fnv.h"
#include "support/scratch.h"
#include "table/block.h"
#include "table/format.h"

namespace bloomery {
namespace {

using Entries = std::map<std::string, std::string>;

std::string key_of(std::uint64_t i) { return "user" + std::to_string(detail::splitmix64(i) % 1'000'000'007); }

Entries some_entries(std::size_t count) {
  Entries entries;
  for (std::uint64_t i = 0; entries.size() < count; ++i)
    entries[key_of(i)] = std::string(i % 100, static_cast<char>('a' + i % 26));
  return entries;
}

Result<TableProperties> build(const std::string& path, const Entries& entries, const TableOptions& options = {}) {
  Result<TableBuilder> builder = TableBuilder::create(path, options);
  BLOOMERY_TRY(builder);
  std::uint64_t sequence = 1;
  for (const auto& [key, value] : entries) BLOOMERY_TRY(builder->add({key, value, sequence++, false}));
  return builder->finish();
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::vector<TableReadOptions> ways_to_read() {
  std::vector<TableReadOptions> ways(4);
  ways[1].map = false;
  ways[2].cache = std::make_shared<BlockCache>(1 << 20);
  ways[3].cache = std::make_shared<BlockCache>(20'000);  // much smaller than the tables
  ways[3].map = false;
  return ways;
}

class Tables : public ::testing::Test {
 protected:
  testing::Scratch scratch_;
  std::string path_ = scratch_ / "t.blt";
};

TEST_F(Tables, gives_back_every_entry_by_every_way_of_reading) {
  const Entries entries = some_entries(5000);
  for (const Compression compression : {Compression::none, Compression::lz4, Compression::zstd}) {
    for (const std::optional<Kind> kind : {std::optional<Kind>(), std::optional(Kind::classic),
                                           std::optional(Kind::split), std::optional(Kind::block)}) {
      TableOptions options;
      options.compression = compression;
      options.filter = kind;
      const Result<TableProperties> built = build(path_, entries, options);
      ASSERT_TRUE(built.ok()) << built.error().to_string();
      EXPECT_EQ(built->keys, entries.size());
      for (const TableReadOptions& way : ways_to_read()) {
        auto opened = Table::open(path_, way);
        ASSERT_TRUE(opened.ok()) << opened.error().to_string();
        const Table& table = **opened;
        EXPECT_EQ(table.properties().filter, kind);
        EXPECT_EQ(table.properties().entries, entries.size());
        EXPECT_EQ(table.properties().smallest, entries.begin()->first);
        EXPECT_EQ(table.properties().largest, entries.rbegin()->first);
        for (const auto& [key, value] : entries) {
          const Result<Lookup> got = table.get(key);
          ASSERT_TRUE(got.ok()) << got.error().to_string();
          ASSERT_TRUE(got->found()) << key;
          ASSERT_EQ(got->value, value);
        }
        for (std::uint64_t i = 0; i < 1000; ++i)
          EXPECT_EQ(table.get("absent" + std::to_string(i))->state, Found::absent);
        EXPECT_TRUE(table.verify().ok()) << table.verify().error().to_string();
      }
    }
  }
}

TEST_F(Tables, many_keys_at_once_get_what_each_would_alone) {
  const Entries entries = some_entries(3000);
  ASSERT_TRUE(build(path_, entries).ok());
  for (const TableReadOptions& way : ways_to_read()) {
    auto table = *Table::open(path_, way);
    std::vector<std::string> names;
    for (std::uint64_t i = 0; i < 2000; ++i) names.push_back(i % 2 == 0 ? key_of(i) : "absent" + std::to_string(i));
    const std::vector<std::string_view> keys(names.begin(), names.end());
    const auto results = *table->multi_get(keys);
    ASSERT_EQ(results.size(), keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_TRUE(results[i].ok());
      const Lookup alone = *table->get(keys[i]);
      EXPECT_EQ(results[i]->state, alone.state);
      EXPECT_EQ(results[i]->value, alone.value);
    }
    EXPECT_TRUE(table->multi_get({})->empty());
  }
}

TEST_F(Tables, iterators_walk_forward_and_back_and_seek) {
  const Entries entries = some_entries(2000);
  ASSERT_TRUE(build(path_, entries).ok());
  for (const TableReadOptions& way : ways_to_read()) {
    TableIterator at = (*Table::open(path_, way))->iterate();  // it keeps the table
    EXPECT_FALSE(at.valid());
    at.first();
    for (const auto& [key, value] : entries) {
      ASSERT_TRUE(at.valid());
      EXPECT_EQ(at.entry().key, key);
      EXPECT_EQ(at.entry().value, value);
      at.next();
    }
    EXPECT_FALSE(at.valid());
    at.last();
    for (auto expected = entries.rbegin(); expected != entries.rend(); ++expected, at.previous()) {
      ASSERT_TRUE(at.valid());
      EXPECT_EQ(at.entry().key, expected->first);
    }
    EXPECT_FALSE(at.valid());
    for (std::uint64_t i = 0; i < 3000; ++i) {
      const std::string key = "user" + std::to_string(detail::splitmix64(i));
      const auto expected = entries.lower_bound(key);
      at.seek(key);
      ASSERT_EQ(at.valid(), expected != entries.end()) << key;
      if (!at.valid()) continue;
      EXPECT_EQ(at.entry().key, expected->first);
      if (expected == entries.begin()) continue;
      at.previous();
      ASSERT_TRUE(at.valid());
      EXPECT_EQ(at.entry().key, std::prev(expected)->first);
    }
    EXPECT_TRUE(at.status().ok());
  }
}

// The bytes of an entry go when the iterator moves.
TEST_F(Tables, iterators_seek_the_key_that_they_stand_on) {
  TableOptions options;
  options.prefix = PrefixExtractor::fixed(6);
  const Entries entries = some_entries(2000);
  ASSERT_TRUE(build(path_, entries, options).ok());
  for (const TableReadOptions& way : ways_to_read()) {
    TableIterator at = (*Table::open(path_, way))->iterate();
    for (const auto& [key, value] : entries) {
      at.seek(key);
      at.seek(at.entry().key);
      ASSERT_TRUE(at.valid() && at.entry().key == key) << key;
      at.seek_prefix(at.entry().key.substr(0, 6));
      ASSERT_TRUE(at.valid()) << key;
      ASSERT_EQ(at.entry().key, entries.lower_bound(key.substr(0, 6))->first);
    }
  }
}

TEST_F(Tables, the_newest_of_several_versions_answers_and_all_are_visited) {
  TableOptions options;
  options.block_bytes = 64;  // versions of a key lie in several blocks
  auto builder = *TableBuilder::create(path_, options);
  ASSERT_TRUE(builder.add({"a", "old", 1, false}).ok());
  for (std::uint64_t version = 100; version > 0; --version)
    ASSERT_TRUE(builder.add({"b", "value " + std::to_string(version), version, false}).ok());
  ASSERT_TRUE(builder.add({"c", "", 9, true}).ok());
  ASSERT_TRUE(builder.add({"c", "before", 8, false}).ok());
  const TableProperties properties = *builder.finish();
  EXPECT_EQ(properties.keys, 3u);
  EXPECT_EQ(properties.entries, 103u);
  EXPECT_EQ(properties.deleted, 1u);
  EXPECT_EQ(properties.max_sequence, 100u);
  auto table = *Table::open(path_);
  EXPECT_EQ(table->get("b")->value, "value 100");
  EXPECT_EQ(table->get("b")->sequence, 100u);
  EXPECT_EQ(table->get("c")->state, Found::deleted);
  EXPECT_TRUE(table->may_contain("c"));  // a tombstone that the filter denied would let an older value come back
  std::size_t visited = 0;
  TableIterator at = table->iterate();
  for (at.seek("b"); at.valid() && at.entry().key == "b"; at.next()) EXPECT_EQ(at.entry().sequence, 100 - visited++);
  EXPECT_EQ(visited, 100u);
  EXPECT_TRUE(table->verify().ok());
}

TEST_F(Tables, takes_any_bytes_empty_ones_too) {
  Entries entries = {
      {"", ""}, {std::string(1, '\0'), "zero"}, {"\xff\xff", "high"}, {"big", std::string(300'000, 'x')}};
  entries[std::string(100'000, 'k')] = "long key";
  ASSERT_TRUE(build(path_, entries).ok());
  auto table = *Table::open(path_);
  for (const auto& [key, value] : entries) EXPECT_EQ(table->get(key)->value, value);
  EXPECT_TRUE(table->verify().ok());
}

TEST_F(Tables, without_entries_is_a_table_too) {
  ASSERT_TRUE(build(path_, {}).ok());
  for (const TableReadOptions& way : ways_to_read()) {
    auto table = *Table::open(path_, way);
    EXPECT_EQ(table->get("x")->state, Found::absent);
    TableIterator at = table->iterate();
    at.first();
    EXPECT_FALSE(at.valid());
    at.seek("x");
    EXPECT_FALSE(at.valid());
    EXPECT_TRUE(table->verify().ok());
  }
}

TEST_F(Tables, what_cannot_be_is_refused_and_nothing_appears) {
  auto builder = *TableBuilder::create(path_, {});
  ASSERT_TRUE(builder.add({"b", "", 5, false}).ok());
  EXPECT_EQ(builder.add({"a", "", 5, false}).error().field, "order");
  EXPECT_EQ(builder.add({"b", "", 5, false}).error().field, "order");
  EXPECT_EQ(builder.add({"b", "", 6, false}).error().field, "order");
  EXPECT_EQ(builder.add({"c", "x", 5, true}).error().field, "value");
  EXPECT_EQ(builder.add({"c", "", std::uint64_t{1} << 63, false}).error().field, "sequence");
  EXPECT_EQ(builder.finish().error().field, "finish");  // entries are missing
  { const TableBuilder dropped = std::move(builder); }
  EXPECT_FALSE(Table::open(path_).ok());
  TableOptions options;
  options.block_bytes = 1;
  EXPECT_EQ(TableBuilder::create(path_, options).error().field, "block_bytes");
  options = {};
  options.restart_interval = 0;
  EXPECT_EQ(TableBuilder::create(path_, options).error().field, "restart_interval");
  options = {};
  options.filter_size = {};
  options.filter_size.fpr = 2;
  EXPECT_FALSE(TableBuilder::create(path_, options).ok());
  options = {};
  options.compression = static_cast<Compression>(9);
  const Result<TableBuilder> unknown = TableBuilder::create(path_, options);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().field, "compression");
  EXPECT_FALSE(TableBuilder::create(scratch_ / "no/such/folder/t.blt", {}).ok());
  EXPECT_FALSE(compression_from_name("gzip").ok());
}

TEST_F(Tables, is_finished_once) {
  auto builder = *TableBuilder::create(path_, {});
  ASSERT_TRUE(builder.finish().ok());
  EXPECT_EQ(builder.finish().error().field, "finish");
  EXPECT_EQ(builder.add({"late", "value"}).error().field, "add");
  EXPECT_EQ(builder.finish_unnamed().error().field, "finish_unnamed");
  EXPECT_TRUE(Table::open(path_).ok());
}

TEST_F(Tables, finished_without_a_name_or_moved_away_take_nothing_more) {
  auto unnamed = *TableBuilder::create(path_, {});
  ASSERT_TRUE(unnamed.add({"a", "value"}).ok());
  const auto table = *unnamed.finish_unnamed();
  auto refused = *TableBuilder::create(path_, {});
  EXPECT_FALSE(refused.add({"a", "value", std::uint64_t{1} << 63, false}).ok());
  EXPECT_EQ(refused.finish_unnamed().error().field, "finish_unnamed");
  auto moved = *TableBuilder::create(path_, {});
  const TableBuilder taken = std::move(moved);
  for (TableBuilder* builder : {&unnamed, &moved}) {
    EXPECT_EQ(builder->add({"b", "value"}).error().field, "add");
    EXPECT_EQ(builder->finish().error().message, "the table is finished: build another one");
    EXPECT_EQ(builder->finish_unnamed().error().field, "finish_unnamed");
    EXPECT_EQ(builder->entries(), 0u);
    EXPECT_EQ(builder->file_bytes(), 0u);
  }
  EXPECT_EQ(table->get("a")->value, "value");
}

TEST_F(Tables, created_as_new_replace_nothing) {
  testing::write_text(path_, "precious");
  EXPECT_EQ(TableBuilder::create_new(path_, {}).error().field, "name");
  std::filesystem::remove(path_);
  auto late = *TableBuilder::create_new(path_, {});
  testing::write_text(path_, "precious");
  EXPECT_EQ(late.finish().error().field, "name");
  EXPECT_EQ(bytes_of(path_), "precious");
  EXPECT_TRUE(TableBuilder::create_new(scratch_ / "u.blt", {})->finish().ok());
  EXPECT_TRUE(Table::open(scratch_ / "u.blt").ok());
}

TEST_F(Tables, go_on_answering_when_the_file_is_replaced_by_rename) {
  for (const TableReadOptions& way : ways_to_read()) {
    ASSERT_TRUE(build(path_, some_entries(5000)).ok());
    auto table = *Table::open(path_, way);
    ASSERT_TRUE(build(path_, {{"the only key", "x"}}).ok());  // much shorter
    for (const auto& [key, value] : some_entries(5000)) ASSERT_EQ(table->get(key)->value, value);
    EXPECT_TRUE(table->verify().ok());
    EXPECT_EQ((*Table::open(path_, way))->get("the only key")->value, "x");
  }
}

TEST_F(Tables, counts_what_the_filter_did) {
  const Entries entries = some_entries(20'000);
  ASSERT_TRUE(build(path_, entries).ok());
  auto table = *Table::open(path_);
  for (const auto& [key, value] : entries) ASSERT_TRUE(table->get(key)->found());
  for (std::uint64_t i = 0; i < 50'000; ++i) ASSERT_FALSE(table->get("absent" + std::to_string(i))->found());
  const TableStats stats = table->stats();
  EXPECT_EQ(stats.asked, 70'000u);
  EXPECT_EQ(stats.filter_right, entries.size());
  EXPECT_EQ(stats.filter_no + stats.filter_wrong, 50'000u);
  EXPECT_NEAR(stats.designed_fpr, 0.0077, 0.0005);  // block at 10.5 bits a key
  EXPECT_NEAR(stats.measured_fpr, stats.designed_fpr, 0.003);
  EXPECT_FALSE(stats.alarm);
  // A filter that is far too small rings.
  TableOptions options;
  options.filter_size = {};
  options.filter_size.bits_per_key = 4;
  ASSERT_TRUE(build(path_, entries, options).ok());
  TableReadOptions read;
  read.alarm_times = 0.5;
  table = *Table::open(path_, read);
  for (std::uint64_t i = 0; i < 50'000; ++i) ASSERT_FALSE(table->get("absent" + std::to_string(i))->found());
  EXPECT_TRUE(table->stats().alarm);
}

// Whatever was cached before, and whatever the reader leaves out: all but what fills the gap before the filter.
TEST_F(Tables, verify_notices_every_flipped_bit) {
  const Entries entries = some_entries(220);
  TableOptions options;
  options.block_bytes = 512;
  ASSERT_TRUE(build(path_, entries, options).ok());
  const std::string good = bytes_of(path_);
  const std::size_t filter = good.find(
      "\x89"
      "BLM");
  ASSERT_NE(filter, std::string::npos);
  std::vector<TableReadOptions> ways = ways_to_read();
  for (TableReadOptions& way : ways) way.verify = way.use_filter = false;
  for (const TableReadOptions& way : ways) {
    write_bytes(path_, good);
    auto table = *Table::open(path_, way);
    for (const auto& [key, value] : entries) ASSERT_TRUE(table->get(key)->found());
    ASSERT_TRUE(table->verify().ok());
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    const auto put = [&](std::size_t at, char byte) { file.seekp(static_cast<std::streamoff>(at)).put(byte).flush(); };
    for (std::size_t at = 0; at < good.size(); at += 7) {
      if (at < filter && at + 128 > filter && good[at] == 0) continue;
      put(at, static_cast<char>(good[at] ^ 1 << at % 8));
      EXPECT_FALSE(table->verify().ok()) << "byte " << at;
      put(at, good[at]);
    }
    EXPECT_TRUE(table->verify().ok());
  }
}

// Checksums that match around an index that does not: what it promises and its blocks lack is told.
TEST_F(Tables, an_index_that_promises_too_much_is_an_error) {
  std::string bytes;
  const auto put = [&](std::initializer_list<std::pair<std::string_view, std::string_view>> entries) {
    table::BlockBuilder block(1);
    for (const auto& [key, value] : entries) block.add(key, value, 0);
    const std::string_view contents = block.finish();
    const table::Handle handle{bytes.size(), contents.size()};
    bytes += *table::encode_block(contents, Compression::none, handle.offset);
    return handle;
  };
  table::Footer footer;
  const std::string data = table::encode_handle(put({{"a", "1"}, {"b", "2"}}));
  const std::string index = table::encode_handle(put({{"d", data}}));
  footer.index = put({{"f", index}});
  footer.properties = put({{"entries", "2"}, {"keys", "2"}});
  footer.file_bytes = bytes.size() + table::kFooterBytes;
  const auto end = table::encode_footer(footer);
  bytes.append(end.begin(), end.end());
  write_bytes(path_, bytes);
  for (const TableReadOptions& way : ways_to_read()) {
    auto table = *Table::open(path_, way);
    EXPECT_EQ(table->get("b")->value, "2");
    EXPECT_EQ(table->get("e").error().field, "index");  // the top says that there is a block for it
    EXPECT_EQ(table->get("g")->state, Found::absent);
    TableIterator at = table->iterate();
    at.seek("b");
    EXPECT_TRUE(at.valid());
    at.seek("c");  // between the last key of the block and the one that the index has for it, as separators may be
    EXPECT_FALSE(at.valid());
    EXPECT_TRUE(at.status().ok());
    at.seek("e");
    EXPECT_FALSE(at.valid());
    EXPECT_EQ(at.status().error().field, "index");
    at.seek("g");
    EXPECT_FALSE(at.valid());
    EXPECT_TRUE(at.status().ok());
    EXPECT_FALSE(table->verify().ok());
  }
}

TEST_F(Tables, a_damaged_filter_is_done_without) {
  const Entries entries = some_entries(1000);
  const TableProperties built = *build(path_, entries);
  std::string bytes = bytes_of(path_);
  const std::size_t at = bytes.find("BLM");  // the magic of the envelope
  ASSERT_NE(at, std::string::npos);
  for (std::size_t i = at + 200; i < at + 600; ++i) bytes[i] = 0;  // keys vanish from it
  write_bytes(path_, bytes);
  auto table = *Table::open(path_);
  EXPECT_EQ(table->stats().filter_unusable, 1u);
  EXPECT_EQ(table->properties().filter, std::nullopt);
  for (const auto& [key, value] : entries) EXPECT_TRUE(table->get(key)->found());
  EXPECT_EQ(table->verify().error().field, "filter");
}

TEST_F(Tables, an_estimate_cannot_hurt_because_there_is_none) {
  // The filter is sized when the number of keys is known.
  for (const std::size_t count : {10u, 1000u, 50'000u}) {
    const TableProperties built = *build(path_, some_entries(count));
    EXPECT_NEAR(static_cast<double>(built.filter_bytes) * 8 / static_cast<double>(count), 10.5, count < 1000 ? 400 : 3);
  }
}

}  // namespace
}  // namespace bloomery
