#include "any/size.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

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

// Integers, so that they are hashed on the way.
std::vector<std::uint64_t> numbers(std::uint64_t count) {
  std::vector<std::uint64_t> keys(count);
  std::iota(keys.begin(), keys.end(), 1);
  return keys;
}

template <class Filter>
class RunOfKeys : public ::testing::Test {};
using TakingFilters = ::testing::Types<BlockFilter, SplitFilter, QuotientFilter, ClassicFilter>;
TYPED_TEST_SUITE(RunOfKeys, TakingFilters);

TYPED_TEST(RunOfKeys, makes_the_filter_that_its_own_class_makes) {
  const std::vector<std::uint64_t> keys = numbers(100'001), more(1, 7);
  const TypeParam own = *TypeParam::build(keys, 0.01);
  for (unsigned threads : {1u, 3u}) {
    AnyFilter any = *AnyFilter::build(TypeParam::Geometry::kKind, keys, {0.01}, {}, threads);
    EXPECT_TRUE(any.view() == AnyView(own.view())) << threads;
    EXPECT_EQ(any.key_count(), keys.size());
    EXPECT_TRUE(any.add_many(more, threads).ok());
    EXPECT_EQ(any.key_count(), keys.size() + 1);
  }
}

TYPED_TEST(RunOfKeys, is_taken_by_a_filter_that_was_moved_from) {
  const std::vector<std::uint64_t> keys = numbers(30'000);
  for (unsigned threads : {1u, 3u}) {
    AnyFilter any = *AnyFilter::with_capacity(TypeParam::Geometry::kKind, 100'000, 0.01);
    const AnyFilter owner = std::move(any);
    const Status status = any.add_many(keys, threads);  // NOLINT(bugprone-use-after-move)
    EXPECT_TRUE(status.ok() || status.error().code == ErrorCode::full) << threads;
    EXPECT_TRUE(any.key_count() == keys.size() || !status.ok()) << threads;
    EXPECT_EQ(owner.key_count(), 0u);
    for (std::uint64_t key = 1; key <= any.key_count(); ++key) ASSERT_TRUE(any.view().contains(key)) << key;
  }
}

}  // namespace
}  // namespace bloomery
