// Batches whose output has no room for an answer of every key: one sentence, then the end of the program, and not one
// byte past the output. The same of more keys than positions can name. In every build: no assert, which a release build
// leaves out.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/any.h"
#include "support/all_layouts.h"

namespace bloomery {
namespace {

using testing::ask_many;
using testing::filter_of;
using testing::some_keys;

const std::vector<std::uint64_t> kLengthKeys = some_keys(1000);

template <class Layout>
class BatchLengths : public ::testing::Test {
 protected:
  BasicFilter<Layout> filter_ = filter_of<Layout>(kLengthKeys);
  std::array<std::uint8_t, 1000> room_{};
  std::span<std::uint8_t> ten_ = std::span(room_).first(10);
};
TYPED_TEST_SUITE(BatchLengths, testing::AllLayoutTypes, testing::KindNames);

TYPED_TEST(BatchLengths, too_few_answers_end_the_program_with_a_sentence) {
  const std::string sentence =
      "^bloomery: (contains|seen_recently)_many got 1000 keys and an output of 10 elements: "
      "make the output 1000 elements long\n$";
  EXPECT_DEATH(ask_many(this->filter_, kLengthKeys, this->ten_), sentence);
  EXPECT_DEATH(ask_many(this->filter_.view(), kLengthKeys, this->ten_), sentence);
  EXPECT_DEATH(AnyView(this->filter_.view()).contains_many(kLengthKeys, this->ten_), sentence);
  const std::vector<Hash> hashes(1000);
  EXPECT_DEATH(ask_many(this->filter_, hashes, this->ten_), sentence);
  EXPECT_DEATH(ask_many(this->filter_, std::vector<std::string>(1000), std::span(this->room_).first(999)),
               "got 1000 keys and an output of 999 elements");
  EXPECT_DEATH(ask_many(this->filter_, kLengthKeys, {}), "got 1000 keys and an output of 0 elements");
}

TYPED_TEST(BatchLengths, too_few_words_of_a_bitmap_end_the_program_with_a_sentence) {
  if constexpr (!ForgettingLayout<TypeParam>) {
    std::array<std::uint64_t, 16> words{};
    EXPECT_DEATH(this->filter_.contains_bitmap(kLengthKeys, std::span(words).first(15)),
                 "^bloomery: contains_bitmap got 1000 keys and an output of 15 elements: "
                 "make the output 16 elements long\n$");
    EXPECT_DEATH(this->filter_.view().contains_bitmap(std::vector<Hash>(65), std::span(words).first(1)),
                 "contains_bitmap got 65 keys and an output of 1 elements: make the output 2 elements long");
    this->filter_.contains_bitmap(kLengthKeys, words);
    EXPECT_EQ(words[0], ~std::uint64_t{0});
    EXPECT_EQ(words[15], (std::uint64_t{1} << 40) - 1);
  }
}

// Both spans are far longer than their memory: nothing of it is touched before the check.
TYPED_TEST(BatchLengths, more_keys_than_positions_of_32_bits_can_name_end_the_program_with_a_sentence) {
  if constexpr (!ForgettingLayout<TypeParam> && sizeof(std::size_t) > 4) {
    constexpr std::size_t kTooMany = (std::size_t{1} << 32) + 1;
    std::array<std::uint32_t, 1> positions{};
    const Hash hash;
    EXPECT_DEATH((void)this->filter_.select_present(std::span(&hash, kTooMany), std::span(positions.data(), kTooMany)),
                 "^bloomery: select_present got 4294967297 keys, and positions have 32 bits: "
                 "ask at most 2\\^32 keys at once\n$");
  }
}

TYPED_TEST(BatchLengths, too_few_answers_to_removes_end_the_program_and_remove_nothing) {
  if constexpr (BatchRemovingLayout<TypeParam>) {
    EXPECT_DEATH(this->filter_.remove_many(kLengthKeys, this->ten_),
                 "^bloomery: remove_many got 1000 keys and an output of 10 elements: "
                 "make the output 1000 elements long\n$");
    this->filter_.remove_many(kLengthKeys, this->room_);
    EXPECT_EQ(this->filter_.key_count(), 0u);
  }
}

TYPED_TEST(BatchLengths, room_for_more_answers_than_keys_is_welcome_and_stays_as_it_is) {
  this->room_.fill(7);
  ask_many(this->filter_, std::span(kLengthKeys).first(10), this->room_);
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(this->room_[i], i < 10 ? 1 : 7) << i;
  ask_many(this->filter_, std::vector<std::uint64_t>(), {});
}

TEST(BatchLengths, too_few_hashes_end_the_program_with_a_sentence) {
  std::array<Hash, 10> hashes;
  const std::string sentence =
      "^bloomery: hash_many got 11 keys and an output of 10 elements: make the output 11 elements long\n$";
  for (const Hasher& hasher : {Hasher::fnv_splitmix(), Hasher::xxh3()}) {
    EXPECT_DEATH(hasher.hash_many(some_keys(11), hashes), sentence);
    EXPECT_DEATH(hasher.hash_many(std::vector<std::string_view>(11), hashes), sentence);
  }
}

}  // namespace
}  // namespace bloomery
