#include "bloomery/growth.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace bloomery {
namespace {

// 10 million keys that grow by 30 % a year.
Growth example() {
  Growth growth;
  growth.current = 10'000'000;
  growth.growth = 0.3;
  return growth;
}

TEST(Growth, ten_million_keys_at_thirty_percent_need_room_for_twenty_million) {
  const Result<GrowthPlan> plan = plan_growth(example());
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->n, 20'442'089u);
  EXPECT_EQ(plan->n_at_rebuild, 10'221'045u);
  EXPECT_EQ(plan->next_n, 20'893'950u);
  EXPECT_NEAR(*plan->years_until_full, 2.7253, 0.0001);
}

TEST(Growth, three_years_without_a_rebuild_need_room_for_forty_four_million) {
  Growth growth = example();
  growth.rebuild_years = 3;
  const Result<GrowthPlan> plan = plan_growth(growth);
  EXPECT_EQ(plan->n, 43'940'000u);
  EXPECT_EQ(plan->n_at_rebuild, 21'970'000u);
  EXPECT_EQ(plan->next_n, 96'536'180u);
}

TEST(Growth, volatility_is_room_on_top_and_buys_no_time) {
  Growth growth = example();
  growth.volatility = 0.2;
  const Result<GrowthPlan> plan = plan_growth(growth);
  EXPECT_EQ(plan->n, 24'530'507u);
  EXPECT_EQ(plan->n_at_rebuild, 12'265'253u);
  EXPECT_EQ(plan->years_until_full, plan_growth(example())->years_until_full);
}

TEST(Growth, it_is_full_when_the_trend_with_volatility_reaches_n) {
  for (double period : {Growth::kDay, Growth::kWeek, Growth::kMonth, Growth::kYear})
    for (double rate : {0.0001, 0.01, 0.5, 3.0}) {
      const Growth growth{1'000'000'000, rate, period, period * 2, 1.7, 0.35};
      const Result<GrowthPlan> plan = plan_growth(growth);
      ASSERT_TRUE(plan.ok());
      const double then = 1e9 * std::pow(1 + rate, *plan->years_until_full / period) * 1.35;
      EXPECT_NEAR(then / static_cast<double>(plan->n), 1, 1e-9) << rate << " in " << period;
    }
}

TEST(Growth, growth_compounds_in_its_own_unit) {
  Growth monthly{1'000'000, 0.02, Growth::kMonth, 1, 1, 0};
  EXPECT_EQ(plan_growth(monthly)->n, 1'268'242u);  // 1.02^12
  Growth daily{1'000'000, 0.01, Growth::kDay, Growth::kWeek, 1, 0};
  EXPECT_EQ(plan_growth(daily)->n, 1'072'135u);  // 1.01^7
}

TEST(Growth, keys_that_dwindle_or_stay_count_as_they_are_now) {
  for (double rate : {0.0, -0.1, -0.999999}) {
    Growth growth = example();
    growth.growth = rate;
    const Result<GrowthPlan> plan = plan_growth(growth);
    ASSERT_TRUE(plan.ok()) << rate;
    EXPECT_EQ(plan->n, 20'000'000u);
    EXPECT_EQ(plan->n_at_rebuild, 10'000'000u);
    EXPECT_EQ(plan->next_n, 20'000'000u);
    EXPECT_FALSE(plan->years_until_full.has_value());
  }
}

TEST(Growth, without_headroom_it_is_full_at_the_rebuild) {
  Growth growth = example();
  growth.headroom = 1;
  EXPECT_EQ(plan_growth(growth)->n, plan_growth(growth)->n_at_rebuild);
  EXPECT_EQ(plan_growth(growth)->years_until_full, growth.rebuild_years);
}

TEST(Growth, refuses_numbers_that_mean_nothing_and_names_them) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const auto refused = [](double Growth::*field, double value) {
    Growth growth = example();
    growth.*field = value;
    const Result<GrowthPlan> plan = plan_growth(growth);
    return plan.ok() ? std::string("accepted") : plan.error().field;
  };
  for (double value : {-1.0, -2.0, nan, infinity, -infinity}) EXPECT_EQ(refused(&Growth::growth, value), "growth");
  for (double value : {0.0, -1.0, nan, infinity}) {
    EXPECT_EQ(refused(&Growth::growth_years, value), "growth_years");
    EXPECT_EQ(refused(&Growth::rebuild_years, value), "rebuild_years");
  }
  for (double value : {0.999, 0.0, -2.0, nan, infinity}) EXPECT_EQ(refused(&Growth::headroom, value), "headroom");
  for (double value : {-0.001, nan, infinity}) EXPECT_EQ(refused(&Growth::volatility, value), "volatility");
  EXPECT_EQ(plan_growth({}).error().field, "current");
}

TEST(Growth, more_than_two_to_the_63_keys_are_refused) {
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;
  EXPECT_EQ(plan_growth({kLimit / 2})->n, kLimit);
  EXPECT_EQ(plan_growth({kLimit / 2 + (kLimit >> 50)}).error().field, "n");
  EXPECT_EQ(plan_growth({~std::uint64_t{0}}).error().field, "n");
  EXPECT_EQ(plan_growth({1, 1, Growth::kDay, 100, 1, 0}).error().field, "n");
  EXPECT_EQ(plan_growth({1, 1e300, Growth::kDay, 1e300, 1e300, 1e300}).error().field, "n");
  // The next filter alone may be past it: this one is not.
  const Result<GrowthPlan> plan = plan_growth({10, 1, Growth::kDay, 32 * Growth::kDay, 2, 0});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->next_n, kLimit);
}

TEST(Growth, growth_too_slow_to_count_never_fills_it) {
  Growth growth = example();
  growth.growth = std::numeric_limits<double>::denorm_min();
  EXPECT_FALSE(plan_growth(growth)->years_until_full.has_value());
}

}  // namespace
}  // namespace bloomery
