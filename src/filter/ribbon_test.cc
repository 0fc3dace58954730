// What ribbon adds to the promises of every kind: no set of keys fails or loses one, any rate is met in hardly more
// than the least bits there can be, and the bytes do not depend on threads. Golden bytes are in ribbon_golden_test.cc.
#include "bloomery/ribbon.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "filter/ribbon_build.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::scaled;

std::vector<Hash> random_hashes(std::uint64_t first, std::size_t count) {
  std::vector<Hash> hashes;
  hashes.reserve(count);
  for (std::size_t i = 0; i < count; ++i) hashes.emplace_back(detail::splitmix64(first + i));
  return hashes;
}

std::uint64_t lost(const RibbonFilter& filter, std::span<const Hash> hashes) {
  std::vector<std::uint8_t> answers(hashes.size());
  filter.contains_many(hashes, answers);
  std::uint64_t denied = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i) denied += answers[i] != 1 || !filter.contains(hashes[i]);
  return denied;
}

double measured_rate(const RibbonFilter& filter, std::size_t asked) {
  const std::vector<Hash> hashes = random_hashes(1ull << 40, asked);
  std::vector<std::uint8_t> answers(asked);
  filter.contains_many(hashes, answers);
  std::uint64_t hits = 0;
  for (std::size_t i = 0; i < asked; ++i) hits += answers[i];
  return static_cast<double>(hits) / static_cast<double>(asked);
}

// How many of the sets had to be tried how often.
using Retries = std::array<std::uint64_t, RibbonGeometry::kMaxSeed + 1>;

void build_all(std::uint64_t from, std::uint64_t to, int sets, Retries& retries) {
  std::uint64_t first = from << 40;
  for (std::uint64_t n = from; n <= to; ++n) {
    for (int set = 0; set < sets; ++set, first += n) {
      const std::vector<Hash> hashes = random_hashes(first, n);
      const Result<RibbonFilter> filter = RibbonFilter::build(hashes, set % 2 == 0 ? 0.01 : 0.001);
      ASSERT_TRUE(filter.ok()) << n;
      ASSERT_EQ(lost(*filter, hashes), 0u) << n << ", set " << set;
      ASSERT_EQ(filter->key_count(), n);
      ++retries[filter->retries()];
    }
  }
}

TEST(Ribbon, no_set_of_random_keys_fails_or_loses_one) {
  Retries retries{};
  build_all(0, 200, scaled(20, 10'000), retries);
  build_all(11'480, 11'521, scaled(1, 10'000), retries);
  std::printf("sets by retries:");
  for (const std::uint64_t sets : retries) std::printf(" %llu", static_cast<unsigned long long>(sets));
  std::printf("\n");
  EXPECT_EQ(retries[1] + retries[2] + retries[3], 0u);
}

// Hashes that callers make of numbers of their own, without hashing them.
TEST(Ribbon, hashes_that_are_not_random_at_all_make_filters_as_good) {
  using Shape = std::uint64_t (*)(std::uint64_t);
  const Shape shapes[] = {[](std::uint64_t i) { return i; },
                          [](std::uint64_t i) { return ~i; },
                          [](std::uint64_t i) { return i << 44; },
                          [](std::uint64_t i) { return i << 63 | i >> 1; },
                          [](std::uint64_t i) { return i % 2 == 0 ? i : detail::splitmix64(i); },
                          [](std::uint64_t i) { return std::uint64_t{0x9e3779b97f4a7c15} * i; },
                          [](std::uint64_t i) { return i < 64 ? std::uint64_t{1} << i : i << 20 | 3; }};
  for (const Shape shape : shapes) {
    for (const std::size_t n : {1u, 10u, 64u, 100u, 300u, 1000u, 20'000u}) {
      std::vector<Hash> hashes;
      for (std::uint64_t i = 0; i < n; ++i) hashes.emplace_back(shape(i));
      for (std::uint64_t i = 0; i < n / 2; ++i) hashes.push_back(hashes[i]);  // which count once
      const RibbonFilter filter = *RibbonFilter::build(hashes, 0.01);
      ASSERT_EQ(lost(filter, hashes), 0u) << n;
      EXPECT_EQ(filter.key_count(), n);
      if (n == 20'000) {
        EXPECT_LE(8.0 * static_cast<double>(filter.bytes()), 1.04 * 6.644 * 20'000);
        EXPECT_LE(filter.retries(), 1u);
        EXPECT_NEAR(measured_rate(filter, 200'000), 0.01, 0.001);
      }
    }
  }
  // The one hash without coefficients, among others: nothing may be asked of it.
  std::vector<Hash> with_zero = random_hashes(0, 1000);
  with_zero.emplace_back(std::uint64_t{0} - 0x9e3779b97f4a7c15);
  EXPECT_EQ(lost(*RibbonFilter::build(with_zero, 0.01), with_zero), 0u);
  const std::vector<Hash> equal(1000, Hash(7));
  EXPECT_EQ(RibbonFilter::build(equal, 0.01)->key_count(), 1u);
}

TEST(Ribbon, the_rate_is_the_one_asked_for_in_2_percent_more_than_the_least_bits) {
  const std::size_t n = 100'000, asked = scaled(1'000'000u, 20'000'000u);
  const std::vector<Hash> hashes = random_hashes(0, n);
  for (const double fpr : {0.3, 0.01, 0.0033, 0.001}) {
    const RibbonFilter filter = *RibbonFilter::build(hashes, fpr, 2);
    EXPECT_EQ(lost(filter, hashes), 0u);
    const double bits = 8 * static_cast<double>(filter.bytes()) / static_cast<double>(n);
    EXPECT_LE(bits, (fpr == 0.3 ? 1.08 : 1.02) * -std::log2(fpr)) << fpr;
    const double deviation = std::sqrt(fpr / static_cast<double>(asked));
    EXPECT_NEAR(measured_rate(filter, asked), fpr, 4 * deviation + 0.005 * fpr);
    EXPECT_NEAR(filter.predicted_fpr(), fpr, 0.01 * fpr);
  }
}

TEST(Ribbon, low_rates_need_every_column) {
  for (const int columns : {1, 2, 8, 9, 15, 16, 17, 24, 25, 32}) {
    const std::vector<Hash> hashes = random_hashes(static_cast<std::uint64_t>(columns) << 32, 3000);
    const RibbonFilter filter = *RibbonFilter::build(hashes, std::ldexp(1, -columns));
    ASSERT_EQ(filter.geometry().columns, columns);
    EXPECT_EQ(lost(filter, hashes), 0u) << columns;
    const double expected = std::ldexp(200'000, -columns);
    EXPECT_NEAR(200'000 * measured_rate(filter, 200'000), expected, 5 * std::sqrt(expected) + 1) << columns;
  }
}

TEST(Ribbon, any_number_of_threads_makes_the_same_bytes) {
  for (const std::size_t n : {0u, 5u, 3000u, 100'000u, 300'000u}) {
    const std::vector<Hash> hashes = random_hashes(n, n);
    const RibbonFilter one = *RibbonFilter::build(hashes, 0.01, 1);
    for (const unsigned threads : {2u, 3u, 16u}) EXPECT_EQ(one, *RibbonFilter::build(hashes, 0.01, threads)) << n;
    EXPECT_EQ(lost(one, hashes), 0u);
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
  const RibbonFilter filter = *RibbonFilter::build(random_hashes(5, 6), 0.01);
  EXPECT_EQ(filter.geometry().bumped.back(), 6u);
  EXPECT_EQ(lost(filter, random_hashes(5, 6)), 0u);
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
  const RibbonView view = *RibbonView::over(bytes, geometry);
  EXPECT_TRUE(view.contains(Hash(12345)));
  std::vector<std::uint8_t> answers(1000);
  view.contains_many(random_hashes(0, 1000), answers);
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
    const Result<RibbonView> view = RibbonView::over(bytes, geometry);
    ASSERT_TRUE(view.ok());
    std::vector<Hash> hashes = random_hashes(random(), 200);
    hashes.emplace_back(0);
    hashes.emplace_back(~std::uint64_t{0});
    std::vector<std::uint8_t> answers(hashes.size());
    view->contains_many(hashes, answers);
    for (std::size_t i = 0; i < hashes.size(); ++i) ASSERT_EQ(answers[i], view->contains(hashes[i]));
    bytes.back() = 1;
    EXPECT_FALSE(RibbonView::over(bytes, geometry).ok());
  }
}

}  // namespace
}  // namespace bloomery
