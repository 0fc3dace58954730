// What ribbon adds to the promises of every kind: no set of keys fails or loses one, any rate is met in hardly more
// than the least bits there can be, and the bytes do not depend on threads. Golden bytes are in golden_test.cc.
#include "bloomery/ribbon.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>
#include <vector>

#include "kinds/ribbon/build.h"
#include "support/static_sets.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::random_set;
using testing::scaled;

using Sets = testing::StaticSets<RibbonLayout>;

RibbonGeometry target(double fpr) { return *RibbonGeometry::for_capacity(1, fpr); }

double measured_rate(const RibbonFilter& filter, std::size_t asked) {
  const std::vector<Hash> hashes = random_set(1ull << 40, asked);
  std::vector<std::uint8_t> answers(asked);
  filter.contains_many(hashes, answers);
  std::uint64_t hits = 0;
  for (std::size_t i = 0; i < asked; ++i) hits += answers[i];
  return static_cast<double>(hits) / static_cast<double>(asked);
}

TEST(Ribbon, no_set_of_keys_fails_or_loses_one) {
  Sets sets(target(0.01));
  sets.check_sizes(0, 200, scaled<std::uint64_t>(20, 10'000));
  sets.check_sizes(11'480, 11'521, scaled<std::uint64_t>(1, 10'000));
  EXPECT_EQ(sets.with_retries(), 0u);
  sets.print("ribbon");
}

// Hashes that callers make of numbers of their own, without hashing them.
TEST(Ribbon, hashes_that_are_not_random_at_all_make_filters_as_good) {
  Sets sets(target(0.01));
  for (const std::uint64_t n : {1u, 10u, 64u, 100u, 300u, 1000u, 20'000u}) {
    for (const testing::NamedSet& set : testing::odd_sets(n)) {
      const RibbonFilter filter = sets.check(set.hashes);
      const std::uint64_t keys = *filter.key_count();
      EXPECT_LE(filter.retries(), 1u) << set.name << " " << n;
      if (keys < 20'000) continue;
      EXPECT_LE(8.0 * static_cast<double>(filter.bytes()), 1.04 * 6.644 * 20'000) << set.name;
      EXPECT_NEAR(measured_rate(filter, 200'000), 0.01, 0.001) << set.name;
    }
  }
  // The one hash without coefficients, among others: nothing may be asked of it.
  std::vector<Hash> with_zero = random_set(0, 1000);
  with_zero.emplace_back(std::uint64_t{0} - 0x9e3779b97f4a7c15);
  sets.check(with_zero);
}

TEST(Ribbon, the_rate_is_the_one_asked_for_in_2_percent_more_than_the_least_bits) {
  const std::size_t n = 100'000, asked = scaled(1'000'000u, 20'000'000u);
  const std::vector<Hash> hashes = random_set(0, n);
  for (const double fpr : {0.3, 0.01, 0.0033, 0.001}) {
    const RibbonFilter filter = Sets(target(fpr)).check(hashes, 2);
    const double bits = 8 * static_cast<double>(filter.bytes()) / static_cast<double>(n);
    EXPECT_LE(bits, (fpr == 0.3 ? 1.08 : 1.02) * -std::log2(fpr)) << fpr;
    const double deviation = std::sqrt(fpr / static_cast<double>(asked));
    EXPECT_NEAR(measured_rate(filter, asked), fpr, 4 * deviation + 0.005 * fpr);
    EXPECT_NEAR(filter.predicted_fpr(), fpr, 0.01 * fpr);
  }
}

TEST(Ribbon, a_rate_that_no_filter_has_is_refused_before_anything_is_built) {
  const std::vector<Hash> keys = random_set(0, 1000);
  for (const auto& [columns, low_share, field] : {std::tuple(0, 0, "columns"), std::tuple(33, 0, "columns"),
                                                  std::tuple(65'535, 0, "columns"), std::tuple(1, 1, "low_share")}) {
    RibbonGeometry wrong = target(0.01);
    wrong.columns = static_cast<std::uint16_t>(columns);
    wrong.low_share = static_cast<std::uint16_t>(low_share);
    const auto refused = RibbonFilter::build_like(wrong, detail::key_run(Hasher::xxh3(), keys), {}, 1);
    ASSERT_FALSE(refused.ok()) << columns;
    EXPECT_EQ(refused.error().field, field) << columns;
  }
}

TEST(Ribbon, low_rates_need_every_column) {
  for (const int columns : {1, 2, 8, 9, 15, 16, 17, 24, 25, 32}) {
    const std::vector<Hash> hashes = random_set(static_cast<std::uint64_t>(columns) << 32, 3000);
    const RibbonFilter filter = Sets(target(std::ldexp(1, -columns))).check(hashes);
    ASSERT_EQ(filter.geometry().columns, columns);
    const double expected = std::ldexp(200'000, -columns);
    EXPECT_NEAR(200'000 * measured_rate(filter, 200'000), expected, 5 * std::sqrt(expected) + 1) << columns;
  }
}

TEST(Ribbon, any_number_of_threads_makes_the_same_bytes) {
  for (const std::size_t n : {0u, 5u, 3000u, 100'000u, 300'000u}) {
    const std::vector<Hash> hashes = random_set(n, n);
    const RibbonFilter one = Sets(target(0.01)).check(hashes);
    for (const unsigned threads : {2u, 3u, 16u}) EXPECT_EQ(one, *RibbonFilter::build(hashes, 0.01, threads)) << n;
  }
}

// A filter that no seed helps is still one: what finds no place moves on, and at last is listed.
TEST(Ribbon, keys_that_all_want_the_same_place_are_bumped_without_loss) {
  std::vector<Hash> same_start;
  for (std::uint64_t i = 0; i < 5000; ++i) same_start.emplace_back(i);
  const detail::RibbonLayer layer(600, 7, 0);
  EXPECT_FALSE(detail::solve_ribbon_layer(layer, 7, same_start, 1, false).has_value());
  const detail::RibbonSolved solved = *detail::solve_ribbon_layer(layer, 7, same_start, 1, true);
  EXPECT_EQ(solved.bumped.size(), 5000u);
  EXPECT_TRUE(
      std::is_sorted(solved.bumped.begin(), solved.bumped.end(), [](Hash a, Hash b) { return a.bits < b.bits; }));
}

TEST(Ribbon, listed_keys_are_found_and_others_are_not) {
  const RibbonFilter filter = Sets(target(0.01)).check(random_set(5, 6));
  EXPECT_EQ(filter.geometry().bumped.back(), 6u);
  EXPECT_EQ(measured_rate(filter, 10'000), 0);
  EXPECT_FALSE(RibbonView().contains("a"));
  EXPECT_EQ(measured_rate(*RibbonFilter::build(std::vector<Hash>(), 0.01), 1000), 0);
}

// Four layers that bump all they have, by codes of 3, and a list of one key behind them.
TEST(Ribbon, a_list_behind_layers_is_found) {
  const RibbonGeometry geometry = *RibbonGeometry::from_values({7, 2, 0, 0, 7, 7, 7, 7});
  std::vector<std::uint8_t> bytes(geometry.payload_bytes());
  const detail::RibbonMap map(geometry);
  for (const std::uint64_t layer : map.offsets) bytes[layer] = 3;
  std::uint64_t place = 12345;
  for (int i = 0; i < 4; ++i) place = detail::splitmix64(place);
  for (std::uint64_t i = 0; i < 7; ++i) detail::store_le(&bytes[map.list + 8 * i], i < 6 ? place - 6 + i : place);
  const RibbonView view = *RibbonView::from_payload(bytes, geometry);
  EXPECT_TRUE(view.contains(Hash(12345)));
  std::vector<std::uint8_t> answers(1000);
  view.contains_many(random_set(0, 1000), answers);
  EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), 0);
}

// Whatever bytes are found: a lookup stays inside them (which sanitizers see), and batches agree with single lookups.
TEST(Ribbon, random_bytes_of_any_geometry_can_be_asked) {
  std::mt19937_64 random(3);
  for (int round = 0; round < scaled(300, 30'000); ++round) {
    RibbonGeometry geometry = *RibbonGeometry::for_capacity(1 + random() % (round % 50 == 0 ? 80'000 : 3000), 0.01);
    geometry.columns = static_cast<std::uint16_t>(1 + random() % 32);
    geometry.low_share = geometry.columns == 1 ? 0 : static_cast<std::uint16_t>(random());
    geometry.seed = random() % 4;
    for (std::size_t i = 0; i < geometry.bumped.size(); ++i) {
      const std::uint64_t keys = geometry.keys_of(i), kept = std::min(keys, detail::ribbon_layer(geometry, i).slots());
      geometry.bumped[i] = keys - random() % (kept + 1);
    }
    std::vector<std::uint8_t> bytes(geometry.payload_bytes());
    for (std::size_t i = 0; i + detail::kRibbonPadding < bytes.size(); ++i)
      bytes[i] = static_cast<std::uint8_t>(random());
    const Result<RibbonView> view = RibbonView::from_payload(bytes, geometry);
    ASSERT_TRUE(view.ok());
    std::vector<Hash> hashes = random_set(random(), 200);
    hashes.emplace_back(0);
    hashes.emplace_back(~std::uint64_t{0});
    std::vector<std::uint8_t> answers(hashes.size());
    view->contains_many(hashes, answers);
    for (std::size_t i = 0; i < hashes.size(); ++i) ASSERT_EQ(answers[i], view->contains(hashes[i]));
    bytes.back() = 1;
    EXPECT_FALSE(RibbonView::from_payload(bytes, geometry).ok());
  }
}

}  // namespace
}  // namespace bloomery
