// What two filters have in common: intervals that cover the truth as often as they say, and honest refusals.
#include "bloomery/overlap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "bloomery/detail/fnv.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::scaled;

constexpr std::array kTelling = {Kind::classic, Kind::split, Kind::block, Kind::partitioned, Kind::counting};

// Sets of so many keys, of which `common` are in both; `world` makes them others.
struct Sets {
  std::uint64_t a, b, common, world = 0;
};

AnyFilter filter_of(Kind kind, std::uint64_t capacity, double fpr) {
  Result<AnyFilter> filter = AnyFilter::with_capacity(kind, capacity, fpr);
  EXPECT_TRUE(filter.ok()) << filter.error().message;
  return *std::move(filter);
}

void add(AnyFilter& filter, std::uint64_t first, std::uint64_t count) {
  std::vector<Hash> hashes;
  for (std::uint64_t i = 0; i < count; ++i) hashes.emplace_back(detail::splitmix64(first + i));
  ASSERT_TRUE(filter.add_many(hashes).ok());
}

Result<Overlap> overlap_of(Kind kind, std::uint64_t capacity, double fpr, const Sets& sets) {
  AnyFilter a = filter_of(kind, capacity, fpr), b = filter_of(kind, capacity, fpr);
  const std::uint64_t start = sets.world << 32;
  for (AnyFilter* filter : {&a, &b}) add(*filter, start, sets.common);
  add(a, start + (1u << 30), sets.a - sets.common);
  add(b, start + (2u << 30), sets.b - sets.common);
  return overlap(a.view(), b.view());
}

bool covers(const Estimate& estimate, double truth) { return estimate.low <= truth && truth <= estimate.high; }

// How many of the intervals hold the truth, of as many pairs of sets.
struct Tally {
  int worlds = 0, a = 0, all = 0, common = 0, jaccard = 0;

  void add(const Overlap& found, const Sets& sets) {
    const auto all_keys = static_cast<double>(sets.a + sets.b - sets.common), both = static_cast<double>(sets.common);
    ++worlds;
    a += covers(found.a, static_cast<double>(sets.a));
    all += covers(found.all, all_keys);
    common += covers(found.common, both);
    jaccard += covers(found.jaccard, both / all_keys);
  }
};

struct Case {
  std::uint64_t capacity;
  double fpr;
  Sets sets;
};
// Half full, full, and filled twice and thrice over; nothing, little, half and nearly all in common; sizes alike and
// not.
constexpr std::array kCases = {
    Case{2000, 0.01, {1000, 1000, 0}},    Case{2000, 0.01, {2000, 2000, 100}},  Case{2000, 0.01, {2000, 1000, 500}},
    Case{2000, 0.01, {2000, 2000, 1980}}, Case{1000, 0.01, {2000, 2000, 1000}}, Case{4000, 0.001, {4000, 400, 200}},
    Case{1000, 0.1, {1000, 1000, 300}},   Case{300, 0.01, {300, 300, 150}},     Case{1000, 0.01, {3000, 3000, 2500}},
};

// Of so many pairs all counts within four standard deviations of 95 % pass. Intervals that are cut off at 0 or 1 or
// have whole ends cover more: of all cases together up to 97 %, and more is as wrong as fewer.
void expect_coverage(int covered, int pairs, const std::string& what, bool exact = false) {
  const double expected = 0.95 * pairs, deviation = std::sqrt(pairs * 0.95 * 0.05);
  EXPECT_GE(covered, expected - 4 * deviation) << what << ", " << pairs << " pairs";
  if (!exact) return;
  EXPECT_LE(covered, 0.97 * pairs + 4 * deviation) << what << ", " << pairs << " pairs";
}

Tally tally_of(Kind kind, const Case& one, int worlds) {
  Tally tally;
  for (int world = 0; world < worlds; ++world) {
    Sets sets = one.sets;
    sets.world = static_cast<std::uint64_t>(world);
    const Result<Overlap> found = overlap_of(kind, one.capacity, one.fpr, sets);
    if (found.ok()) tally.add(*found, sets);
    else ADD_FAILURE() << found.error().message;
  }
  return tally;
}

TEST(Overlap, the_truth_lies_in_95_of_100_intervals) {
  const int worlds = scaled(100, 2000);
  for (const Kind kind : kTelling) {
    int sizes = 0, commons = 0;
    for (const Case& one : kCases) {
      const std::string what = std::string(to_string(kind)) + ", case " + std::to_string(&one - kCases.data());
      const Tally tally = tally_of(kind, one, worlds);
      expect_coverage(tally.all, worlds, what + ", union");
      expect_coverage(tally.common, worlds, what + ", intersection");
      expect_coverage(tally.jaccard, worlds, what + ", Jaccard");
      sizes += tally.a;
      commons += tally.common;
    }
    const int pairs = worlds * static_cast<int>(kCases.size());
    expect_coverage(sizes, pairs, std::string(to_string(kind)) + ", sizes", true);
    expect_coverage(commons, pairs, std::string(to_string(kind)) + ", intersections", true);
  }
}

TEST(Overlap, the_estimates_are_near_the_truth) {
  for (const Kind kind : kTelling) {
    const Result<Overlap> found = overlap_of(kind, 20000, 0.01, {20000, 10000, 5000});
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_NEAR(found->a.value, 20000, 400) << to_string(kind);
    EXPECT_NEAR(found->b.value, 10000, 200) << to_string(kind);
    EXPECT_NEAR(found->all.value, 25000, 500) << to_string(kind);
    EXPECT_NEAR(found->common.value, 5000, 300) << to_string(kind);
    EXPECT_NEAR(found->jaccard.value, 0.2, 0.015) << to_string(kind);
  }
}

TEST(Overlap, nothing_in_common_is_an_answer_when_the_bound_is_tight) {
  const Result<Overlap> found = overlap_of(Kind::block, 100000, 0.01, {100000, 100000, 0});
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->common.low, 0);
  EXPECT_LT(found->common.high, 1000);
  EXPECT_LT(found->jaccard.high, 0.01);
}

TEST(Overlap, equal_filters_are_nearly_surely_of_equal_sets) {
  const Result<Overlap> found = overlap_of(Kind::split, 1000, 0.01, {1000, 1000, 1000});
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->jaccard.value, 1);
  EXPECT_EQ(found->jaccard.high, 1);
  EXPECT_GT(found->jaccard.low, 0.98);
  EXPECT_LT(found->jaccard.low, 1) << "a key that looks present leaves no trace";
}

TEST(Overlap, empty_sets_are_known_exactly) {
  const Result<Overlap> none = overlap_of(Kind::classic, 1000, 0.01, {0, 0, 0});
  ASSERT_TRUE(none.ok()) << none.error().message;
  EXPECT_EQ(none->all.high, 0);
  EXPECT_EQ(none->jaccard.low, 1);
  const Result<Overlap> one = overlap_of(Kind::classic, 1000, 0.01, {1000, 0, 0});
  ASSERT_TRUE(one.ok()) << one.error().message;
  EXPECT_EQ(one->common.high, 0);
  EXPECT_EQ(one->jaccard.high, 0);
}

TEST(Overlap, counters_forget_what_was_removed) {
  AnyFilter a = filter_of(Kind::counting, 2000, 0.01), b = filter_of(Kind::counting, 2000, 0.01);
  add(a, 0, 1000);
  add(b, 0, 2000);
  for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_TRUE(b.remove(Hash(detail::splitmix64(i))).ok());
  const Result<Overlap> found = overlap(a.view(), b.view());
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->common.low, 0);
  EXPECT_LT(found->common.high, 100);
}

void expect_refused(const Result<Overlap>& found, const std::string& part) {
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.error().message.find(part), std::string::npos) << found.error().message;
}

TEST(Overlap, what_would_be_lost_in_its_error_is_refused) {
  expect_refused(overlap_of(Kind::block, 1000, 0.01, {20000, 20000, 10000}), "too full");
  expect_refused(overlap_of(Kind::classic, 1000, 0.01, {3500, 3500, 100}), "too full");
  EXPECT_TRUE(overlap_of(Kind::classic, 1000, 0.01, {3000, 3000, 100}).ok());
  expect_refused(overlap_of(Kind::classic, 100000, 0.3, {100000, 5, 2}), "swallow");
  expect_refused(overlap_of(Kind::classic, 1, 0.01, {1, 1, 0}), "few cells");
  expect_refused(overlap_of(Kind::partitioned, 1, 0.4, {1, 1, 1}), "few cells");
}

TEST(Overlap, kinds_that_do_not_tell_are_refused_by_name) {
  for (const Kind kind : kAllKinds) {
    if (std::find(kTelling.begin(), kTelling.end(), kind) != kTelling.end()) continue;
    const Result<AnyFilter> filter = AnyFilter::build(kind, std::vector<Hash>(1, Hash(7)));
    ASSERT_TRUE(filter.ok()) << filter.error().message;
    expect_refused(overlap(filter->view(), filter->view()), std::string(to_string(kind)) + " filters do not tell");
    expect_refused(overlap(filter->view(), filter->view()), "classic, split, block, counting and partitioned");
  }
}

TEST(Overlap, filters_that_differ_in_kind_size_or_hash_are_refused) {
  const AnyFilter block = filter_of(Kind::block, 1000, 0.01), larger = filter_of(Kind::block, 2000, 0.01);
  expect_refused(overlap(block.view(), filter_of(Kind::split, 1000, 0.01).view()), "one is block, the other split");
  expect_refused(overlap(block.view(), larger.view()), "the same n and fpr");
  const Result<AnyFilter> seeded = AnyFilter::with_capacity(Kind::block, 1000, 0.01, Hasher::xxh3(7));
  ASSERT_TRUE(seeded.ok());
  expect_refused(overlap(block.view(), seeded->view()), "seed 7");
}

}  // namespace
}  // namespace bloomery
