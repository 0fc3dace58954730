// Tables against a map: random entries in, by random options, and every way of asking gives what the map gives. Then
// many tables, the newer above the older, that are brought together again and again, as in a storage engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>
#include <map>
#include <random>

#include "bloomery/compact.h"
#include "support/scratch.h"

namespace bloomery {
namespace {

struct Version {
  std::string key;
  std::uint64_t sequence = 0;

  // Keys ascend, and of one key the newer comes first. std::string compares as unsigned bytes.
  friend bool operator<(const Version& a, const Version& b) {
    const int order = a.key.compare(b.key);
    return order != 0 ? order < 0 : a.sequence > b.sequence;
  }
};

struct Content {
  std::string value;
  bool deleted = false;
};

using Model = std::map<Version, Content>;

// In front of all versions of a key.
Model::const_iterator lower_bound(const Model& model, const std::string& key) {
  return model.lower_bound({key, std::numeric_limits<std::uint64_t>::max()});
}

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t end) { return random_() % end; }
  std::size_t between(std::size_t least, std::size_t most) { return least + below(most - least + 1); }
  bool one_in(std::size_t times) { return below(times) == 0; }
  template <class T, std::size_t kCount>
  T of(const T (&choices)[kCount]) {
    return choices[below(kCount)];
  }

  std::string text(std::size_t length, unsigned letters, char first) {
    std::string out(length, first);
    for (char& letter : out) letter = static_cast<char>(first + static_cast<char>(below(letters)));
    return out;
  }
  std::string binary(std::size_t length) {
    std::string out(length, '\0');
    for (char& byte : out) byte = static_cast<char>(below(4) == 0 ? 0xff * below(2) : below(256));
    return out;
  }

  // Short ones of few letters meet often; long ones have nearly everything in common.
  std::string key() {
    switch (below(16)) {
      case 0: return {};
      case 1:
      case 2:
      case 3: return binary(below(5));
      case 4: return std::string(between(100, 600), 'k') + text(2, 3, 'a');
      case 5: return "prefix/of/many/" + std::to_string(below(1000));
      default: return text(between(1, 7), 3, 'a');
    }
  }
  std::string value() {
    if (one_in(8)) return {};
    if (one_in(50)) return binary(between(300, 9000));
    return one_in(2) ? binary(below(40)) : text(below(200), 1, 'v');
  }

 private:
  std::mt19937_64 random_;
};

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

TableOptions some_options(Dice& dice) {
  TableOptions options;
  options.block_bytes = dice.one_in(3) ? 64 : dice.between(64, 4096);
  options.restart_interval = static_cast<unsigned>(dice.between(1, 32));
  options.compression = dice.of({Compression::none, Compression::lz4, Compression::zstd});
  options.filter = dice.of<std::optional<Kind>>({std::nullopt, Kind::classic, Kind::split, Kind::block});
  if (dice.one_in(3)) options.filter_partition_bytes = 1024;
  if (dice.one_in(3)) options.prefix = PrefixExtractor::fixed(dice.below(4));
  return options;
}

TableReadOptions some_way_to_read(Dice& dice) {
  TableReadOptions options;
  if (dice.one_in(2)) options.cache = std::make_shared<BlockCache>(dice.of<std::uint64_t>({0, 50'000, 1 << 22}));
  options.map = dice.one_in(2);
  options.use_filter = !dice.one_in(4);
  return options;
}

std::string told(const TableOptions& options, const TableReadOptions& read) {
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
    SCOPED_TRACE("table " + std::to_string(round) + ": " + told(options, way));
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
    const Result<TableProperties> told = refilter(*table, table->path(), some_options(dice_));
    ASSERT_TRUE(told.ok()) << told.error().to_string();
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
        const TableProperties& told = table->properties();
        if (!ask_all && (key < told.smallest || key > told.largest)) continue;
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
