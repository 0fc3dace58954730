// Power cuts, in a model of a disk that drops what was not synced and tears the rest: the table under the final name is
// the old one whole or the new one whole, and the new one once finish() has returned. The model is held to programs
// that do it wrong: each must be found out.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <iostream>

#include "bloomery/table/compact.h"
#include "support/crash_model.h"
#include "support/scratch.h"

namespace bloomery {
namespace {

using testing::DiskEvent;
using testing::DiskRecorder;
using testing::Fate;
using testing::Folder;
using testing::Scratch;
using What = testing::DiskEvent::What;
using Events = std::vector<DiskEvent>;

Status build_old_or_new(const std::string& path, std::uint64_t entries, const std::string& value) {
  TableOptions options;
  options.block_bytes = 1024;
  Result<TableBuilder> builder = TableBuilder::create(path, options);
  BLOOMERY_TRY(builder);
  for (std::uint64_t i = 0; i < entries; ++i)
    BLOOMERY_TRY(builder->add({"key" + std::to_string(100'000 + i), value, i, false}));
  BLOOMERY_TRY(builder->finish());
  return {};
}

Folder folder_of(const Scratch& scratch) {
  Folder folder;
  for (const auto& file : std::filesystem::directory_iterator(scratch.folder()))
    folder[file.path().filename()] = testing::read_text(file.path());
  return folder;
}

// Makes the states after each event, by every fate and by random ones, and counts those that are not as they should be:
// `sound` is told the folder and whether the program had come to its end.
struct Crashes {
  std::uint64_t states = 0, wrong = 0;
};
Crashes crash_everywhere(const Folder& before, const Events& events,
                         const std::function<bool(const Folder&, bool done)>& sound, std::uint64_t seeds) {
  Crashes crashes;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    std::mt19937_64 random(seed);
    for (std::size_t count = 0; count <= events.size(); ++count) {
      const auto crash = [&](Fate data, Fate names) {
        ++crashes.states;
        const Folder found = testing::after_crash(before, events, count, data, names, random);
        crashes.wrong += sound(found, count == events.size()) ? 0 : 1;
      };
      crash(Fate::random, Fate::random);
      if (seed > 0) continue;
      for (const Fate data : {Fate::lost, Fate::kept, Fate::random})
        for (const Fate names : {Fate::lost, Fate::kept}) crash(data, names);
    }
  }
  return crashes;
}

std::uint64_t some_seeds() { return std::getenv("BLOOMERY_SOAK") != nullptr ? 1000 : 200; }

Events without(const Events& events, What what) {
  Events left;
  for (const DiskEvent& event : events)
    if (event.what != what) left.push_back(event);
  return left;
}

// The last of one kind goes to the place before the first of the other.
Events moved_before(Events events, What late, What early) {
  const auto is = [](What what) { return [what](const DiskEvent& event) { return event.what == what; }; };
  const auto to = std::find_if(events.begin(), events.end(), is(early));
  if (to == events.end() || std::none_of(events.begin(), events.end(), is(late))) return events;
  const auto from = std::prev(std::find_if(events.rbegin(), events.rend(), is(late)).base());
  if (to < from) std::rotate(to, from, std::next(from));
  else std::rotate(from, std::next(from), to);
  return events;
}

class TableCrash : public ::testing::Test {
 protected:
  // Records a build in a folder with or without an older table.
  void record_build(bool old) {
    if (old) {
      ASSERT_TRUE(build_old_or_new(scratch_ / "t", 150, "old").ok());
    }
    before_ = folder_of(scratch_);
    const DiskRecorder recorder(scratch_.folder());
    ASSERT_TRUE(build_old_or_new(scratch_ / "t", 400, "new").ok());
    events_ = recorder.events();
    after_ = folder_of(scratch_);
    ASSERT_EQ(after_.size(), 1u);
  }

  bool old_or_new(const Folder& found, bool done) const {
    const auto at = found.find("t"), before = before_.find("t");
    if (at == found.end()) return !done && before == before_.end();
    return at->second == after_.at("t") || (!done && before != before_.end() && at->second == before->second);
  }
  Crashes crashes(const Events& events, std::uint64_t seeds) const {
    return crash_everywhere(
        before_, events, [this](const Folder& found, bool done) { return old_or_new(found, done); }, seeds);
  }

  Scratch scratch_;
  Folder before_, after_;
  Events events_;
};

TEST_F(TableCrash, a_table_is_the_old_one_or_the_new_one_whole_whenever_the_power_goes) {
  for (const bool old : {false, true}) {
    record_build(old);
    // What the build did is what the model knows of.
    std::mt19937_64 random;
    ASSERT_EQ(testing::after_crash(before_, events_, events_.size(), Fate::lost, Fate::lost, random), after_);
    const Crashes found = crashes(events_, some_seeds());
    EXPECT_EQ(found.wrong, 0u);
    std::cout << events_.size() << " steps of a build" << (old ? " over an old table" : "") << ", " << found.states
              << " states after a crash, " << found.wrong << " with a half or a lost table\n";
  }
}

// Opened for real, not only compared: one state behind each step.
TEST_F(TableCrash, what_a_crash_leaves_can_be_opened) {
  record_build(true);
  std::mt19937_64 random(1);
  for (std::size_t count = 0; count <= events_.size(); ++count) {
    Scratch found;
    for (const auto& [name, bytes] : testing::after_crash(before_, events_, count, Fate::random, Fate::random, random))
      testing::write_text(found / name, bytes);
    const Result<std::shared_ptr<Table>> table = Table::open(found / "t");
    ASSERT_TRUE(table.ok()) << table.error().to_string();
    ASSERT_TRUE((*table)->verify().ok());
    const std::uint64_t entries = (*table)->properties().entries;
    EXPECT_TRUE(entries == 400 || (entries == 150 && count < events_.size())) << entries;
    // What the crash left of the build is in the way of no other.
    ASSERT_TRUE(build_old_or_new(found / "t", 70, "next").ok());
    EXPECT_EQ((*Table::open(found / "t"))->properties().entries, 70u);
  }
}

TEST_F(TableCrash, the_model_finds_out_who_does_it_wrong) {
  record_build(true);
  EXPECT_EQ(crashes(events_, 1).wrong, 0u);
  EXPECT_GT(crashes(without(events_, What::sync), 1).wrong, 0u) << "no sync of the file";
  EXPECT_GT(crashes(without(events_, What::sync_folder), 1).wrong, 0u) << "no sync of the folder";
  EXPECT_GT(crashes(moved_before(events_, What::rename, What::sync), 1).wrong, 0u) << "rename before the sync";
  EXPECT_GT(crashes(moved_before(events_, What::write, What::sync_folder), 1).wrong, 0u) << "rename before a write";
  EXPECT_GT(crashes(moved_before(events_, What::sync_folder, What::rename), 1).wrong, 0u) << "folder synced too early";
  EXPECT_GT(crashes(moved_before(events_, What::sync, What::write), 1).wrong, 0u) << "file synced too early";
  // Who writes into the file itself.
  Events in_place = without(without(events_, What::rename), What::create);
  in_place.insert(in_place.begin(), {What::create, in_place.front().file, "t"});
  EXPECT_GT(crashes(in_place, 1).wrong, 0u) << "written in place";
}

// Tables are brought together into several new ones, and then removed as an engine would: at any moment all that were
// read are there, or all that were written, and none of these in part.
TEST_F(TableCrash, a_compaction_loses_nothing_whenever_the_power_goes) {
  std::vector<std::shared_ptr<Table>> tables;
  for (const char* name : {"in0", "in1", "in2"}) {
    ASSERT_TRUE(build_old_or_new(scratch_ / name, 400, name).ok());
    tables.push_back(*Table::open(scratch_ / name));
  }
  before_ = folder_of(scratch_);
  {
    const DiskRecorder recorder(scratch_.folder());
    CompactOptions options;
    options.split_bytes = 1000;
    options.table.block_bytes = 512;
    const Result<Compacted> done = compact(
        tables, [&](unsigned i) { return scratch_ / ("out" + std::to_string(i)); }, options);
    ASSERT_TRUE(done.ok()) << done.error().to_string();
    for (const auto& table : tables) ASSERT_EQ(io::sys_unlink(table->path().c_str()), 0);
    events_ = recorder.events();
  }
  after_ = folder_of(scratch_);
  ASSERT_GT(after_.size(), 2u);
  const auto sound = [&](const Folder& found, bool done) {
    const auto has_all = [&](const Folder& wanted) {
      return std::all_of(wanted.begin(), wanted.end(), [&](const auto& file) { return found.contains(file.first); });
    };
    for (const auto& [name, bytes] : found)
      if (const auto whole = after_.find(name); whole != after_.end() && whole->second != bytes) return false;
    return has_all(after_) || (!done && has_all(before_));
  };
  const Crashes found = crash_everywhere(before_, events_, sound, some_seeds());
  EXPECT_EQ(found.wrong, 0u);
  std::cout << events_.size() << " steps of a compaction into " << after_.size() << " tables, " << found.states
            << " states after a crash, " << found.wrong << " with a half or a lost table\n";
  EXPECT_GT(crash_everywhere(before_, without(events_, What::sync), sound, 1).wrong, 0u);
  EXPECT_GT(crash_everywhere(before_, without(events_, What::sync_folder), sound, 1).wrong, 0u);
  EXPECT_GT(crash_everywhere(before_, moved_before(events_, What::remove, What::sync_folder), sound, 1).wrong, 0u);
}

}  // namespace
}  // namespace bloomery
