// Tables of another writer, whose entries share less with the one before than they could: every way of reading finds
// what is there, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "bloomery/detail/fnv.h"
#include "bloomery/table/compact.h"
#include "support/scratch.h"
#include "support/sparing_block.h"
#include "table/writer.h"

namespace bloomery::table {
namespace {

using testing::OwnedEntry;
using testing::ShareOf;

constexpr ShareOf kSharings[] = {
    [](std::size_t, std::size_t) -> std::size_t { return 0; },
    [](std::size_t in_common, std::size_t) { return in_common == 0 ? 0 : in_common - 1; },
    [](std::size_t in_common, std::size_t) { return in_common / 2; },
    [](std::size_t in_common, std::size_t number) { return detail::splitmix64(number) % (in_common + 1); },
    [](std::size_t in_common, std::size_t) { return in_common; },
};

// Of all lengths, with a, b and \xff; many begin with others.
std::string sparing_key(std::uint64_t random) {
  std::string key = random % 3 == 0 ? "users/" : "";
  for (random = detail::splitmix64(random); random % 8 != 0; random /= 8) key += "aaabb\xff\xff"[random % 7];
  return key;
}

// Every fifth key has three versions, the last of them a deletion.
std::vector<OwnedEntry> sparing_entries(std::size_t keys) {
  std::set<std::string> names = {""};
  for (std::uint64_t i = 0; names.size() < keys; ++i) names.insert(sparing_key(i));
  std::vector<OwnedEntry> entries;
  for (const std::string& name : names) {
    const std::size_t number = entries.size();
    if (number % 5 == 0) entries.push_back({name, "newest", 9, false});
    entries.push_back({name, "value " + std::to_string(number), 5, false});
    if (number % 5 == 0) entries.push_back({name, "", 1, true});
  }
  return entries;
}

// Those that are there, and others beside them.
std::vector<std::string> questions(const std::vector<OwnedEntry>& entries) {
  std::set<std::string> keys;
  for (const OwnedEntry& entry : entries) {
    keys.insert(entry.key);
    keys.insert(entry.key + "a");
    keys.insert(entry.key + "\xff");
    if (!entry.key.empty()) keys.insert(entry.key.substr(0, entry.key.size() - 1));
    keys.insert(entry.key + '\0');
  }
  return {keys.begin(), keys.end()};
}

// The first entry whose key is not less.
auto lower_bound(const std::vector<OwnedEntry>& entries, const std::string& key) {
  return std::find_if(entries.begin(), entries.end(), [&](const OwnedEntry& entry) { return entry.key >= key; });
}

TEST(SparingBlock, finds_what_is_there_and_nothing_else) {
  const std::vector<OwnedEntry> entries = sparing_entries(150);
  for (const ShareOf& share_of : kSharings) {
    for (const std::size_t per_restart : {1u, 3u, 16u, 1000u}) {
      SCOPED_TRACE("sharing " + std::to_string(&share_of - kSharings) + ", restarts " + std::to_string(per_restart));
      const std::string contents = testing::sparing_block(entries, per_restart, share_of);
      EXPECT_TRUE(holds_together(contents));
      BlockCursor cursor(contents);
      for (const std::string& key : questions(entries)) {
        const auto expected = lower_bound(entries, key);
        cursor.seek(key);
        ASSERT_EQ(cursor.valid(), expected != entries.end());
        if (cursor.valid()) {
          EXPECT_EQ(cursor.key(), expected->key);
          EXPECT_EQ(cursor.value(), expected->value);
        }
        const Searched found = find_newest(contents, key);
        ASSERT_FALSE(found.damaged);
        ASSERT_EQ(found.found, expected != entries.end() && expected->key == key) << key;
        if (found.found) {
          EXPECT_EQ(found.value, expected->value) << key;
        }
      }
      ASSERT_FALSE(cursor.damaged());
    }
  }
}

// A table with blocks of so many entries, by the writer that shares so.
class SparingTable : public ::testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  static constexpr std::size_t kEntriesOfBlock = 40, kBlocksOfIndex = 3;

  SparingTable() : entries_(sparing_entries(400)), path_(scratch_ / "table") {
    TableWriter file = *TableWriter::create(path_);
    TableOptions options;
    options.prefix = PrefixExtractor::fixed(3);
    FilterBuilder filters(options);
    TableProperties properties;
    BlockBuilder index(1), top(1);
    const auto list = [&](std::string_view contents, const std::string& last, BlockBuilder& above) {
      above.add(last, encode_handle(*file.write_block(contents, Compression::none)), 0);
    };
    const auto end_index = [&] {
      list(index.finish(), std::string(index.last_key()), top);
      index.reset();
    };
    for (std::size_t first = 0; first < entries_.size(); first += kEntriesOfBlock) {
      const auto some = std::span(entries_).subspan(first, std::min(kEntriesOfBlock, entries_.size() - first));
      list(testing::sparing_block(some, 16, kSharings[std::get<0>(GetParam())]), some.back().key, index);
      if (++properties.blocks % kBlocksOfIndex == 0) end_index();
    }
    if (!index.empty()) end_index();
    for (const OwnedEntry& entry : entries_) tell(entry, properties, filters);
    properties.smallest = entries_.front().key, properties.largest = entries_.back().key;
    EXPECT_TRUE(file.finish(*file.write_block(top.finish(), Compression::none), filters, properties).ok());
    TableReadOptions read;
    read.map = std::get<1>(GetParam());
    table_ = *Table::open(path_, read);
  }

  void tell(const OwnedEntry& entry, TableProperties& properties, FilterBuilder& filters) {
    if (properties.entries++ == 0 || entry.key != last_) {
      EXPECT_TRUE(filters.add(entry.key).ok());
      ++properties.keys;
    }
    last_ = entry.key;
    properties.deleted += entry.deleted ? 1 : 0;
    properties.key_bytes += entry.key.size(), properties.value_bytes += entry.value.size();
    properties.min_sequence = 1, properties.max_sequence = 9;
  }
  bool is(const Entry& entry, const OwnedEntry& expected) const {
    return OwnedEntry{std::string(entry.key), std::string(entry.value), entry.sequence, entry.deleted} == expected;
  }
  void expect_right(const Result<Lookup>& got, const std::string& key) const {
    ASSERT_TRUE(got.ok()) << got.error().to_string();
    const auto expected = lower_bound(entries_, key);
    ASSERT_EQ(got->found(), expected != entries_.end() && expected->key == key) << key;
    if (got->found()) {
      EXPECT_EQ(got->value, expected->value) << key;
    }
  }

  testing::Scratch scratch_;
  std::vector<OwnedEntry> entries_;
  std::string path_, last_;
  std::shared_ptr<Table> table_;
};

TEST_P(SparingTable, is_sound) {
  const Status status = table_->verify();
  EXPECT_TRUE(status.ok()) << status.error().to_string();
}

TEST_P(SparingTable, answers_every_get) {
  const std::vector<std::string> names = questions(entries_);
  for (const std::string& key : names) expect_right(table_->get(key), key);
  const std::vector<std::string_view> keys(names.begin(), names.end());
  const std::vector<Result<Lookup>> together = *table_->multi_get(keys);
  for (std::size_t i = 0; i < keys.size(); ++i) expect_right(together[i], names[i]);
}

TEST_P(SparingTable, is_walked_over_in_both_directions_and_by_prefix) {
  TableIterator at = table_->iterate();
  std::size_t number = 0;
  for (at.first(); at.valid(); at.next()) ASSERT_TRUE(is(at.entry(), entries_[number++]));
  EXPECT_EQ(number, entries_.size());
  for (at.last(); at.valid(); at.previous()) ASSERT_TRUE(is(at.entry(), entries_[--number]));
  EXPECT_EQ(number, 0u);
  for (const std::string& key : questions(entries_)) {
    const auto expected = lower_bound(entries_, key);
    at.seek(key);
    ASSERT_EQ(at.valid(), expected != entries_.end());
    if (at.valid()) {
      ASSERT_TRUE(is(at.entry(), *expected)) << key;
    }
    at.seek_prefix(key);
    ASSERT_EQ(at.valid(), expected != entries_.end() && expected->key.starts_with(key)) << key;
  }
  EXPECT_TRUE(at.status().ok());
}

TEST_P(SparingTable, is_compacted_and_gets_another_filter) {
  TableOptions options;
  options.filter = Kind::block;
  ASSERT_TRUE(refilter(*table_, scratch_ / "refiltered", options).ok());
  const auto name = [this](unsigned) { return scratch_ / "compacted"; };
  ASSERT_TRUE(compact(std::span(&table_, 1), name).ok());
  for (const char* made : {"refiltered", "compacted"}) {
    table_ = *Table::open(scratch_ / made);
    EXPECT_TRUE(table_->verify().ok());
    for (const std::string& key : questions(entries_)) expect_right(table_->get(key), key);
  }
}

INSTANTIATE_TEST_SUITE_P(Sharings, SparingTable,
                         ::testing::Combine(::testing::Range(0, static_cast<int>(std::size(kSharings))),
                                            ::testing::Bool()));

}  // namespace
}  // namespace bloomery::table
