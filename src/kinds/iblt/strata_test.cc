// What the estimates promise: the truth within their interval nearly always, whatever the size of the difference.
#include <gtest/gtest.h>

#include "bloomery/iblt.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::scaled;

// Two sketches, one less the other, of sets that differ in d keys and have 100 in common.
template <class Sketch, class Add>
Sketch difference(Sketch a, Sketch b, std::uint64_t d, std::uint64_t seed, const Add& add) {
  for (std::uint64_t i = 0; i < d; ++i) add(i % 3 == 0 ? a : b, seed << 40 | i);
  for (std::uint64_t i = 0; i < 100; ++i) add(a, seed << 40 | 1ull << 39 | i), add(b, seed << 40 | 1ull << 39 | i);
  EXPECT_TRUE(a.subtract(b).ok());
  return a;
}

struct Score {
  std::uint64_t tries = 0, inside = 0, exact = 0;
  double worst = 0;  // how far off, of the truth, beyond one key: of two keys one is half
  void count(std::uint64_t truth, const IbltEstimate& estimate) {
    ++tries;
    inside += estimate.low <= truth && truth <= estimate.high ? 1u : 0u;
    exact += estimate.count == truth ? 1u : 0u;
    const double off = std::abs(static_cast<double>(estimate.count) - static_cast<double>(truth)) - 1;
    if (truth > 0) worst = std::max(worst, off / static_cast<double>(truth));
  }
};

TEST(StrataEstimator, tells_any_difference_within_its_interval) {
  for (const std::uint64_t d : {0u, 1u, 2u, 10u, 100u, 300u, 1000u, 3000u, 10'000u, 100'000u}) {
    Score score;
    for (std::uint64_t seed = 0; seed < scaled<std::uint64_t>(d > 9999 ? 2 : 20, d > 9999 ? 100 : 2000); ++seed) {
      StrataEstimator a = StrataEstimator::make().value(), b = StrataEstimator::make().value();
      const auto add = [](StrataEstimator& to, std::uint64_t x) {
        to.add(std::string_view(reinterpret_cast<const char*>(&x), 8));
      };
      const IbltEstimate estimate = difference(std::move(a), std::move(b), d, seed, add).estimate().value();
      score.count(d, estimate);
    }
    if (d <= 100) {  // spec/iblt.md: 99 times in 100
      EXPECT_GE(static_cast<double>(score.exact), 0.99 * static_cast<double>(score.tries)) << d;
    }
    EXPECT_GE(static_cast<double>(score.inside), 0.9 * static_cast<double>(score.tries) - 1) << d;
    EXPECT_LT(score.worst, testing::soak() ? 0.40 : 0.25) << d;
  }
}

TEST(Iblt, its_counts_tell_any_difference_within_their_interval) {
  for (const std::uint64_t d : {0u, 1u, 2u, 10u, 100u, 1000u, 10'000u, 100'000u}) {
    Score score;
    for (std::uint64_t seed = 0; seed < scaled<std::uint64_t>(d > 9999 ? 2 : 20, d > 9999 ? 100 : 2000); ++seed) {
      Iblt a = Iblt::for_differences(500, 8).value(), b = Iblt::for_differences(500, 8).value();
      const auto add = [](Iblt& to, std::uint64_t x) {
        ASSERT_TRUE(to.add(std::string_view(reinterpret_cast<const char*>(&x), 8)).ok());
      };
      score.count(d, difference(std::move(a), std::move(b), d, seed, add).estimate());
    }
    EXPECT_GE(static_cast<double>(score.inside), 0.9 * static_cast<double>(score.tries) - 1) << d;
    EXPECT_LT(score.worst, testing::soak() ? 0.40 : 0.25) << d;
  }
}

TEST(StrataEstimator, others_are_not_subtracted_and_counts_follow) {
  StrataEstimator a = StrataEstimator::make().value();
  a.add("x");
  EXPECT_EQ(a.key_count(), 1u);
  EXPECT_EQ(a.subtract(StrataEstimator::make(Hasher::xxh64()).value()).error().field, "hash");
  IbltGeometry two = IbltGeometry::estimator();
  two.strata = 2;
  EXPECT_EQ(a.subtract(StrataEstimator::with_geometry(two, Hasher::xxh3()).value()).error().field, "strata");
  EXPECT_FALSE(StrataEstimator::with_geometry(IbltGeometry{}, Hasher::xxh3()).ok());
  EXPECT_FALSE(Iblt::with_geometry(two).ok());
}

TEST(StrataEstimator, that_was_moved_from_has_no_strata_and_estimates_nothing) {
  StrataEstimator a = StrataEstimator::make(Hasher::xxh3(7)).value();
  a.add("x");
  StrataEstimator owner = std::move(a);
  EXPECT_EQ(owner.estimate()->count, 1u);
  EXPECT_TRUE(a.strata().empty());  // NOLINT(bugprone-use-after-move): that is what is tested
  EXPECT_EQ(a.estimate()->count, 0u);
  EXPECT_EQ(a.key_count(), 0u);
  EXPECT_EQ(a.hasher(), Hasher::xxh3(7));
  EXPECT_EQ(a.clone()->estimate()->count, 0u);
  EXPECT_EQ(a.subtract(owner).error().field, "strata");
  EXPECT_DEATH(a.add("y"), "^bloomery: add was called on ");
  a = std::move(owner);
  EXPECT_EQ(a.estimate()->count, 1u);
}

}  // namespace
}  // namespace bloomery
