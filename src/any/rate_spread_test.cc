// The spread of the rates of small filters, held to filters of other keys, which are asked.
#include "bloomery/rate_spread.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::scaled;

constexpr std::array kByChance = {Kind::classic, Kind::split, Kind::block, Kind::counting, Kind::partitioned};

// Filters of keys by another hash than those that the spread is made of. `world` makes all keys others.
AnyFilter filter_of(Kind kind, std::uint64_t n, double fpr, const std::string& world) {
  AnyFilter filter = *AnyFilter::with_capacity(kind, n, fpr, Hasher::siphash13(Secret({1, 2, 3})));
  for (std::uint64_t i = 0; i < n; ++i) EXPECT_TRUE(filter.add(world + std::to_string(i)).ok());
  return filter;
}

int hits_of(const AnyFilter& filter, const std::string& world, int questions) {
  int hits = 0;
  for (int i = 0; i < questions; ++i) hits += filter.contains(world + "no" + std::to_string(i)) ? 1 : 0;
  return hits;
}

// Rates are discrete: of equal ones some may lie on either side of an end.
TEST(RateSpread, a_tenth_of_all_filters_lies_outside) {
  constexpr int kQuestions = 300;
  const int filters = scaled(1000, 10'000);
  for (const Kind kind : {Kind::split, Kind::block, Kind::partitioned}) {
    for (const std::uint64_t n : {10u, 100u, 500u}) {
      const RateSpread spread = **rate_spread(kind, n, {.fpr = 0.05});
      int below = 0, up_to_low = 0, above = 0, from_high = 0;
      double hits = 0, expected_hits = 0;
      for (int number = 0; number < filters; ++number) {
        const std::string world = std::to_string(number) + ":";
        const AnyFilter filter = filter_of(kind, n, 0.05, world);
        const double rate = filter.view().predicted_fpr();
        below += rate < spread.low ? 1 : 0;
        up_to_low += rate <= spread.low ? 1 : 0;
        above += rate > spread.high ? 1 : 0;
        from_high += rate >= spread.high ? 1 : 0;
        hits += hits_of(filter, world, kQuestions);
        expected_hits += kQuestions * rate;
      }
      const std::string what = std::string(to_string(kind)) + " of " + std::to_string(n) + " keys";
      const double least = 0.02 * filters, most = 0.08 * filters;  // four standard deviations of both simulations
      EXPECT_LE(below, most) << what;
      EXPECT_GE(up_to_low, least) << what;
      EXPECT_LE(above, most) << what;
      EXPECT_GE(from_high, least) << what;
      EXPECT_NEAR(hits, expected_hits, 4 * std::sqrt(expected_hits) + 0.02 * expected_hits) << what;
    }
  }
}

TEST(RateSpread, holds_the_mean_and_narrows_with_the_number_of_keys) {
  for (const Kind kind : kByChance) {
    double before = 100;
    for (const std::uint64_t n : {30u, 300u, 3000u}) {
      const RateSpread spread = **rate_spread(kind, n, {});
      const double mean = plan_size(kind, n, {})->predicted_fpr;
      EXPECT_LT(spread.low, mean * 1.02) << to_string(kind) << n;
      EXPECT_GT(spread.high, mean * 0.98) << to_string(kind) << n;
      EXPECT_LT(spread.high / spread.low, before) << to_string(kind) << n;
      before = spread.high / spread.low;
    }
    EXPECT_LT(before, 1.4) << to_string(kind);
  }
}

TEST(RateSpread, is_always_the_same) {
  const RateSpread once = **rate_spread(Kind::block, 100, {}), again = **rate_spread(Kind::block, 100, {});
  EXPECT_EQ(once.low, again.low);
  EXPECT_EQ(once.high, again.high);
}

TEST(RateSpread, says_nothing_where_chance_does_not_decide) {
  for (const Kind kind : {Kind::fuse, Kind::ribbon, Kind::quotient, Kind::cuckoo, Kind::scalable, Kind::stable})
    EXPECT_FALSE(rate_spread(kind, 100, {})->has_value()) << to_string(kind);
  EXPECT_FALSE(rate_spread(Kind::block, kMostKeysOfSpread + 1, {})->has_value());
  EXPECT_TRUE(rate_spread(Kind::block, kMostKeysOfSpread, {})->has_value());
  EXPECT_FALSE(rate_spread(Kind::block, 0, {}).ok());
  EXPECT_FALSE(rate_spread(Kind::block, 100, {.fpr = 2}).ok());
}

}  // namespace
}  // namespace bloomery
