// Tables against a map: random entries in, by random options, and every way of asking gives what the map gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "bloomery/table/table.h"
#include "support/scratch.h"
#include "support/table_dice.h"

namespace bloomery {
namespace {

using testing::Dice;
using testing::Model;
using testing::some_options;
using testing::some_way_to_read;

Model some_entries(Dice& dice) {
  Model model;
  const std::size_t keys = dice.of<std::size_t>({0, 1, 2, 20, 200, 1000});
  for (std::size_t i = 0; i < keys; ++i) {
    const std::string key = dice.key();
    const std::size_t versions = dice.one_in(5) ? dice.between(2, 30) : 1;
    for (std::size_t j = 0; j < versions; ++j) {
      // Of all sizes, up to the largest there is.
      const std::uint64_t sequence = dice.below(std::size_t{1} << 63) >> dice.below(63);
      const bool deleted = dice.one_in(4);
      model[{key, sequence}] = {deleted ? std::string() : dice.value(), deleted};
    }
  }
  return model;
}

std::string properties(const TableOptions& options, const TableReadOptions& read) {
  return "blocks of " + std::to_string(options.block_bytes) + ", restart every " +
         std::to_string(options.restart_interval) + ", compression " + to_string(options.compression) + ", filter " +
         (options.filter ? to_string(*options.filter) : "none") +
         (options.filter_partition_bytes != 0 ? " in parts" : "") +
         (options.prefix ? ", prefixes " + options.prefix->name : "") + (read.map ? ", mapped" : ", read") +
         (read.cache ? ", cache" : "");
}

class TableModel : public ::testing::Test {
 protected:
  void build(const TableOptions& options) {
    Result<TableBuilder> builder = TableBuilder::create(path_, options);
    ASSERT_TRUE(builder.ok()) << builder.error().to_string();
    for (const auto& [version, content] : model_) {
      const Status added = builder->add({version.key, content.value, version.sequence, content.deleted});
      ASSERT_TRUE(added.ok()) << added.error().to_string();
    }
    const Result<TableProperties> properties = builder->finish();
    ASSERT_TRUE(properties.ok()) << properties.error().to_string();
    compare(*properties);
  }

  void compare(const TableProperties& properties) const {
    TableProperties expected;
    const std::string* last = nullptr;
    for (const auto& [version, content] : model_) {
      if (last == nullptr) expected.min_sequence = version.sequence;
      if (last == nullptr || *last != version.key) ++expected.keys;
      last = &version.key;
      ++expected.entries;
      expected.deleted += content.deleted ? 1 : 0;
      expected.key_bytes += version.key.size();
      expected.value_bytes += content.value.size();
      expected.min_sequence = std::min(expected.min_sequence, version.sequence);
      expected.max_sequence = std::max(expected.max_sequence, version.sequence);
    }
    EXPECT_EQ(properties.entries, expected.entries);
    EXPECT_EQ(properties.keys, expected.keys);
    EXPECT_EQ(properties.deleted, expected.deleted);
    EXPECT_EQ(properties.key_bytes, expected.key_bytes);
    EXPECT_EQ(properties.value_bytes, expected.value_bytes);
    EXPECT_EQ(properties.min_sequence, expected.min_sequence);
    EXPECT_EQ(properties.max_sequence, expected.max_sequence);
    if (model_.empty()) return;
    EXPECT_EQ(properties.smallest, model_.begin()->first.key);
    EXPECT_EQ(properties.largest, model_.rbegin()->first.key);
  }

  // Half of the time one that is there, sometimes changed a little.
  std::string asked_key() {
    if (model_.empty() || dice_.one_in(2)) return dice_.key();
    auto at = lower_bound(model_, dice_.key());
    if (at == model_.end()) at = model_.begin();
    std::string key = at->first.key;
    if (dice_.one_in(8)) key.push_back(dice_.one_in(2) ? '\0' : 'a');
    if (dice_.one_in(8) && !key.empty()) key.pop_back();
    if (dice_.one_in(8) && !key.empty()) key.back() = static_cast<char>(key.back() + 1);
    return key;
  }

  void compare(const std::string& key, const Result<Lookup>& got) const {
    ASSERT_TRUE(got.ok()) << got.error().to_string();
    const auto expected = lower_bound(model_, key);
    if (expected == model_.end() || expected->first.key != key) {
      ASSERT_EQ(got->state, Found::absent) << ::testing::PrintToString(key);
      return;
    }
    ASSERT_EQ(got->state, expected->second.deleted ? Found::deleted : Found::found) << ::testing::PrintToString(key);
    ASSERT_EQ(got->sequence, expected->first.sequence) << ::testing::PrintToString(key);
    ASSERT_EQ(got->value, expected->second.value) << ::testing::PrintToString(key);
  }

  void compare(const TableIterator& at, Model::const_iterator expected) const {
    ASSERT_TRUE(at.status().ok()) << at.status().error().to_string();
    ASSERT_EQ(at.valid(), expected != model_.end());
    if (!at.valid()) return;
    const Entry entry = at.entry();
    ASSERT_EQ(entry.key, expected->first.key);
    ASSERT_EQ(entry.sequence, expected->first.sequence);
    ASSERT_EQ(entry.deleted, expected->second.deleted);
    ASSERT_EQ(entry.value, expected->second.value);
  }

  void get_one(const Table& table) {
    const std::string key = asked_key();
    compare(key, table.get(key));
  }

  std::size_t get_many(const Table& table) {
    std::vector<std::string> names(dice_.below(40));
    for (std::string& name : names) name = asked_key();
    const std::vector<std::string_view> keys(names.begin(), names.end());
    const std::vector<Result<Lookup>> got = *table.multi_get(keys);
    EXPECT_EQ(got.size(), keys.size());
    for (std::size_t i = 0; i < got.size() && !HasFatalFailure(); ++i) compare(names[i], got[i]);
    return keys.size();
  }

  // Somewhere, then to and fro. Beyond either end there is no way back but another seek.
  std::size_t walk(TableIterator& at) {
    Model::const_iterator expected;
    const std::size_t start = dice_.below(10);
    if (start == 0) {
      at.first();
      expected = model_.begin();
    } else if (start == 1) {
      at.last();
      expected = model_.empty() ? model_.end() : std::prev(model_.end());
    } else {
      const std::string key = asked_key();
      at.seek(key);
      expected = lower_bound(model_, key);
    }
    compare(at, expected);
    const std::size_t steps = dice_.below(60), forward = dice_.below(5);  // of four
    for (std::size_t i = 0; i < steps && !HasFatalFailure(); ++i) {
      if (dice_.below(4) < forward) {
        at.next();
        if (expected != model_.end()) ++expected;
      } else {
        at.previous();
        if (expected != model_.end()) expected = expected == model_.begin() ? model_.end() : std::prev(expected);
      }
      compare(at, expected);
    }
    return 1 + steps;
  }

  testing::Scratch scratch_;
  const std::string path_ = scratch_ / "t.blt";
  Dice dice_{20261115};
  Model model_;
};

TEST_F(TableModel, answers_as_a_map_does_whatever_was_put_in_and_however_it_is_asked) {
  const std::size_t operations = std::getenv("BLOOMERY_SOAK") != nullptr ? 1'000'000 : 100'000;
  for (std::size_t done = 0, round = 0; done < operations; ++round) {
    model_ = some_entries(dice_);
    const TableOptions options = some_options(dice_);
    const TableReadOptions way = some_way_to_read(dice_);
    SCOPED_TRACE("table " + std::to_string(round) + ": " + properties(options, way));
    ASSERT_NO_FATAL_FAILURE(build(options));
    const Result<std::shared_ptr<Table>> opened = Table::open(path_, way);
    ASSERT_TRUE(opened.ok()) << opened.error().to_string();
    const Table& table = **opened;
    compare(table.properties());
    TableIterator at = table.iterate();
    for (const std::size_t enough = done + 1500; done < enough;) {
      switch (dice_.below(40)) {
        case 0: done += get_many(table); break;
        case 1: done += walk(at); break;
        default: get_one(table), ++done;
      }
      ASSERT_FALSE(HasFatalFailure());
    }
    const Status verified = table.verify();
    ASSERT_TRUE(verified.ok()) << verified.error().to_string();
    EXPECT_EQ(table.stats().damaged_blocks, 0u);
    EXPECT_EQ(table.stats().filter_unusable, 0u);
    ASSERT_FALSE(HasFailure());
  }
}

}  // namespace
}  // namespace bloomery
