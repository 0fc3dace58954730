#include "table/any_order.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <map>
#include <random>
#include <string>

#include "support/fault_at.h"
#include "support/owned_entry.h"
#include "support/scratch.h"

namespace bloomery::table {
namespace {

using testing::FaultAt;
using testing::read_text;
using testing::Scratch;

using Owned = testing::OwnedEntry;

AnyOrderOptions with_memory(std::uint64_t memory, bool all_versions = false) {
  AnyOrderOptions options;
  options.table.block_bytes = 512;
  options.memory_bytes = memory;
  options.all_versions = all_versions;
  return options;
}

// Whether it had to sort goes to `sorting`.
Status build(const std::string& path, const std::vector<Owned>& entries, const AnyOrderOptions& options,
             bool* sorting = nullptr) {
  Result<AnyOrderBuilder> builder = AnyOrderBuilder::create(path, options);
  BLOOMERY_TRY(builder);
  for (const Owned& entry : entries) BLOOMERY_TRY(builder->add(entry.view()));
  if (sorting != nullptr) *sorting = builder->sorting();
  Result<TableProperties> properties = builder->finish();
  return properties.ok() ? Status() : Status(std::move(properties).error());
}

std::vector<Owned> all_of(const std::string& path) {
  const std::shared_ptr<Table> table = *Table::open(path);
  EXPECT_TRUE(table->verify().ok());
  std::vector<Owned> entries;
  TableIterator at = table->iterate();
  for (at.first(); at.valid(); at.next()) {
    const Entry entry = at.entry();
    entries.push_back({std::string(entry.key), std::string(entry.value), entry.sequence, entry.deleted});
  }
  EXPECT_TRUE(at.status().ok());
  return entries;
}

// What the table has to hold, by definition.
std::vector<Owned> expected(const std::vector<Owned>& entries, bool all_versions) {
  std::map<std::string, std::map<std::uint64_t, Owned, std::greater<>>> sorted;
  for (const Owned& entry : entries) sorted[entry.key][entry.sequence] = entry;
  std::vector<Owned> result;
  for (const auto& [key, versions] : sorted)
    for (const auto& [sequence, entry] : versions) {
      result.push_back(entry);
      if (!all_versions) break;
    }
  return result;
}

// Numbered in the order in which they come, as the lines of a file are.
std::vector<Owned> numbered(const std::vector<std::string>& keys) {
  std::vector<Owned> entries;
  for (const std::string& key : keys) {
    const std::uint64_t number = entries.size() + 1;
    entries.push_back({key, number % 7 == 0 ? "" : "value " + std::to_string(number), number, number % 7 == 0});
  }
  return entries;
}

std::vector<std::string> keys_in_order(std::size_t count) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < count; ++i) keys.push_back(std::to_string(1'000'000 + i / 3));  // each thrice
  return keys;
}

void expect_right(const std::vector<Owned>& entries, bool sorts) {
  const Scratch scratch;
  for (const bool all_versions : {false, true}) {
    for (const std::uint64_t memory : {Sorter::kLeastMemory, std::uint64_t{1} << 22}) {
      bool sorting = false;
      const Status status = build(scratch / "t.blt", entries, with_memory(memory, all_versions), &sorting);
      ASSERT_TRUE(status.ok()) << status.error().to_string();
      EXPECT_TRUE(all_of(scratch / "t.blt") == expected(entries, all_versions)) << all_versions << " " << memory;
      EXPECT_EQ(sorting, sorts);
      EXPECT_EQ(scratch.files(), 1u);
    }
  }
}

TEST(AnyOrder, what_comes_in_order_is_not_sorted) {
  expect_right({}, false);
  expect_right(numbered({"only"}), false);
  expect_right(numbered({"", "", "a", "a", "b"}), false);
  expect_right(numbered(keys_in_order(20'000)), false);
}

TEST(AnyOrder, what_comes_in_no_order_is_sorted) {
  std::vector<std::string> keys = keys_in_order(20'000);
  std::shuffle(keys.begin(), keys.end(), std::mt19937(1));
  expect_right(numbered(keys), true);
  expect_right(numbered({"b", "a"}), true);
}

TEST(AnyOrder, one_late_key_is_enough_to_sort_everything) {
  for (const char* late : {"", "1000000", "1003333"}) {
    std::vector<std::string> keys = keys_in_order(20'000);
    keys.emplace_back(late);
    keys.emplace_back("2");
    expect_right(numbered(keys), true);
  }
}

// Numbers that come with the entries say which is the newest, not the place.
TEST(AnyOrder, the_largest_number_wins_wherever_it_stands) {
  for (const bool in_order : {true, false}) {
    std::vector<Owned> entries = {{"k", "five", 5, false}, {"k", "", 9, true}, {"k", "seven", 7, false}};
    if (!in_order) entries.push_back({"a", "", 1, false});
    expect_right(entries, !in_order);
  }
}

TEST(AnyOrder, of_the_same_number_the_later_one_wins_and_both_are_refused) {
  const Scratch scratch;
  for (const bool in_order : {true, false}) {
    std::vector<Owned> entries = {{"k", "first", 5, false}, {"k", "second", 5, false}};
    if (!in_order) entries.push_back({"a", "", 1, false});
    ASSERT_TRUE(build(scratch / "t.blt", entries, with_memory(1 << 20)).ok());
    EXPECT_EQ((*Table::open(scratch / "t.blt"))->get("k")->value, "second");
    const Status refused = build(scratch / "u.blt", entries, with_memory(1 << 20, true));
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("the same sequence number"), std::string::npos);
    EXPECT_EQ(scratch.files(), 1u);
  }
}

TEST(AnyOrder, more_versions_of_a_key_than_memory_holds_are_sorted) {
  std::vector<Owned> entries;
  for (std::uint64_t i = 1; i <= 3000; ++i) entries.push_back({"key", std::string(50, 'v'), i, false});
  const Scratch scratch;
  bool sorting = false;
  ASSERT_TRUE(build(scratch / "t.blt", entries, with_memory(Sorter::kLeastMemory, true), &sorting).ok());
  EXPECT_TRUE(all_of(scratch / "t.blt") == expected(entries, true));
  EXPECT_TRUE(sorting);
}

TEST(AnyOrder, a_failed_call_leaves_the_old_table_and_nothing_else) {
  const Scratch scratch;
  const std::string path = scratch / "t.blt";
  std::vector<std::string> keys = keys_in_order(3000);
  keys.emplace_back("0");
  const std::vector<Owned> entries = numbered(keys);
  for (const int error : {ENOSPC, EIO}) {
    std::map<io::Op, int> failures;
    for (int call = 0;; ++call) {
      ASSERT_TRUE(build(path, numbered({"old"}), with_memory(1 << 20)).ok());
      const std::string old = read_text(path);
      const FaultAt fault(call, error);
      const Status status = build(path, entries, with_memory(Sorter::kLeastMemory, true));
      ASSERT_TRUE(status.ok() || fault.failed()) << status.error().to_string();
      // A name that cannot be taken away is no reason to fail, and the one thing that stays.
      const bool stays = fault.failed() == io::Op::unlink;
      ASSERT_EQ(status.ok(), !fault.failed() || stays) << "call " << call;
      ASSERT_EQ(scratch.files(), stays ? 2u : 1u) << "call " << call;
      if (stays) {
        for (const auto& file : std::filesystem::directory_iterator(scratch.folder())) std::filesystem::remove(file);
      } else if (!status.ok() && !fault.renamed()) {
        ASSERT_EQ(read_text(path), old) << "call " << call;
      }
      if (!fault.failed()) break;
      ++failures[*fault.failed()];
    }
    EXPECT_EQ(failures[io::Op::open], 5);   // two temporaries, the table read back, what is sorted, the folder
    EXPECT_GE(failures[io::Op::read], 50);  // of the table read back, and of what is sorted
    EXPECT_GE(failures[io::Op::write], 100);
  }
}

TEST(AnyOrder, it_ends_when_its_caller_says_so) {
  const Scratch scratch;
  AnyOrderBuilder builder = *AnyOrderBuilder::create(scratch / "t.blt", with_memory(1 << 20));
  ASSERT_TRUE(builder.add({"b", "", 1, false}).ok());
  ASSERT_TRUE(builder.add({"a", "", 2, false}).ok());
  EXPECT_FALSE(builder.finish([](std::uint64_t, std::uint64_t total) { return total != 2; }).ok());
}

TEST(AnyOrder, too_little_memory_is_refused_at_once) {
  const Scratch scratch;
  const Result<AnyOrderBuilder> builder = AnyOrderBuilder::create(scratch / "t.blt", with_memory(1));
  ASSERT_FALSE(builder.ok());
  EXPECT_EQ(builder.error().field, "memory");
  EXPECT_EQ(scratch.files(), 0u);
}

}  // namespace
}  // namespace bloomery::table
