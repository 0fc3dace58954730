// What counting filters promise beside what every kind does: golden bytes, exact mirrors of adds, counters that stay at
// their maximum, and bits that are those of classic.
#include "bloomery/counting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "bloomery/detail/fnv.h"
#include "bloomery/log.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::bytes_from_hex;
using testing::u64_from_hex;
using testing::vectors;

std::vector<Hash> stream(std::uint64_t first, std::uint64_t count) {
  std::vector<Hash> hashes;
  for (std::uint64_t i = 0; i < count; ++i) hashes.emplace_back(detail::splitmix64(first + i));
  return hashes;
}
std::vector<Hash> stream(const nlohmann::json& pair) { return stream(pair[0], pair[1]); }

CountingFilter empty(const nlohmann::json& row) {
  return *CountingFilter::with_geometry({row["m"], row["k"], row["counter_bits"]});
}

std::vector<std::uint8_t> payload(const CountingFilter& filter) {
  return {filter.view().payload().begin(), filter.view().payload().end()};
}

void expect_payload(const CountingFilter& filter, const nlohmann::json& row) {
  EXPECT_EQ(filter.bytes(), row["bytes"]) << row;
  EXPECT_EQ(Hasher::xxh3()(filter.view().payload()).bits, u64_from_hex(row["xxh3"])) << row;
  EXPECT_EQ(filter.bits_set(), row["counters_set"]) << row;
  if (row.contains("hex")) {
    EXPECT_EQ(payload(filter), bytes_from_hex(row["hex"]));
  }
}

TEST(Counting, every_key_has_the_counters_of_the_vectors) {
  for (const auto& row : vectors("counting", "indexes")) {
    std::vector<std::uint64_t> counters;
    detail::for_each_counter(detail::Remainder(row["m"]), row["k"], Hash(u64_from_hex(row["hash"])),
                             [&](std::uint64_t index) { counters.push_back(index); });
    std::sort(counters.begin(), counters.end());
    EXPECT_EQ(nlohmann::json(counters), row["counters"]) << row;
  }
}

TEST(Counting, streams_of_adds_and_removes_leave_the_bytes_of_the_vectors) {
  for (const auto& row : vectors("counting", "streams")) {
    CountingFilter one = empty(row), batch = empty(row);
    for (Hash hash : stream(row["added"])) one.add(hash);
    for (Hash hash : stream(row["removed"])) EXPECT_TRUE(one.remove(hash));
    (void)batch.add_many(stream(row["added"]));
    std::vector<std::uint8_t> answers(row["removed"][1].get<std::size_t>());
    batch.remove_many(stream(row["removed"]), answers);
    EXPECT_EQ(std::count(answers.begin(), answers.end(), 0), 0);
    expect_payload(one, row);
    EXPECT_EQ(one, batch);
    EXPECT_EQ(one.key_count(), batch.key_count());
    const std::vector<Hash> asked = stream(1, row["counts"].size());
    for (std::size_t i = 0; i < asked.size(); ++i) EXPECT_EQ(one.view().count(asked[i]), row["counts"][i]);
    EXPECT_EQ(Hasher::xxh3()(to_classic(one)->view().payload()).bits, u64_from_hex(row["classic_xxh3"]));
  }
}

TEST(Counting, programs_of_the_vectors_answer_as_written) {
  for (const auto& row : vectors("counting", "programs")) {
    CountingFilter filter = empty(row);
    for (const auto& step : row["steps"]) {
      const Hash hash(u64_from_hex(step["hash"]));
      bool answer = false;
      for (int i = 0; i < step["times"]; ++i) answer = step["do"] == "add" ? filter.add(hash) : filter.remove(hash);
      EXPECT_EQ(answer, step["answer"]) << row;
      EXPECT_EQ(filter.view().count(hash), step["count"]) << row;
    }
    expect_payload(filter, row);
  }
}

TEST(Counting, merge_is_the_sum_and_intersection_the_minimum_of_the_vectors) {
  for (const auto& row : vectors("counting", "combined")) {
    CountingFilter sum = empty(row), lower = empty(row), theirs = empty(row);
    (void)sum.add_many(stream(row["mine"])), (void)lower.add_many(stream(row["mine"])),
        (void)theirs.add_many(stream(row["theirs"]));
    ASSERT_TRUE(sum.merge(theirs).ok() && lower.intersect(theirs).ok());
    EXPECT_EQ(payload(sum), bytes_from_hex(row["merged_hex"])) << row;
    EXPECT_EQ(payload(lower), bytes_from_hex(row["intersected_hex"])) << row;
    CountingFilter both = empty(row);
    (void)both.add_many(stream(row["mine"])), (void)both.add_many(stream(row["theirs"]));
    EXPECT_EQ(sum, both) << "a merge is the filter that all keys were added to";
    EXPECT_EQ(sum.key_count(), both.key_count());
  }
}

TEST(Counting, foreign_bytes_that_are_no_filter_are_refused) {
  for (const auto& row : vectors("counting", "invalid")) {
    const Result<CountingGeometry> geometry = CountingGeometry::from_values(row["words"]);
    if (!geometry.ok()) continue;
    EXPECT_FALSE(CountingView::from_payload(bytes_from_hex(row["payload_hex"]), *geometry).ok()) << row;
  }
  EXPECT_TRUE(CountingView::from_payload(bytes_from_hex("1101"), {3, 4, 4}).ok());
  EXPECT_FALSE(CountingView::from_payload(bytes_from_hex("00"), {std::uint64_t{1} << 62, 4, 32}).ok());
  EXPECT_EQ(CountingFilter::with_geometry({std::uint64_t{1} << 57, 4, 32}).error().code, ErrorCode::out_of_memory);
  EXPECT_FALSE(CountingView().contains("anything"));
  EXPECT_EQ(CountingView().count("anything"), 0u);
}

class CountingWidths : public ::testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Counting, CountingWidths, ::testing::Values(4u, 32u));

// m from one counter to beyond the second-level cache, where batches go another way.
TEST_P(CountingWidths, batches_do_what_single_keys_do_and_bits_are_those_of_classic) {
  for (std::uint64_t m : {1u, 2u, 7u, 64u, 1001u, 60'000u, 3'200'001u}) {
    for (std::uint32_t k : {1u, 2u, 3u, 7u, 30u}) {
      CountingFilter one = *CountingFilter::with_geometry({m, k, GetParam()}), batch = *one.clone();
      ClassicFilter classic = *ClassicFilter::with_geometry({m, k}, one.hasher());
      std::vector<Hash> added = stream(1, 300), asked = stream(150, 300);
      added[7] = added[8] = Hash(5), added[9] = Hash(((m / 3) << 32) + 1);  // whose indexes coincide
      std::copy_n(added.begin(), 10, asked.begin()), asked[20] = asked[21];
      for (Hash hash : added) EXPECT_EQ(one.add(hash), classic.add(hash));
      (void)batch.add_many(added);
      ASSERT_EQ(one, batch) << m << " " << k;
      ASSERT_EQ(*to_classic(one), classic) << m << " " << k;
      EXPECT_EQ(one.bits_set(), classic.bits_set());
      EXPECT_EQ(one.predicted_fpr(), classic.predicted_fpr());
      EXPECT_EQ(one.estimated_count(), classic.estimated_count());
      std::vector<std::uint8_t> answers(301, 9), taken(301, 9);
      batch.contains_many(asked, answers);
      for (std::size_t i = 0; i < 300; ++i) ASSERT_EQ(answers[i], classic.contains(asked[i]) ? 1 : 0);
      batch.remove_many(asked, taken);
      for (std::size_t i = 0; i < 300; ++i) ASSERT_EQ(taken[i], one.remove(asked[i]) ? 1 : 0);
      EXPECT_EQ(answers[300] + taken[300], 18) << "wrote past the answers";
      ASSERT_EQ(one, batch) << m << " " << k;
      EXPECT_EQ(one.key_count(), batch.key_count());
    }
  }
}

TEST_P(CountingWidths, keys_that_come_and_go_leave_the_filter_of_those_that_stay) {
  const std::uint64_t n = 20'000;
  CountingFilter filter = *CountingFilter::with_geometry(*CountingGeometry::for_capacity(n, 0.01, GetParam()));
  CountingFilter stayed = *filter.clone();
  for (Hash hash : stream(0, 10 * n)) filter.add(hash);  // ten times too many: counters of 7 on average
  for (Hash hash : stream(0, 10 * n)) ASSERT_TRUE(filter.contains(hash));
  for (Hash hash : stream(n, 9 * n)) ASSERT_TRUE(filter.remove(hash));
  (void)stayed.add_many(stream(0, n));
  for (Hash hash : stream(0, n)) ASSERT_TRUE(filter.contains(hash));
  EXPECT_EQ(filter.key_count(), n);
  if (GetParam() == 32) {
    EXPECT_EQ(filter, stayed);
  }
  const std::uint64_t asked = 500'000;
  std::uint64_t hits = 0;
  for (Hash hash : stream(1'000'000, asked)) hits += filter.contains(hash);
  EXPECT_NEAR(static_cast<double>(hits) / static_cast<double>(asked) / filter.predicted_fpr(), 1, 0.1);
}

TEST_P(CountingWidths, a_key_that_is_not_there_cannot_be_removed_and_nothing_changes) {
  CountingFilter filter = *CountingFilter::with_geometry({10'000, 7, GetParam()});
  EXPECT_FALSE(filter.remove("never"));
  (void)filter.add_many(stream(1, 500));
  const CountingFilter before = *filter.clone();
  for (Hash hash : stream(1000, 2000)) {
    if (!filter.contains(hash)) {
      ASSERT_FALSE(filter.remove(hash));
    }
  }
  EXPECT_EQ(filter, before);
  EXPECT_EQ(filter.key_count(), 500u);
}

TEST(Counting, a_full_counter_stays_full) {
  CountingFilter filter = *CountingFilter::with_geometry({1000, 5, 4});
  for (int i = 0; i < 40; ++i) filter.add("often");
  EXPECT_EQ(filter.view().count("often"), 15u);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(filter.remove("often"));
  EXPECT_TRUE(filter.contains("often"));
  EXPECT_EQ(filter.bits_set(), 5u) << "neighbours of a full counter are left alone";
  CountingFilter wide = *CountingFilter::with_geometry({1, 1, 32});
  std::fill(wide.mutable_payload().begin(), wide.mutable_payload().end(), std::uint8_t{0xff});
  wide.add("more");
  EXPECT_TRUE(wide.remove("more"));
  EXPECT_EQ(wide.view().count("more"), 0xffffffffu);
}

TEST(Counting, intersection_loses_no_common_key_and_lets_them_be_removed) {
  CountingFilter a = *CountingFilter::with_capacity(3000, 0.01), b = *a.clone();
  (void)a.add_many(stream(0, 2000)), (void)b.add_many(stream(1000, 2000));
  ASSERT_TRUE(a.intersect(b).ok());
  EXPECT_FALSE(a.key_count().has_value());
  for (Hash hash : stream(1000, 1000)) ASSERT_TRUE(a.contains(hash));
  for (Hash hash : stream(1000, 500)) ASSERT_TRUE(a.remove(hash));
  for (Hash hash : stream(1500, 500)) ASSERT_TRUE(a.contains(hash));
}

TEST(Counting, filters_of_other_widths_are_not_combined) {
  CountingFilter a = *CountingFilter::with_geometry({100, 3, 4}), b = *CountingFilter::with_geometry({100, 3, 32});
  EXPECT_NE(a.merge(b).error().message.find("counter_bits = 32"), std::string::npos);
}

TEST(Counting, the_classic_filter_of_it_keeps_hash_and_count) {
  CountingFilter filter = *CountingFilter::with_capacity(1000, 0.01, Hasher::xxh3(7));
  for (std::uint64_t key = 0; key < 1000; ++key) filter.add(key);
  filter.remove(std::uint64_t{999});
  const ClassicFilter classic = *to_classic(filter);
  EXPECT_EQ(classic.key_count(), 999u);
  EXPECT_EQ(classic.hasher(), filter.hasher());
  for (std::uint64_t key = 0; key < 5000; ++key) ASSERT_EQ(classic.contains(key), filter.contains(key));
}

// The figures of spec/counting.md: one false positive removed from a full filter denies about 0.69 k keys.
TEST(Counting, removing_false_positives_denies_as_many_keys_as_the_page_says) {
  const std::uint64_t n = 20'000;
  CountingFilter filter = *CountingFilter::with_capacity(n, 0.01);
  const std::vector<Hash> added = stream(0, n);
  (void)filter.add_many(added);
  int removed = 0, denied = 0;
  for (Hash hash : stream(1'000'000, 10'000)) {
    if (removed < 20 && filter.contains(hash)) removed += filter.remove(hash);
  }
  for (Hash hash : added) denied += !filter.contains(hash);
  EXPECT_EQ(removed, 20);
  EXPECT_NEAR(denied / 20.0, 0.69 * 7, 1.5);
}

TEST(Counting, small_filters_that_miss_their_target_warn_through_the_log_hook) {
  static int warnings;
  warnings = 0;
  set_log_hook([](LogLevel level, std::string_view, void*) { warnings += level == LogLevel::warning; });
  EXPECT_TRUE(CountingFilter::with_capacity(1, 0.01).ok());
  EXPECT_EQ(warnings, 1);
  EXPECT_TRUE(CountingFilter::with_capacity(10'000, 0.01).ok());
  EXPECT_EQ(warnings, 1);
  set_log_hook(nullptr);
  EXPECT_EQ(CountingFilter::with_capacity(2'000'000'000, 0.01).error().code, ErrorCode::unsupported);
}

}  // namespace
}  // namespace bloomery
