#include "bloomery/classic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "bloomery/log.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::bytes_from_hex;
using testing::vectors;

std::vector<Hash> random_hashes(std::uint64_t seed, std::size_t count) {
  std::vector<Hash> hashes(count);
  for (std::size_t i = 0; i < count; ++i) hashes[i] = Hash(detail::splitmix64((seed << 32) + i));
  return hashes;
}

// The definition, as spec/classic.md writes it.
std::uint64_t index_by_definition(Hash hash, std::uint32_t i, std::uint64_t m) {
  const std::uint64_t h1 = hash.bits & 0xffffffff, h2 = hash.bits >> 32;
  return (h1 + i * h2) % m;
}

TEST(Classic, golden_filters_come_out_bit_for_bit) {
  for (const auto& row : vectors("classic", "filters")) {
    ClassicFilter filter = *ClassicFilter::with_capacity(row["n"], row["fpr"]);
    for (unsigned i = 0; i < row["n"]; ++i) filter.add("key" + std::to_string(i));
    EXPECT_EQ(filter.geometry().m, row["m"]);
    EXPECT_EQ(filter.geometry().k, row["k"]);
    EXPECT_EQ(filter.bits_set(), row["bits_set"]);
    if (row.contains("hex")) {
      const std::vector<std::uint8_t> file = bytes_from_hex(row["hex"]);
      EXPECT_TRUE(std::ranges::equal(filter.view().payload(), std::span(file).subspan(12)));
    }
    std::vector<std::string> maybe;
    for (unsigned i = 0; i < 1000; ++i)
      if (filter.contains("miss" + std::to_string(i))) maybe.push_back("miss" + std::to_string(i));
    EXPECT_EQ(maybe.size(), row["maybe_count_of_1000_misses"]);
    maybe.resize(row["absent_that_answer_maybe"].size());
    EXPECT_EQ(nlohmann::json(maybe), row["absent_that_answer_maybe"]);
  }
}

TEST(Classic, indexes_are_the_exact_remainders_of_the_definition) {
  std::mt19937_64 random(5);
  for (std::uint64_t m : {1ull, 2ull, 3ull, 10ull, 64ull, 9586ull, (1ull << 27) + 1, (1ull << 32) - 5, 1ull << 32,
                          (1ull << 32) + 15, (1ull << 36) + 7, 1ull << 50}) {
    const detail::Remainder remainder(m);
    for (int round = 0; round < 2000; ++round) {
      const Hash hash(round == 0 ? ~0ull : round == 1 ? 0 : random());
      detail::ClassicIndexes indexes(remainder, hash);
      for (std::uint32_t i = 0; i < 30; ++i, indexes.next(m))
        ASSERT_EQ(indexes.at(), index_by_definition(hash, i, m)) << m;
    }
  }
}

TEST(Classic, bits_and_answers_equal_a_naive_filter_at_every_geometry) {
  for (std::uint64_t m : {1ull, 7ull, 8ull, 9ull, 63ull, 64ull, 65ull, 1000ull, 100'003ull, 16'777'259ull}) {
    for (std::uint32_t k : {1u, 2u, 3u, 7u, 30u}) {
      ClassicFilter one = *ClassicFilter::with_geometry(m, k), many = *ClassicFilter::with_geometry(m, k);
      std::set<std::uint64_t> naive;
      const std::vector<Hash> keys = random_hashes(m + k, std::min<std::size_t>(m / 4 + 1, 300)),
                              others = random_hashes(m + k + 1, 300);
      for (Hash key : keys) {
        bool changed = false;
        for (std::uint32_t i = 0; i < k; ++i) changed |= naive.insert(index_by_definition(key, i, m)).second;
        ASSERT_EQ(one.add(key), changed);
      }
      (void)many.add_many(keys);
      ASSERT_TRUE(one == many);
      ASSERT_EQ(one.bits_set(), naive.size());
      std::vector<std::uint8_t> answers(others.size());
      one.contains_many(others, answers);
      for (std::size_t i = 0; i < others.size(); ++i) {
        bool expected = true;
        for (std::uint32_t j = 0; j < k; ++j) expected &= naive.contains(index_by_definition(others[i], j, m));
        ASSERT_EQ(one.contains(others[i]), expected);
        ASSERT_EQ(answers[i], expected ? 1 : 0) << "m " << m << " k " << k << " i " << i;
      }
    }
  }
}

TEST(Classic, batches_of_every_length_and_key_type_answer_like_single_keys) {
  ClassicFilter filter = *ClassicFilter::with_capacity(1000, 0.01, Hasher::xxh3(9));
  std::vector<std::string> strings;
  std::vector<std::uint64_t> numbers;
  std::vector<std::int32_t> negatives;
  for (int i = 0; i < 200; ++i) {
    strings.push_back("key" + std::to_string(i));
    numbers.push_back(static_cast<std::uint64_t>(i) * 77);
    negatives.push_back(-i);
  }
  const std::vector<std::string_view> views(strings.begin(), strings.begin() + 100);
  (void)filter.add_many(views);
  (void)filter.add_many(std::span(numbers).first(100));
  (void)filter.add_many(std::span(negatives).first(100));
  EXPECT_EQ(filter.key_count(), 300u);
  for (std::size_t count : {0u, 1u, 31u, 32u, 33u, 64u, 65u, 200u}) {
    std::vector<std::uint8_t> answers(count + 1, 9);
    filter.contains_many(std::span(strings).first(count), answers);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(answers[i], filter.contains(strings[i]) ? 1 : 0);
    filter.contains_many(std::span(numbers).first(count), answers);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(answers[i], filter.contains(numbers[i]) ? 1 : 0);
    filter.contains_many(std::span(negatives).first(count), answers);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(answers[i], filter.contains(negatives[i]) ? 1 : 0);
    EXPECT_EQ(answers[count], 9) << "wrote past the answers";
  }
}

TEST(Classic, add_tells_whether_a_bit_changed_and_test_and_add_the_opposite) {
  ClassicFilter filter = *ClassicFilter::with_capacity(100, 0.01);
  EXPECT_TRUE(filter.add("a"));
  EXPECT_FALSE(filter.add("a"));
  EXPECT_FALSE(filter.test_and_add("b"));
  EXPECT_TRUE(filter.test_and_add("b"));
  EXPECT_EQ(filter.key_count(), 4u);
}

TEST(Classic, merge_of_unequal_filters_names_both) {
  ClassicFilter a = *ClassicFilter::with_geometry(1000, 7), b = *ClassicFilter::with_geometry(1001, 7);
  const Status status = a.merge(b);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::mismatch);
  EXPECT_NE(status.error().message.find("m = 1000"), std::string::npos);
  EXPECT_NE(status.error().message.find("m = 1001"), std::string::npos);
  ClassicFilter seeded = *ClassicFilter::with_geometry(1000, 7, Hasher::xxh3(1)),
                other = *ClassicFilter::with_geometry(1000, 7, Hasher::xxh3(2));
  EXPECT_NE(seeded.merge(other).error().message.find("seed 2"), std::string::npos);
  EXPECT_FALSE(a.intersect(seeded).ok());
  const Hasher one = Hasher::siphash13(*Secret::from_hex("000102030405060708090a0b0c0d0e0f"));
  const Hasher two = Hasher::siphash13(*Secret::from_hex("100102030405060708090a0b0c0d0e0f"));
  ClassicFilter keyed = *ClassicFilter::with_geometry(1000, 7, one),
                rekeyed = *ClassicFilter::with_geometry(1000, 7, two);
  EXPECT_NE(keyed.merge(rekeyed).error().message.find("secret"), std::string::npos);
}

TEST(Classic, intersection_keeps_common_keys_and_clear_forgets_all) {
  ClassicFilter a = *ClassicFilter::with_capacity(1000, 0.001), b = a.clone().value();
  for (std::uint64_t i = 0; i < 600; ++i) a.add(i);
  for (std::uint64_t i = 400; i < 1000; ++i) b.add(i);
  ASSERT_TRUE(a.intersect(b).ok());
  EXPECT_FALSE(a.key_count().has_value());
  for (std::uint64_t i = 400; i < 600; ++i) EXPECT_TRUE(a.contains(i));
  int left = 0;
  for (std::uint64_t i = 0; i < 400; ++i) left += a.contains(i);
  EXPECT_LT(left, 20);
  a.clear();
  EXPECT_EQ(a.bits_set(), 0u);
  EXPECT_EQ(a.key_count(), 0u);
  EXPECT_FALSE(a.contains(std::uint64_t{500}));
}

TEST(Classic, clone_is_equal_and_independent) {
  ClassicFilter a = *ClassicFilter::with_capacity(100, 0.01);
  a.add("x");
  ClassicFilter b = *a.clone();
  EXPECT_TRUE(a == b);
  EXPECT_EQ(b.key_count(), 1u);
  b.add("y");
  EXPECT_FALSE(a == b);
  EXPECT_FALSE(a.contains("y"));
  ClassicFilter c = std::move(b);
  EXPECT_TRUE(c.contains("y"));
}

TEST(Classic, view_over_foreign_bytes_is_checked) {
  const std::vector<std::uint8_t> bits = {0xff, 0x01};
  EXPECT_TRUE(ClassicView::from_payload(bits, {9, 3}).ok());
  EXPECT_FALSE(ClassicView::from_payload(bits, {17, 3}).ok());
  EXPECT_FALSE(ClassicView::from_payload(bits, {8, 3}).ok());
  EXPECT_FALSE(ClassicView::from_payload(bits, {0, 3}).ok());
  EXPECT_FALSE(ClassicView::from_payload(bits, {9, 31}).ok());
  const std::vector<std::uint8_t> padded = {0xff, 0x02};
  EXPECT_FALSE(ClassicView::from_payload(padded, {9, 3}).ok());
  EXPECT_FALSE(ClassicView().contains("anything"));
}

TEST(Classic, one_bit_and_thirty_indexes_work) {
  ClassicFilter filter = *ClassicFilter::with_geometry(1, 30);
  EXPECT_FALSE(filter.contains("a"));
  filter.add("a");
  EXPECT_TRUE(filter.contains("b"));
  EXPECT_EQ(filter.predicted_fpr(), 1.0);
  EXPECT_FALSE(filter.estimated_count().has_value());
}

TEST(Classic, impossible_sizes_are_errors) {
  EXPECT_EQ(ClassicFilter::with_geometry(~0ull, 7).error().code, ErrorCode::out_of_memory);
  EXPECT_EQ(ClassicFilter::with_geometry(1ull << 60, 7).error().code, ErrorCode::out_of_memory);
  EXPECT_EQ(ClassicFilter::with_capacity(0, 0.01).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(ClassicFilter::with_capacity(2'000'000'000, 0.01).error().code, ErrorCode::unsupported);
}

TEST(Classic, small_filters_that_miss_their_target_warn_through_the_log_hook) {
  static int warnings;
  warnings = 0;
  set_log_hook([](LogLevel level, std::string_view, void*) { warnings += level == LogLevel::warning; });
  EXPECT_TRUE(ClassicFilter::with_capacity(1, 0.01).ok());
  EXPECT_EQ(warnings, 1);
  EXPECT_TRUE(ClassicFilter::with_capacity(100'000, 0.01).ok());
  EXPECT_EQ(warnings, 1);
  set_log_hook(nullptr);
}

TEST(Classic, exact_prediction_of_tiny_filters_equals_the_vectors) {
  for (const auto& row : vectors("sizing", "exact")) {
    const std::vector<std::uint8_t> bits = bytes_from_hex(row["bits_hex"]);
    const ClassicView view = *ClassicView::from_payload(bits, {row["m"], row["k"]});
    EXPECT_EQ(view.bits_set(), row["bits_set"]);
    const double m = row["m"];
    EXPECT_DOUBLE_EQ(view.predicted_fpr(), row["pairs"].get<double>() / (m * m));
  }
}

template <class Filter>
concept CanRemove = requires(Filter filter) {
  filter.remove("key");
};
static_assert(!CanRemove<ClassicFilter>, "what a kind cannot do does not compile");
static_assert(!std::is_copy_constructible_v<ClassicFilter>);

}  // namespace
}  // namespace bloomery
