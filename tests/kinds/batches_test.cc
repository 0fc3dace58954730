// Every way to hand over a batch and to get its answers says the same, for every kind.
#include <gtest/gtest.h>

#include <vector>

#include "support/all_layouts.h"

namespace bloomery {
namespace {

using testing::some_keys;

template <class Layout>
class Batches : public ::testing::Test {};
TYPED_TEST_SUITE(Batches, testing::AllLayoutTypes, testing::KindNames);

TYPED_TEST(Batches, are_built_alike_by_every_kind) {
  const std::vector<std::uint64_t> keys = some_keys(5000);
  const Hasher hasher = Hasher::xxh3(7);
  const auto one = BasicFilter<TypeParam>::build(keys, 0.01, hasher);
  const auto two = BasicFilter<TypeParam>::build(keys, 0.01, hasher, 2);
  const auto own = BasicFilter<TypeParam>::build(keys, 0.01, 2);
  ASSERT_TRUE(one.ok() && two.ok() && own.ok());
  EXPECT_EQ(*one, *two);
  EXPECT_EQ(one->hasher(), hasher);
  EXPECT_EQ(own->hasher(), TypeParam::default_hasher());
  EXPECT_EQ(one->key_count(), 5000u);
  for (const std::uint64_t key : keys) ASSERT_TRUE(testing::asked(*one, key) || ForgettingLayout<TypeParam>);
  EXPECT_TRUE(BasicFilter<TypeParam>::build(std::vector<std::uint64_t>(), 0.01).ok());
  const auto pair = BasicFilter<TypeParam>::build(keys.begin(), keys.end(), 0.01, hasher, 2);
  ASSERT_TRUE(pair.ok());
  EXPECT_EQ(*one, *pair);
  const auto list = BasicFilter<TypeParam>::build({1, 2, 3}, 0.01);
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(*list, *BasicFilter<TypeParam>::build(std::vector<int>{1, 2, 3}, 0.01));
}

// 2,000 keys of which every second one is in: more than fit into one group of any size.
TYPED_TEST(Batches, of_positions_select_what_bytes_say) {
  if constexpr (!ForgettingLayout<TypeParam>) {
    const std::vector<std::uint64_t> in = some_keys(1000);
    const auto filter = testing::filter_of<TypeParam>(in);
    std::vector<std::uint64_t> keys;
    for (const std::uint64_t key : in) keys.insert(keys.end(), {key, key + 1'000'000});
    std::vector<Hash> hashes;
    for (const std::uint64_t key : keys) hashes.push_back(hash_key(filter.hasher(), key));
    std::vector<std::uint8_t> answers(keys.size());
    filter.contains_many(keys, answers);
    std::vector<std::uint32_t> right;
    for (std::uint32_t i = 0; i < keys.size(); ++i)
      if (answers[i] != 0) right.push_back(i);
    std::vector<std::uint32_t> positions(keys.size());
    positions.resize(filter.select_present(keys, positions));
    EXPECT_EQ(positions, right);
    std::vector<std::uint64_t> numbers;
    for (const Hash hash : hashes) numbers.push_back(hash.bits);
    positions.assign(keys.size(), 0);
    positions.resize(filter.select_present(as_hashes(numbers), positions));
    EXPECT_EQ(positions, right);
    positions.assign(keys.size(), 0);
    positions.resize(filter.view().select_present(hashes, positions));
    EXPECT_EQ(positions, right);
    EXPECT_DEATH((void)filter.select_present(keys, std::span(positions).first(10)), "select_present got 2000 keys");
  }
}

TYPED_TEST(Batches, answer_an_integer_as_one_call_and_its_hash_do_by_every_hash) {
  if constexpr (!ForgettingLayout<TypeParam>) {
    const Secret secret({1, 2, 3});
    for (const Hasher& hasher : {Hasher::fnv_splitmix(), Hasher::xxh3(5), Hasher::xxh64(6), Hasher::siphash13(secret),
                                 Hasher::siphash24(secret)}) {
      const std::vector<std::uint64_t> in = some_keys(1000);
      const auto filter = *BasicFilter<TypeParam>::build(in, 0.01, hasher);
      for (const std::uint64_t key : in) ASSERT_TRUE(filter.contains(key)) << to_string(hasher.id());
      std::vector<std::uint64_t> absent;
      for (const std::uint64_t key : in) absent.push_back(key + 1'000'000);
      std::vector<std::uint8_t> answers(absent.size());
      filter.contains_many(absent, answers);
      std::size_t found = 0;
      for (std::size_t i = 0; i < absent.size(); ++i) {
        const bool answer = filter.contains(absent[i]);
        ASSERT_EQ(answer, filter.contains(hash_key(hasher, absent[i]))) << to_string(hasher.id());
        ASSERT_EQ(answer, answers[i] != 0) << to_string(hasher.id());
        found += answer ? 1 : 0;
      }
      EXPECT_LT(found, 50U) << to_string(hasher.id());  // 10 are expected
    }
  }
}

TYPED_TEST(Batches, are_lists_and_pairs_of_iterators_too) {
  if constexpr (!ForgettingLayout<TypeParam>) {
    const auto filter = testing::filter_of<TypeParam>(some_keys(10));
    std::uint8_t answers[3] = {};
    filter.contains_many({1, 2, 3}, answers);
    EXPECT_EQ(answers[0] + answers[1] + answers[2], 3);
    const std::vector<std::uint64_t> keys = some_keys(3);
    std::fill_n(answers, 3, std::uint8_t{0});
    filter.contains_many(keys.begin(), keys.end(), answers);
    EXPECT_EQ(answers[0] + answers[1] + answers[2], 3);
  }
  if constexpr (!StaticLayout<TypeParam>) {
    auto filter = *BasicFilter<TypeParam>::with_capacity(100, 0.01);
    const std::vector<std::uint64_t> keys = some_keys(3);
    EXPECT_TRUE(filter.add_many({"alpha", "beta"}).ok());
    EXPECT_TRUE(filter.add_many(keys.begin(), keys.end()).ok());
    EXPECT_EQ(filter.key_count(), 5u);
    EXPECT_TRUE(testing::asked(filter, "beta") && testing::asked(filter, 2));
  }
}

}  // namespace
}  // namespace bloomery
