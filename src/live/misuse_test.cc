// What a caller's mistake does to the filters of live services: a batch whose output is too short ends the program with
// a sentence before a byte is written, and one that was moved from is empty.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/live/live.h"
#include "bloomery/live/per_node.h"
#include "bloomery/live/shared_counting.h"
#include "bloomery/live/shared_cuckoo.h"

// NOLINTBEGIN(bugprone-use-after-move): that is what they are about
namespace bloomery {
namespace {

const std::string kTooShort =
    "^bloomery: contains_many got 300 keys and an output of 10 elements: make the output 300 elements long\n$";

std::vector<std::uint64_t> some_keys() {
  std::vector<std::uint64_t> keys(300);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i;
  return keys;
}

template <class Filter>
class SharedMisuse : public ::testing::Test {
 protected:
  static Filter with_keys() {
    Filter filter = *Filter::with_capacity(1000, 0.01);
    for (const std::uint64_t key : some_keys()) (void)filter.add(key);
    return filter;
  }
  static std::uint64_t count_found(const Filter& filter) {
    const std::vector<std::uint64_t> keys = some_keys();
    std::vector<std::uint8_t> answers(keys.size());
    filter.contains_many(keys, answers);
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      EXPECT_EQ(answers[i], filter.contains(keys[i])) << i;
      found += answers[i];
    }
    return found;
  }
};
using Misusable = ::testing::Types<Shared<ClassicFilter>, Shared<ClassicFilter, Reads::words>, Shared<SplitFilter>,
                                   Shared<SplitFilter, Reads::words>, Shared<BlockFilter>,
                                   Shared<BlockFilter, Reads::words>, Shared<CountingFilter>, Shared<CuckooFilter>>;
TYPED_TEST_SUITE(SharedMisuse, Misusable);

TYPED_TEST(SharedMisuse, too_few_answers_end_the_program_with_a_sentence) {
  const TypeParam filter = this->with_keys();
  std::array<std::uint8_t, 10> answers{};
  EXPECT_DEATH(filter.contains_many(some_keys(), answers), kTooShort);
  EXPECT_DEATH(filter.contains_many(std::vector<Hash>(300), answers), kTooShort);
}

TYPED_TEST(SharedMisuse, one_that_was_moved_from_is_empty_and_shares_no_bytes_with_its_new_owner) {
  TypeParam filter = this->with_keys();
  std::optional<TypeParam> owner = std::move(filter);
  EXPECT_EQ(this->count_found(*owner), 300u);
  EXPECT_EQ(this->count_found(filter), 0u);
  EXPECT_EQ(filter.copy()->bits_set(), 0u);
  TypeParam third = this->with_keys();
  third = std::move(*owner);
  EXPECT_EQ(this->count_found(third), 300u);
  EXPECT_EQ(this->count_found(*owner), 0u);
  owner.reset();
  TypeParam& same = third;
  third = std::move(same);
  EXPECT_EQ(this->count_found(third), 300u);
  EXPECT_TRUE(filter.prefault().ok());
  filter = std::move(third);
  EXPECT_EQ(this->count_found(filter), 300u);
  (void)filter.add(std::uint64_t{1} << 40);
  EXPECT_TRUE(filter.contains(std::uint64_t{1} << 40));
}

TYPED_TEST(SharedMisuse, a_change_of_one_that_was_moved_from_ends_the_program_with_a_sentence) {
  TypeParam filter = this->with_keys();
  const TypeParam owner = std::move(filter);
  const std::string sentence = " was called on a shared filter that was moved from: call it on the new owner\n$";
  EXPECT_DEATH((void)filter.add(std::uint64_t{1}), "^bloomery: add" + sentence);
  EXPECT_DEATH((void)filter.add_many(some_keys()), "^bloomery: add(_many)?" + sentence);
  if constexpr (requires { filter.add_once("key"); }) {
    EXPECT_DEATH((void)filter.add_once("key"), "^bloomery: add_once" + sentence);
  }
  if constexpr (requires { filter.remove("key"); }) {
    EXPECT_DEATH((void)filter.remove("key"), "^bloomery: remove" + sentence);
  }
  if constexpr (requires { filter.clear(); }) {
    EXPECT_DEATH(filter.clear(), "^bloomery: clear" + sentence);
    const typename TypeParam::View nothing;
    EXPECT_DEATH((void)filter.merge(nothing), "^bloomery: merge" + sentence);
    EXPECT_EQ(filter.merge(owner).error().code, ErrorCode::mismatch);
  }
}

TEST(LiveMisuse, too_few_answers_end_the_program_with_a_sentence) {
  const auto live = *LiveFilter<BlockFilter>::make({.n = 1000});
  const auto per_node = *PerNode<BlockFilter>::make({.n = 1000, .nodes = 2});
  std::array<std::uint8_t, 10> answers{};
  EXPECT_DEATH(live->contains_many(some_keys(), answers), kTooShort);
  EXPECT_DEATH(live->read().filter().contains_many(some_keys(), answers), kTooShort);
  EXPECT_DEATH(per_node.contains_many(some_keys(), answers), kTooShort);
  live->disable();
  EXPECT_DEATH(live->contains_many(some_keys(), answers), kTooShort);
  EXPECT_EQ(live->stats(1)->queries, 0u);
}

}  // namespace
}  // namespace bloomery
// NOLINTEND(bugprone-use-after-move)
