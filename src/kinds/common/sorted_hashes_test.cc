#include "kinds/common/sorted_hashes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bloomery/detail/batch.h"
#include "bloomery/detail/fnv.h"

namespace bloomery::detail {
namespace {

void expect_sorted(std::vector<Hash> hashes, unsigned threads, const std::string& what) {
  const Result<SortedHashes> sorted = SortedHashes::of(key_run(Hasher(), hashes), threads);
  ASSERT_TRUE(sorted.ok());
  std::sort(hashes.begin(), hashes.end(), [](Hash a, Hash b) { return a.bits < b.bits; });
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  EXPECT_TRUE(std::equal(hashes.begin(), hashes.end(), sorted->hashes().begin(), sorted->hashes().end()))
      << what << ", " << threads << " threads";
}

std::vector<Hash> hashes_of(std::size_t count, std::uint64_t (*value)(std::uint64_t)) {
  std::vector<Hash> hashes;
  for (std::uint64_t i = 0; i < count; ++i) hashes.emplace_back(value(i));
  return hashes;
}

TEST(SortedHashes, are_those_of_std_sort_each_once_whatever_they_look_like) {
  constexpr std::uint64_t (*kShapes[])(std::uint64_t) = {
      splitmix64,
      [](std::uint64_t i) { return i; },
      [](std::uint64_t i) { return splitmix64(i / 2); },
      [](std::uint64_t) { return std::uint64_t{7}; },
      [](std::uint64_t i) { return ~(i << 40); },
      [](std::uint64_t i) { return i % 3 == 0 ? splitmix64(i) : i % 64; },
      [](std::uint64_t i) { return std::uint64_t{1} << (i % 64); },
  };
  constexpr std::size_t kCounts[] = {0, 1, 2, 3, 100, 2047, 2048, 2049, 5000, 130'000};
  for (std::size_t shape = 0; shape < std::size(kShapes); ++shape)
    for (std::size_t count : kCounts)
      for (unsigned threads : {1u, 3u})
        expect_sorted(hashes_of(count, kShapes[shape]), threads,
                      "shape " + std::to_string(shape) + ", " + std::to_string(count));
}

TEST(SortedHashes, of_keys_are_their_hashes) {
  std::vector<std::string> keys;
  for (int i = 0; i < 120'000; ++i) keys.push_back("key" + std::to_string(i % 100'000));
  const Result<SortedHashes> sorted = SortedHashes::of(key_run(Hasher::xxh3(5), keys), 2);
  ASSERT_TRUE(sorted.ok());
  std::vector<Hash> hashes;
  for (const std::string& key : keys) hashes.push_back(Hasher::xxh3(5)(key));
  const Result<SortedHashes> same = SortedHashes::of(key_run(Hasher(), hashes), 1);
  EXPECT_EQ(sorted->hashes().size(), 100'000u);
  EXPECT_TRUE(std::equal(sorted->hashes().begin(), sorted->hashes().end(), same->hashes().begin()));
}

}  // namespace
}  // namespace bloomery::detail
