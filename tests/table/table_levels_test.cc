// Many tables against a map, the newer above the older, that are brought together again and again, as in a storage
// engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "bloomery/table/compact.h"
#include "support/scratch.h"
#include "support/table_dice.h"

namespace bloomery {
namespace {

using testing::Content;
using testing::Dice;
using testing::Model;
using testing::some_options;
using testing::some_way_to_read;
using testing::Version;

// Tables of one age: one that was written, or those that a compaction made, which follow each other.
struct Level {
  Model model;
  std::vector<std::shared_ptr<Table>> tables;
};

class TableLevels : public ::testing::Test {
 protected:
  std::string path_of(std::size_t number) const {
    std::string name = "t";
    name += std::to_string(number);
    return scratch_ / name;
  }

  std::shared_ptr<Table> opened(const std::string& path) {
    Result<std::shared_ptr<Table>> table = Table::open(path, some_way_to_read(dice_));
    EXPECT_TRUE(table.ok()) << table.error().to_string();
    return table.ok() ? *table : nullptr;
  }

  // A new table above all others. Sequence numbers grow with time.
  void write() {
    Level level;
    for (std::size_t i = 0, count = dice_.of<std::size_t>({1, 10, 100, 500}); i < count; ++i) {
      const bool deleted = dice_.one_in(3);
      level.model[{dice_.key(), ++clock_}] = {deleted ? std::string() : dice_.value(), deleted};
    }
    const std::string path = path_of(paths_++);
    TableBuilder builder = *TableBuilder::create(path, some_options(dice_));
    for (const auto& [version, content] : level.model) {
      ASSERT_TRUE(builder.add({version.key, content.value, version.sequence, content.deleted}).ok());
      const auto [newest, added] = truth_.try_emplace(version.key, version.sequence, content);
      if (!added && newest->second.first < version.sequence) newest->second = {version.sequence, content};
    }
    ASSERT_TRUE(builder.finish().ok());
    level.tables.push_back(opened(path));
    levels_.insert(levels_.begin(), std::move(level));
    ++writes_;
  }

  // Some neighbours become one level; at the bottom, tombstones may go.
  void compact_some() {
    const std::size_t first = dice_.below(levels_.size()), count = dice_.between(1, levels_.size() - first);
    CompactOptions options;
    options.table = some_options(dice_);
    options.last_level = first + count == levels_.size() && dice_.one_in(2);
    options.split_bytes = dice_.of<std::uint64_t>({0, 500, 5000});
    Level merged;
    std::vector<std::shared_ptr<Table>> tables;
    for (std::size_t i = first; i < first + count; ++i) {
      for (const auto& [version, content] : levels_[i].model) {
        const auto known = lower_bound(merged.model, version.key);
        if (known == merged.model.end() || known->first.key != version.key) merged.model[version] = content;
      }
      tables.insert(tables.end(), levels_[i].tables.begin(), levels_[i].tables.end());
    }
    if (options.last_level) std::erase_if(merged.model, [](const auto& entry) { return entry.second.deleted; });
    const std::size_t offset = paths_;
    const Result<Compacted> done = compact(
        tables, [&](unsigned i) { return path_of(offset + i); }, options);
    ASSERT_TRUE(done.ok()) << done.error().to_string();
    ASSERT_EQ(done->entries.written, merged.model.size());
    paths_ += done->paths.size();
    for (const std::string& path : done->paths) merged.tables.push_back(opened(path));
    for (const auto& table : tables) std::filesystem::remove(table->path());
    levels_.erase(levels_.begin() + static_cast<std::ptrdiff_t>(first),
                  levels_.begin() + static_cast<std::ptrdiff_t>(first + count));
    levels_.insert(levels_.begin() + static_cast<std::ptrdiff_t>(first), std::move(merged));
    ++compactions_;
  }

  // One table gets another filter, under its own name.
  void refilter_one() {
    std::vector<std::shared_ptr<Table>>& tables = levels_[dice_.below(levels_.size())].tables;
    if (tables.empty()) return;
    std::shared_ptr<Table>& table = tables[dice_.below(tables.size())];
    const Result<TableProperties> properties = refilter(*table, table->path(), some_options(dice_));
    ASSERT_TRUE(properties.ok()) << properties.error().to_string();
    table = opened(table->path());
    ASSERT_TRUE(table->verify().ok()) << table->verify().error().to_string();
    ++refilters_;
  }

  std::string some_key() {
    if (truth_.empty() || dice_.one_in(2)) return dice_.key();
    auto at = truth_.lower_bound(dice_.key());
    if (at == truth_.end()) at = truth_.begin();
    return dice_.one_in(8) ? at->first + '\0' : at->first;
  }

  // From the newest to the oldest, until one knows the key.
  void get() {
    const std::string key = some_key();
    Lookup answer;
    for (const Level& level : levels_) {
      const auto expected = lower_bound(level.model, key);
      const bool there = expected != level.model.end() && expected->first.key == key;
      Lookup found;
      const bool ask_all = dice_.one_in(20);  // those too where the key cannot be
      for (const auto& table : level.tables) {
        const TableProperties& properties = table->properties();
        if (!ask_all && (key < properties.smallest || key > properties.largest)) continue;
        const Result<Lookup> got = table->get(key);
        ASSERT_TRUE(got.ok()) << got.error().to_string();
        if (got->state == Found::absent) continue;
        ASSERT_EQ(found.state, Found::absent) << "in two tables of a level";
        found = *got;
      }
      ASSERT_EQ(found.state, !there ? Found::absent : expected->second.deleted ? Found::deleted : Found::found) << key;
      if (!there) continue;
      ASSERT_EQ(found.sequence, expected->first.sequence);
      ASSERT_EQ(found.value, expected->second.value);
      answer = found;
      break;
    }
    const auto newest = truth_.find(key);
    ASSERT_EQ(answer.found(), newest != truth_.end() && !newest->second.second.deleted) << key;
    if (answer.found()) {
      ASSERT_EQ(answer.value, newest->second.second.value) << key;
    }
  }

  // All of a level, table after table; or from a key on, in the table where it would be.
  std::size_t scan() {
    const Level& level = levels_[dice_.below(levels_.size())];
    auto expected = level.model.begin();
    std::size_t first = 0, steps = 0;
    std::string key;
    if (dice_.one_in(2)) {
      key = some_key();
      expected = lower_bound(level.model, key);
      while (first < level.tables.size() && level.tables[first]->properties().largest < key) ++first;
    }
    for (std::size_t i = first; i < level.tables.size(); ++i) {
      TableIterator at = level.tables[i]->iterate();
      if (i == first && !key.empty()) at.seek(key);
      else at.first();
      for (; at.valid(); at.next(), ++expected, ++steps) {
        const bool more = expected != level.model.end();
        EXPECT_TRUE(more && at.entry().key == expected->first.key && at.entry().sequence == expected->first.sequence &&
                    at.entry().deleted == expected->second.deleted && at.entry().value == expected->second.value);
        if (HasFailure()) return steps;
      }
      EXPECT_TRUE(at.status().ok());
    }
    EXPECT_TRUE(expected == level.model.end());
    return steps;
  }

  testing::Scratch scratch_;
  Dice dice_{20261116};
  std::vector<Level> levels_;  // the newest first
  std::map<std::string, std::pair<std::uint64_t, Content>> truth_;
  std::uint64_t clock_ = 0;
  std::size_t paths_ = 0, writes_ = 0, compactions_ = 0, refilters_ = 0;
};

TEST_F(TableLevels, answer_as_a_map_does_through_any_number_of_compactions) {
  const std::size_t operations = std::getenv("BLOOMERY_SOAK") != nullptr ? 1'000'000 : 30'000;
  std::size_t gets = 0, scanned = 0;
  constexpr std::size_t kFresh = 50'000;  // operations until all begins anew, so that it stays small
  std::size_t fresh = kFresh;
  for (std::size_t done = 0; done < operations; done = gets + scanned + writes_ + compactions_ + refilters_) {
    if (done > fresh) {
      fresh += kFresh;
      levels_.clear();
      truth_.clear();
    }
    const std::size_t choice = dice_.below(2000);
    if (levels_.empty() || choice < 4) write();
    else if (choice < 8 && levels_.size() > 2) compact_some();
    else if (choice == 8) refilter_one();
    else if (choice < 12) scanned += scan();
    else get(), ++gets;
    ASSERT_FALSE(HasFailure()) << "after " << gets << " gets, " << compactions_ << " compactions";
  }
  EXPECT_GT(compactions_, 5u);
  std::cout << operations << " operations: " << writes_ << " tables written, " << compactions_ << " compactions, "
            << refilters_ << " filters replaced, " << gets << " gets, " << scanned << " entries scanned\n";
}

}  // namespace
}  // namespace bloomery
