// The sizes of ribbon filters beyond the golden rows: few bits at every rate, and clear refusals.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "bloomery/geometry/ribbon.h"
#include "support/named_bits.h"

namespace bloomery {
namespace {

TEST(RibbonSizing, plans_take_2_percent_more_than_the_least_possible_at_1_and_at_0_1_percent) {
  for (std::uint64_t n : {100'000ull, 123'457ull, 1'000'000ull, 1'000'000'000ull, 1'000'000'000'000ull}) {
    for (double fpr : {0.01, 0.001}) {
      const double bits = static_cast<double>(RibbonGeometry::for_capacity(n, fpr)->bits());
      EXPECT_LE(bits, 1.02 * static_cast<double>(n) * -std::log2(fpr)) << n << " " << fpr;
    }
  }
}

// The mix of columns costs at most 0.0861 bits, all else less than 0.8 %.
TEST(RibbonSizing, any_rate_can_be_asked_for_and_is_met) {
  double before = 0;
  for (double fpr = 0.5; fpr > std::ldexp(1, -32); fpr *= 0.97) {
    const RibbonGeometry geometry = *RibbonGeometry::for_capacity(1'000'000, fpr);
    const double bits = static_cast<double>(geometry.bits()) / 1e6;
    EXPECT_LE(bits, (-std::log2(fpr) + 0.0862) * 1.008 + 0.02) << fpr;
    EXPECT_GE(bits, before) << fpr;
    EXPECT_LE(geometry.predicted_fpr_after(1), fpr);
    EXPECT_GE(geometry.predicted_fpr_after(1), fpr * 0.998);
    before = bits;
  }
}

TEST(RibbonSizing, a_filter_of_no_keys_has_no_rate_and_one_of_few_lists_them) {
  EXPECT_EQ(RibbonGeometry{}.predicted_fpr_after(0), 0);
  EXPECT_EQ(RibbonGeometry{}.payload_bytes(), 8u);
  EXPECT_EQ(RibbonGeometry{}.cells(), 1u);
  const RibbonGeometry few = *RibbonGeometry::for_capacity(3, 0.01);
  EXPECT_EQ(few.cells(), 3u);
  EXPECT_LT(few.predicted_fpr_after(3), 1e-18);
  EXPECT_EQ(few.expected_fill(3), 1);
}

TEST(RibbonSizing, more_bits_a_key_make_a_lower_rate) {
  double before = 1;
  for (double bits = 1.2; bits < 32; bits += 0.37) {
    const RibbonGeometry geometry = *RibbonGeometry::for_bits_per_key(100'000, bits);
    EXPECT_LE(static_cast<double>(geometry.bits()), bits * 100'000) << bits;
    EXPECT_LT(geometry.predicted_fpr_after(1), before) << bits;
    before = geometry.predicted_fpr_after(1);
  }
}

TEST(RibbonSizing, what_it_cannot_reach_is_refused_with_a_kind_that_can) {
  const Error low = RibbonGeometry::for_capacity(1000, 1e-10).error();
  EXPECT_EQ(low.field, "fpr");
  EXPECT_NE(low.message.find("'quotient'"), std::string::npos) << low.message;
  for (double bad : {0.0, 1.0, 2.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_FALSE(RibbonGeometry::for_capacity(10, bad).ok());
  const Error few = RibbonGeometry::for_bits_per_key(1'000'000, 0.5).error();
  EXPECT_NE(few.message.find("1.02 bits per key"), std::string::npos) << few.message;
  for (double bad : {0.0, -1.0, std::numeric_limits<double>::infinity()})
    EXPECT_FALSE(RibbonGeometry::for_bits_per_key(10, bad).ok());
  EXPECT_EQ(RibbonGeometry::for_bits_per_key(1000, 1e300)->columns, 32u);
}

TEST(RibbonSizing, only_numbers_that_a_filter_can_have_make_a_geometry) {
  const std::array<std::uint64_t, 8> good = {1000, 7, 18350, 1, 50, 6, 6, 6};
  ASSERT_TRUE(RibbonGeometry::from_values(good).ok());
  EXPECT_EQ(RibbonGeometry::from_values(good)->values(), good);
  constexpr std::pair<std::size_t, std::uint64_t> kBad[] = {{0, (1ull << 48) + 1},
                                                            {1, 0},
                                                            {1, 1},
                                                            {1, 33},
                                                            {2, 65536},
                                                            {3, 4},
                                                            {4, 1001},
                                                            {4, 20},
                                                            {5, 51},
                                                            {5, 0},
                                                            {6, 5},
                                                            {7, 7}};
  for (const auto& [field, value] : kBad) {
    std::array<std::uint64_t, 8> bad = good;
    bad[field] = value;
    EXPECT_FALSE(RibbonGeometry::from_values(bad).ok()) << field << " " << value;
  }
  EXPECT_EQ(RibbonGeometry::from_values({1000, 7, 0, 0, 1001, 0, 0, 0}).error().field, "bumped_1");
}

TEST(RibbonSizing, the_least_bits_per_key_that_it_names_are_enough) {
  testing::expect_named_bits_suffice<RibbonGeometry>();
}

}  // namespace
}  // namespace bloomery
