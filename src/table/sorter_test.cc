#include "table/sorter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <random>
#include <string>

#include "support/fault_at.h"
#include "support/owned_entry.h"
#include "support/scratch.h"

namespace bloomery::table {
namespace {

using testing::FaultAt;

using Owned = testing::OwnedEntry;

// By definition: keys ascend, the largest number first, of the same number the last that came.
std::vector<Owned> in_order(std::vector<Owned> entries) {
  std::reverse(entries.begin(), entries.end());
  std::stable_sort(entries.begin(), entries.end(), [](const Owned& a, const Owned& b) {
    return a.key != b.key ? a.key < b.key : a.sequence > b.sequence;
  });
  return entries;
}

Status sort_into(std::uint64_t memory, const std::vector<Owned>& entries, std::vector<Owned>& sorted,
                 Sorter* properties = nullptr) {
  Result<Sorter> sorter = Sorter::create(memory);
  BLOOMERY_TRY(sorter);
  for (const Owned& entry : entries) BLOOMERY_TRY(sorter->add(entry.view()));
  BLOOMERY_TRY(sorter->sort());
  while (sorter->valid()) {
    const Entry entry = sorter->entry();
    sorted.push_back({std::string(entry.key), std::string(entry.value), entry.sequence, entry.deleted});
    BLOOMERY_TRY(sorter->next());
  }
  if (properties != nullptr) *properties = *std::move(sorter);
  return {};
}

// Keys of few kinds, so that many have several versions, and some the same number twice.
std::vector<Owned> random_entries(std::size_t count, std::uint64_t kinds, std::size_t most_value, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<Owned> entries;
  for (std::size_t i = 0; i < count; ++i) {
    std::string key = std::to_string(random() % kinds);
    if (random() % 4 == 0) key += std::string(random() % 3, '\0');
    if (random() % 16 == 0) key = std::string(random() % 3, '\xff');
    const bool deleted = random() % 8 == 0;
    entries.push_back(
        {key, std::string(deleted ? 0 : random() % (most_value + 1), static_cast<char>(i)), random() % 50, deleted});
  }
  return entries;
}

TEST(Sorter, what_fits_in_memory_is_sorted_there) {
  for (const std::size_t count : {0u, 1u, 2u, 3u, 1000u}) {
    const std::vector<Owned> entries = random_entries(count, 300, 10, 1);
    std::vector<Owned> sorted;
    Sorter properties = *Sorter::create(1 << 20);
    ASSERT_TRUE(sort_into(1 << 20, entries, sorted, &properties).ok());
    EXPECT_EQ(sorted, in_order(entries)) << count;
    EXPECT_EQ(properties.spilled_bytes(), 0u);
    EXPECT_EQ(properties.entries(), count);
  }
}

TEST(Sorter, runs_are_merged_in_one_pass_or_several) {
  unsigned most_passes = 0;
  for (const std::uint64_t memory : {std::uint64_t{64} << 10, std::uint64_t{256} << 10, std::uint64_t{1} << 20}) {
    for (const unsigned seed : {1u, 2u, 3u}) {
      const std::vector<Owned> entries = random_entries(30'000, 5000, 60, seed);
      std::vector<Owned> sorted;
      Sorter properties = *Sorter::create(memory);
      ASSERT_TRUE(sort_into(memory, entries, sorted, &properties).ok());
      ASSERT_TRUE(sorted == in_order(entries)) << memory << " bytes, seed " << seed;
      EXPECT_GT(properties.spilled_bytes(), 0u);
      most_passes = std::max(most_passes, properties.passes());
    }
  }
  EXPECT_GE(most_passes, 2u);
}

TEST(Sorter, keys_with_long_common_beginnings_come_in_order) {
  std::vector<Owned> entries;
  for (unsigned i = 0; i < 3000; ++i)
    entries.push_back({"a/rather/long/beginning/" + std::to_string(i * 7919 % 3000), "", i, false});
  entries.push_back({"a/rather/long/beginning/", "", 0, false});
  entries.push_back({"a/rather", "", 0, false});
  for (const std::uint64_t memory : {std::uint64_t{64} << 10, std::uint64_t{8} << 20}) {
    std::vector<Owned> sorted;
    ASSERT_TRUE(sort_into(memory, entries, sorted).ok());
    EXPECT_TRUE(sorted == in_order(entries));
  }
}

TEST(Sorter, an_entry_larger_than_the_memory_is_sorted_too) {
  std::vector<Owned> entries = random_entries(500, 100, 50, 4);
  entries[7].value = std::string(1'000'000, 'x');
  entries[7].deleted = false;
  entries[300].key = std::string(300'000, '5');
  entries[301].value = std::string(64 << 10, 'y');
  entries[301].deleted = false;
  std::vector<Owned> sorted;
  ASSERT_TRUE(sort_into(Sorter::kLeastMemory, entries, sorted).ok());
  EXPECT_TRUE(sorted == in_order(entries));
}

TEST(Sorter, too_little_memory_is_refused_and_too_much_is_a_limit_only) {
  const Result<Sorter> little = Sorter::create(Sorter::kLeastMemory - 1);
  ASSERT_FALSE(little.ok());
  EXPECT_EQ(little.error().field, "memory");
  EXPECT_NE(little.error().message.find("65535"), std::string::npos);
  std::vector<Owned> sorted;
  const std::vector<Owned> entries = random_entries(100, 50, 10, 5);
  ASSERT_TRUE(sort_into(std::uint64_t{1} << 46, entries, sorted).ok());
  EXPECT_EQ(sorted, in_order(entries));
}

TEST(Sorter, a_failed_call_is_an_error_that_names_the_file) {
  const std::vector<Owned> entries = random_entries(10'000, 3000, 60, 6);
  const std::vector<Owned> wanted = in_order(entries);
  for (const int error : {ENOSPC, EIO}) {
    std::map<io::Op, int> failures;
    for (int call = 0;; ++call) {
      const FaultAt fault(call, error);
      std::vector<Owned> sorted;
      const Status status = sort_into(Sorter::kLeastMemory, entries, sorted);
      ASSERT_EQ(status.ok(), !fault.failed().has_value()) << "call " << call;
      if (status.ok()) {
        EXPECT_TRUE(sorted == wanted);
        break;
      }
      EXPECT_EQ(status.error().code, ErrorCode::io);
      EXPECT_NE(status.error().file.find("bloomery-"), std::string::npos) << status.error().file;
      if (*fault.failed() != io::Op::read) {
        EXPECT_NE(status.error().message.find("TMPDIR"), std::string::npos) << status.error().message;
      }
      ++failures[*fault.failed()];
    }
    EXPECT_GE(failures[io::Op::open], 3);  // the first file, and one for each pass
    EXPECT_GE(failures[io::Op::write], 20);
    EXPECT_GE(failures[io::Op::read], 20);
  }
}

// A folder of temporary files in which none is ever seen: they have no name.
TEST(Sorter, nothing_stays_in_the_temporary_folder) {
  const testing::Scratch scratch;
  const char* before = std::getenv("TMPDIR");
  const std::string old = before == nullptr ? "" : before;
  ::setenv("TMPDIR", scratch.folder().c_str(), 1);
  {
    Sorter sorter = *Sorter::create(Sorter::kLeastMemory);
    for (const Owned& entry : random_entries(10'000, 3000, 60, 7)) ASSERT_TRUE(sorter.add(entry.view()).ok());
    EXPECT_GT(sorter.spilled_bytes(), 0u);
    EXPECT_EQ(scratch.files(), 0u);
  }
  EXPECT_EQ(scratch.files(), 0u);
  if (before == nullptr) ::unsetenv("TMPDIR");
  else ::setenv("TMPDIR", old.c_str(), 1);
}

}  // namespace
}  // namespace bloomery::table
