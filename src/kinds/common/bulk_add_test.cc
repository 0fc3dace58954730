// Sorting and threads change the time a build takes, never its bytes.
#include "bloomery/detail/bulk_add.h"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "bloomery/bloomery.h"

namespace bloomery {
namespace {

std::vector<Hash> stream(std::size_t count) {
  std::vector<Hash> hashes(count);
  for (std::size_t i = 0; i < count; ++i) hashes[i] = Hash(detail::splitmix64(i));
  return hashes;
}

template <class Filter>
class Build : public ::testing::Test {};
using BlockedKinds = ::testing::Types<SplitFilter, BlockFilter>;
TYPED_TEST_SUITE(Build, BlockedKinds);

// Up to 4 threads add 2 million keys to copies; more of them, and all to a filter of 8 MiB, sort them.
TYPED_TEST(Build, has_the_same_bytes_on_any_number_of_threads) {
  for (std::size_t count : {0u, 1u, 2u, 1000u, 499'999u, 500'000u, 2'000'003u, 7'000'000u}) {
    const std::vector<Hash> hashes = stream(count);
    TypeParam expected = *TypeParam::with_capacity(count > 0 ? count : 1, 0.01);
    for (Hash hash : hashes) expected.add(hash);
    for (unsigned threads : {0u, 1u, 2u, 3u, 8u}) {
      const Result<TypeParam> built = TypeParam::build(hashes, 0.01, threads);
      ASSERT_TRUE(built.ok());
      EXPECT_TRUE(*built == expected) << count << " keys, " << threads << " threads";
      EXPECT_EQ(built->key_count(), count);
    }
  }
}

TYPED_TEST(Build, has_the_same_bytes_when_blocks_are_fewer_than_threads) {
  const std::vector<Hash> hashes = stream(2'000'000);
  for (std::uint64_t bytes : {64u, 128u, 320u}) {
    typename TypeParam::Geometry geometry;
    geometry.blocks = bytes / TypeParam::Geometry::kBlockBytes;
    TypeParam plain = *TypeParam::with_geometry(geometry), threaded = *TypeParam::with_geometry(geometry);
    (void)plain.add_many(hashes);
    ASSERT_TRUE(threaded.add_many(hashes, 8).ok());
    EXPECT_TRUE(plain == threaded) << bytes;
  }
}

// Keys that all fall into the same part fill it again and again, while the others have room.
TYPED_TEST(Build, has_the_same_bytes_when_the_keys_are_few_and_come_often) {
  std::vector<Hash> hashes = stream(2'500'000);
  for (std::size_t i = 0; i < hashes.size(); ++i)
    if (i % 5 != 0) hashes[i] = hashes[i % 3];
  typename TypeParam::Geometry geometry;
  geometry.blocks = (std::uint64_t{9} << 20) / TypeParam::Geometry::kBlockBytes;
  TypeParam plain = *TypeParam::with_geometry(geometry);
  for (Hash hash : hashes) plain.add(hash);
  for (unsigned threads : {2u, 5u, 8u}) {
    TypeParam threaded = *TypeParam::with_geometry(geometry);
    ASSERT_TRUE(threaded.add_many(hashes, threads).ok());
    EXPECT_TRUE(plain == threaded) << threads;
  }
}

TYPED_TEST(Build, adds_to_the_keys_of_a_filter_on_threads) {
  const std::vector<Hash> hashes = stream(4'000'000);
  const std::span<const Hash> first(hashes.data(), 2'000'000), second(hashes.data() + 2'000'000, 2'000'000);
  for (std::size_t capacity : {4'000'000u, 40'000'000u, 400'000'000u}) {
    TypeParam plain = *TypeParam::with_capacity(capacity, 0.01), threaded = *TypeParam::with_capacity(capacity, 0.01);
    for (Hash hash : hashes) plain.add(hash);
    ASSERT_TRUE(threaded.add_many(first, 2).ok());
    ASSERT_TRUE(threaded.add_many(second, 8).ok());
    EXPECT_TRUE(plain == threaded) << capacity;
    EXPECT_EQ(threaded.key_count(), hashes.size());
  }
}

TYPED_TEST(Build, hashes_keys_of_every_type_on_its_threads) {
  std::vector<std::string> strings;
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < 220'000; ++i) {
    strings.push_back("key" + std::to_string(i));
    numbers.push_back(i);
  }
  const std::vector<std::string_view> views(strings.begin(), strings.end());
  const auto check = [](const auto& keys) {
    TypeParam expected = *TypeParam::with_capacity(keys.size(), 0.01);
    for (const auto& key : keys) expected.add(key);
    for (unsigned threads : {3u, 8u}) EXPECT_TRUE(*TypeParam::build(keys, 0.01, threads) == expected);
    EXPECT_TRUE(*TypeParam::build(keys, 0.01) == expected);
  };
  check(strings);
  check(views);
  check(numbers);
}

TYPED_TEST(Build, of_a_large_filter_has_the_same_bytes_sorted_or_not) {
  const std::vector<Hash> hashes = stream(17'100'000);
  typename TypeParam::Geometry geometry;
  geometry.blocks = (std::uint64_t{64} << 20) / TypeParam::Geometry::kBlockBytes;
  ASSERT_TRUE(detail::worth_sorting(geometry.payload_bytes(), hashes.size()));
  TypeParam one_by_one = *TypeParam::with_geometry(geometry), sorted = *TypeParam::with_geometry(geometry);
  for (Hash hash : hashes) one_by_one.add(hash);
  (void)sorted.add_many(hashes);
  EXPECT_TRUE(one_by_one == sorted);
}

TYPED_TEST(Build, refuses_what_with_capacity_refuses) {
  EXPECT_EQ(TypeParam::build(stream(10), 2.0).error().code, ErrorCode::invalid_argument);
}

TEST(Blocked, filters_of_a_number_of_bytes_fill_them_and_pick_their_k) {
  EXPECT_EQ(SplitFilter::with_bytes(1000)->bytes(), 992u);
  EXPECT_EQ(SplitFilter::with_blocks(7)->geometry(), SplitGeometry{7});
  EXPECT_EQ(BlockFilter::with_blocks(7, 5)->geometry(), (BlockGeometry{7, 5}));
  const BlockFilter block = *BlockFilter::with_bytes(1'250'000, 1'000'000);
  EXPECT_EQ(block.bytes(), 1'250'000u / 64 * 64);
  EXPECT_EQ(block.geometry().k, 6u);
  EXPECT_EQ(BlockFilter::with_bytes(1'250'000, 0)->geometry().k, BlockFilter::with_bytes(1'250'000, 1)->geometry().k);
  EXPECT_FALSE(SplitFilter::with_bytes(31).ok());
  EXPECT_FALSE(BlockFilter::with_bytes(63, 10).ok());
}

}  // namespace
}  // namespace bloomery
