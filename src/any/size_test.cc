#include "any/size.h"

#include <gtest/gtest.h>

#include "bloomery/any.h"

namespace bloomery {
namespace {

constexpr GrowthPlan kPlan{20'442'089, 10'221'045, 20'893'950, 2.7};

TEST(GrowthSize, is_the_size_for_n_with_what_a_rebuild_adds) {
  for (Kind kind : kAllKinds) {
    if (!can(kind, Ability::add)) {
      EXPECT_EQ(plan_growth_size(kind, kPlan, 0.001).error().code, ErrorCode::unsupported) << to_string(kind);
      continue;
    }
    const Result<GrowthSize> plan = plan_growth_size(kind, kPlan, 0.001);
    const Result<SizePlan> now = plan_size(kind, kPlan.n, {0.001});
    const Result<SizePlan> next = plan_size(kind, kPlan.next_n, {0.001});
    ASSERT_TRUE(plan.ok()) << to_string(kind);
    EXPECT_EQ(plan->size.geometry, now->geometry);
    EXPECT_EQ(plan->size.bytes, now->bytes);
    EXPECT_EQ(plan->size.bits, now->bits);
    EXPECT_EQ(plan->size.predicted_fpr, now->predicted_fpr);
    EXPECT_EQ(plan->peak_bytes, now->bytes + next->bytes);
    EXPECT_EQ(plan->size.warning, "");
  }
}

TEST(GrowthSize, classic_takes_37_megabytes_for_20_million_keys_at_one_in_a_thousand) {
  const Result<GrowthSize> plan = plan_growth_size(Kind::classic, kPlan, 0.001);
  EXPECT_EQ(plan->size.bytes, 36'738'491u);
  EXPECT_EQ(plan->peak_bytes, 74'289'066u);
  EXPECT_EQ(plan_growth_size(Kind::classic, {43'940'000, 21'970'000, 96'536'180, {}}, 0.001)->size.bytes, 78'968'900u);
}

TEST(GrowthSize, the_rate_at_the_rebuild_is_that_of_the_same_filter_with_fewer_keys) {
  const double block = BlockGeometry::for_capacity(kPlan.n, 0.001)->predicted_fpr_after(kPlan.n_at_rebuild);
  EXPECT_EQ(plan_growth_size(Kind::block, kPlan, 0.001)->fpr_at_rebuild, block);
  EXPECT_NEAR(block, 1.377e-5, 0.001e-5);
}

TEST(GrowthSize, a_kind_that_cannot_serve_the_next_rebuild_says_so) {
  const GrowthPlan plan{800'000'000, 400'000'000, 3'200'000'000, 3};
  const Result<GrowthSize> classic = plan_growth_size(Kind::classic, plan, 0.01);
  ASSERT_TRUE(classic.ok());
  EXPECT_FALSE(classic->peak_bytes.has_value());
  EXPECT_NE(classic->size.warning.find("at the next rebuild: "), std::string::npos);
  EXPECT_TRUE(plan_growth_size(Kind::block, plan, 0.01)->peak_bytes.has_value());
  EXPECT_FALSE(plan_growth_size(Kind::classic, {plan.next_n, 1, 1, {}}, 0.01).ok());
}

}  // namespace
}  // namespace bloomery
