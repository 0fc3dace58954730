// split and block deliver the rate of their formula: on the key shapes that broke other filters, at every target they
// go to, from one key to beyond 2^32 bits. A small filter of blocks delivers the one that its own bits give. Modest
// counts in `make test`, the full ones in `make soak`.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bloomery/bloomery.h"
#include "support/key_shapes.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::kShapes;
using testing::scaled;
using testing::Shape;

template <class Filter>
class BlockedFpr : public ::testing::Test {};
using Kinds = ::testing::Types<SplitFilter, BlockFilter>;
TYPED_TEST_SUITE(BlockedFpr, Kinds);

// Four standard deviations of chance, but at least 5 %.
double tolerance(double expected_hits) { return std::max(0.05, 4 / std::sqrt(expected_hits)); }

TYPED_TEST(BlockedFpr, measured_is_the_formula_on_every_key_shape_and_target) {
  const std::uint64_t n = scaled<std::uint64_t>(100'000, 1'000'000);
  for (double target : {0.01, 0.001, 1e-5}) {
    for (const Shape& shape : kShapes) {
      TypeParam filter = *TypeParam::with_capacity(n, target);
      for (std::uint64_t i = 0; i < n; ++i) filter.add(shape.key(i, n));
      for (std::uint64_t i = 0; i < n; i += 7) ASSERT_TRUE(filter.contains(shape.key(i, n)));
      const double formula = filter.geometry().predicted_fpr_after(n);
      EXPECT_LE(formula, target);
      // Four standard deviations of filters among themselves: at the lowest target a few crowded blocks make the rate.
      EXPECT_NEAR(filter.predicted_fpr() / formula, 1, target < 1e-4 ? 0.2 : 0.05);
      const std::uint64_t asked = scaled<std::uint64_t>(400'000, 10'000'000);
      std::uint64_t hits = 0;
      for (std::uint64_t i = n; i < n + asked; ++i) hits += filter.contains(shape.key(i, n));
      const double expected = formula * static_cast<double>(asked);
      EXPECT_NEAR(static_cast<double>(hits) / expected, 1, tolerance(expected)) << shape.name << " at " << target;
    }
  }
}

TYPED_TEST(BlockedFpr, tiny_filters_measure_the_exact_form) {
  for (std::uint64_t n : {std::uint64_t{1}, std::uint64_t{10}, std::uint64_t{1000}}) {
    const std::uint64_t filters = scaled<std::uint64_t>(200'000, 5'000'000) / (n + 10), asked = 200;
    TypeParam filter = *TypeParam::with_capacity(n, 0.01);
    std::uint64_t hits = 0;
    for (std::uint64_t f = 0; f < filters; ++f) {
      filter.clear();
      for (std::uint64_t i = 0; i < n; ++i) filter.add(Hash(detail::splitmix64(f * 1'000'000 + i)));
      for (std::uint64_t i = 0; i < asked; ++i)
        hits += filter.contains(Hash(detail::splitmix64((std::uint64_t{1} << 50) + f * asked + i)));
    }
    const double expected = filter.geometry().predicted_fpr_after(n) * static_cast<double>(filters * asked);
    // Filters differ among themselves: their spread, not the count of hits, sets the chance for n = 1.
    EXPECT_NEAR(static_cast<double>(hits) / expected, 1, std::max(0.05, 8 / std::sqrt(expected))) << "n = " << n;
  }
}

template <class Filter>
class BlocksAtHand : public ::testing::Test {};
using KindsOfBlocks = ::testing::Types<SplitFilter, BlockFilter, ScalableFilter>;
TYPED_TEST_SUITE(BlocksAtHand, KindsOfBlocks);

// Keys fall into blocks by chance, so small filters of one geometry and one fill differ several times over in their
// rates. Each is held to its own, at its capacity and beyond.
TYPED_TEST(BlocksAtHand, every_small_filter_measures_what_it_predicts) {
  const std::uint64_t filters = scaled<std::uint64_t>(10, 200), asked = scaled<std::uint64_t>(100'000, 1'000'000);
  std::uint64_t next = 0;
  const auto check = [&](std::uint64_t n, double target, std::uint64_t keys) {
    TypeParam filter = *TypeParam::with_capacity(n, target);
    for (std::uint64_t i = 0; i < keys; ++i) (void)filter.add(Hash(detail::splitmix64(next++)));
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < asked; ++i) hits += filter.contains(Hash(detail::splitmix64(next++)));
    const double expected = filter.predicted_fpr() * static_cast<double>(asked);
    EXPECT_NEAR(static_cast<double>(hits), expected, 5 * std::sqrt(expected) + 0.03 * expected + 1)
        << keys << " keys in a filter for " << n << " at " << target;
  };
  for (const std::uint64_t n : {10u, 30u, 100u, 300u})
    for (const double target : {0.1, 0.01, 1e-4})
      for (const std::uint64_t times : {1u, 2u, 4u})
        for (std::uint64_t f = 0; f < filters; ++f) check(n, target, times * n);
}

// Adds n random hashes, checks that none is lost, and compares the rate with the formula.
template <class Filter>
void check_large(std::uint64_t n, double target) {
  Filter filter = *Filter::with_capacity(n, target);
  std::vector<Hash> hashes(4096);
  std::vector<std::uint8_t> answers(hashes.size());
  const auto fill = [&](std::uint64_t first) {
    for (std::uint64_t i = 0; i < hashes.size(); ++i) hashes[i] = Hash(detail::splitmix64(first + i));
  };
  const auto count = [&] { return static_cast<std::uint64_t>(std::count(answers.begin(), answers.end(), 1)); };
  const std::uint64_t rounds = n / hashes.size(), asked = scaled<std::uint64_t>(2'000'000, 20'000'000) / hashes.size();
  for (std::uint64_t r = 0; r < rounds; ++r) fill(r * hashes.size()), (void)filter.add_many(hashes);
  std::uint64_t found = 0, hits = 0;
  for (std::uint64_t r = 0; r < rounds; ++r)
    fill(r * hashes.size()), filter.contains_many(hashes, answers), found += count();
  EXPECT_EQ(found, rounds * hashes.size());
  for (std::uint64_t r = 0; r < asked; ++r) {
    fill((std::uint64_t{1} << 50) + r * hashes.size());
    filter.contains_many(hashes, answers);
    hits += count();
  }
  const double expected =
      filter.geometry().predicted_fpr_after(rounds * hashes.size()) * static_cast<double>(asked * hashes.size());
  EXPECT_NEAR(static_cast<double>(hits) / expected, 1, tolerance(expected)) << "n = " << n;
}

TYPED_TEST(BlockedFpr, large_filters_lose_nothing_and_measure_the_formula) {
  check_large<TypeParam>(scaled<std::uint64_t>(2'000'000, 50'000'000), 0.01);
  if (testing::soak()) check_large<TypeParam>(50'000'000, 0.001);
}

TYPED_TEST(BlockedFpr, filters_past_2_to_the_32_bits_measure_the_formula) {
  if (!testing::soak()) GTEST_SKIP() << "make soak runs this: 450 million keys";
  check_large<TypeParam>(450'000'000, 0.01);
}

}  // namespace
}  // namespace bloomery
