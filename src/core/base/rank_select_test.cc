#include "bloomery/detail/rank_select.h"

#include <gtest/gtest.h>

#include <bit>

#include "bloomery/detail/fnv.h"

namespace bloomery::detail {
namespace {

TEST(RankSelect, count_and_place_are_those_of_one_bit_after_the_other) {
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    std::uint64_t word = splitmix64(i);  // as it is, sparse, dense; and the edges
    if (i % 3 == 1) word &= splitmix64(i + 1) & splitmix64(i + 2) & splitmix64(i + 3);
    if (i % 3 == 2) word |= splitmix64(i + 1) | splitmix64(i + 2) | splitmix64(i + 3);
    if (i < 64) word = std::uint64_t{1} << i;
    if (i == 64) word = ~std::uint64_t{0};
    ASSERT_EQ(count_bits(word), static_cast<unsigned>(std::popcount(word)));
    unsigned k = 0;
    for (std::uint64_t left = word; left != 0; left &= left - 1, ++k)
      ASSERT_EQ(place_of_bit(word, k), static_cast<unsigned>(std::countr_zero(left))) << word;
    ASSERT_EQ(count_difference(word, word & (word - 1)), word == 0 ? 0u : 1u);
  }
  EXPECT_EQ(count_bits(0), 0u);
}

}  // namespace
}  // namespace bloomery::detail
