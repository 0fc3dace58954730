// What every mutable kind promises, on random key sets, hashes and geometries (RapidCheck). A new kind joins the list
// of types at the end.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "bloomery/bloomery.h"

namespace bloomery {
namespace {

using Keys = std::vector<std::string>;

rc::Gen<Hasher> any_hasher() {
  const Secret secret = *Secret::from_hex("000102030405060708090a0b0c0d0e0f");
  return rc::gen::element(Hasher::fnv_splitmix(), Hasher::xxh3(), Hasher::xxh3(77), Hasher::xxh64(),
                          Hasher::siphash13(secret), Hasher::siphash24(secret));
}

// How to make an empty filter of a kind at random; wrong estimates (n far from the number of keys) included.
template <class Filter>
struct Make;

template <>
struct Make<ClassicFilter> {
  std::uint64_t m = 1;
  std::uint32_t k = 1;
  Hasher hasher;

  static Make random() {
    return {*rc::gen::inRange<std::uint64_t>(1, 20'000), *rc::gen::inRange<std::uint32_t>(1, 31), *any_hasher()};
  }
  ClassicFilter empty() const { return *ClassicFilter::with_geometry(m, k, hasher); }
  static ClassicFilter sized(std::uint64_t n, double fpr, const Hasher& hasher) {
    return *ClassicFilter::with_capacity(n, fpr, hasher);
  }
};

template <>
struct Make<SplitFilter> {
  SplitGeometry geometry;
  Hasher hasher;

  static Make random() { return {{*rc::gen::inRange<std::uint64_t>(1, 100)}, *any_hasher()}; }
  SplitFilter empty() const { return *SplitFilter::with_geometry(geometry, hasher); }
  static SplitFilter sized(std::uint64_t n, double fpr, const Hasher& hasher) {
    return *SplitFilter::with_capacity(n, fpr, hasher);
  }
};

template <>
struct Make<BlockFilter> {
  BlockGeometry geometry;
  Hasher hasher;

  static Make random() {
    return {{*rc::gen::inRange<std::uint64_t>(1, 50), *rc::gen::inRange<std::uint32_t>(1, 17)}, *any_hasher()};
  }
  BlockFilter empty() const { return *BlockFilter::with_geometry(geometry, hasher); }
  static BlockFilter sized(std::uint64_t n, double fpr, const Hasher& hasher) {
    return *BlockFilter::with_capacity(n, fpr, hasher);
  }
};

template <class Filter>
Filter with_keys(const Make<Filter>& make, const Keys& keys) {
  Filter filter = make.empty();
  for (const std::string& key : keys) filter.add(key);
  return filter;
}

template <class Filter>
class Properties : public ::testing::Test {};
using Kinds = ::testing::Types<ClassicFilter, SplitFilter, BlockFilter>;
TYPED_TEST_SUITE(Properties, Kinds);

TYPED_TEST(Properties, no_false_negatives) {
  EXPECT_TRUE(rc::check([](const Keys& one_by_one, const Keys& batch) {
    TypeParam filter = with_keys(Make<TypeParam>::random(), one_by_one);
    filter.add_many(batch);
    for (const std::string& key : one_by_one) RC_ASSERT(filter.contains(key));
    std::vector<std::uint8_t> answers(batch.size());
    filter.contains_many(batch, answers);
    RC_ASSERT(std::count(answers.begin(), answers.end(), 1) == static_cast<std::ptrdiff_t>(batch.size()));
    RC_ASSERT(filter.key_count() == one_by_one.size() + batch.size());
  }));
}

TYPED_TEST(Properties, bitmap_holds_the_answers_and_nothing_after_them) {
  EXPECT_TRUE(rc::check([](const Keys& keys) {
    const TypeParam filter = with_keys(Make<TypeParam>::random(), keys);
    std::vector<Hash> asked;
    for (std::uint64_t i = *rc::gen::inRange<std::uint64_t>(0, 2500); i > 0; --i)
      asked.emplace_back(detail::splitmix64(i));
    const auto check = [&](const auto& range) {
      std::vector<std::uint8_t> answers(range.size());
      std::vector<std::uint64_t> words(range.size() / 64 + 2, ~std::uint64_t{0});
      filter.contains_many(range, answers);
      filter.contains_bitmap(range, words);
      const std::size_t written = (range.size() + 63) / 64;
      for (std::size_t i = 0; i < 64 * written; ++i)
        RC_ASSERT(((words[i / 64] >> (i % 64)) & 1) == (i < range.size() ? answers[i] : 0));
      for (std::size_t i = written; i < words.size(); ++i) RC_ASSERT(words[i] == ~std::uint64_t{0});
    };
    check(keys);
    check(asked);
  }));
}

TYPED_TEST(Properties, merge_is_commutative_associative_idempotent_and_equals_adding_both) {
  EXPECT_TRUE(rc::check([](const Keys& a, const Keys& b, const Keys& c) {
    const auto make = Make<TypeParam>::random();
    const TypeParam fa = with_keys(make, a), fb = with_keys(make, b), fc = with_keys(make, c);
    const auto merged = [](const TypeParam& x, const TypeParam& y) {
      TypeParam out = *x.clone();
      RC_ASSERT(out.merge(y).ok());
      return out;
    };
    RC_ASSERT(merged(fa, fb) == merged(fb, fa));
    RC_ASSERT(merged(merged(fa, fb), fc) == merged(fa, merged(fb, fc)));
    RC_ASSERT(merged(fa, fa) == fa);
    TypeParam both = with_keys(make, a);
    both.add_many(b);
    RC_ASSERT(merged(fa, fb) == both);
    RC_ASSERT(merged(fa, fb).key_count() == a.size() + b.size());
  }));
}

TYPED_TEST(Properties, intersection_loses_no_common_key) {
  EXPECT_TRUE(rc::check([](const Keys& a, const Keys& b, const Keys& common) {
    const auto make = Make<TypeParam>::random();
    TypeParam fa = with_keys(make, a), fb = with_keys(make, b);
    fa.add_many(common);
    fb.add_many(common);
    RC_ASSERT(fa.intersect(fb).ok());
    for (const std::string& key : common) RC_ASSERT(fa.contains(key));
  }));
}

TYPED_TEST(Properties, encode_and_decode_give_the_filter_back) {
  EXPECT_TRUE(rc::check([](const Keys& keys) {
    const auto make = Make<TypeParam>::random();
    const TypeParam filter = with_keys(make, keys);
    OpenOptions options;
    options.secret = *Secret::from_hex("000102030405060708090a0b0c0d0e0f");
    const std::vector<std::uint8_t> bytes = *encode(filter.view(), Format::envelope, filter.key_count());
    const Result<Decoded> back = decode(bytes, options);
    RC_ASSERT(back.ok());
    RC_ASSERT(back->view == AnyView(filter.view()));
    RC_ASSERT(back->info.key_count == filter.key_count());
    RC_ASSERT(*encode(back->view, Format::envelope, back->info.key_count) == bytes);
  }));
}

TYPED_TEST(Properties, fill_never_decreases_and_add_tells_when_it_grows) {
  EXPECT_TRUE(rc::check([](const Keys& keys) {
    TypeParam filter = Make<TypeParam>::random().empty();
    std::uint64_t before = 0;
    for (const std::string& key : keys) {
      const bool changed = filter.add(key);
      const std::uint64_t after = filter.bits_set();
      RC_ASSERT(after >= before);
      RC_ASSERT(changed == (after > before));
      before = after;
    }
  }));
}

TYPED_TEST(Properties, estimated_count_is_within_five_percent_up_to_seventy_percent_fill) {
  EXPECT_TRUE(rc::check("estimated count", [] {
    const std::uint64_t n = *rc::gen::inRange<std::uint64_t>(10'000, 100'000);
    const double fpr = *rc::gen::element(0.1, 0.05, 0.01, 0.001);
    const std::uint64_t first = *rc::gen::arbitrary<std::uint64_t>();
    TypeParam filter = Make<TypeParam>::sized(n, fpr, *any_hasher());
    for (std::uint64_t added = 0; filter.fill() <= 0.7;) {
      if (added >= 10'000) {
        const double estimate = static_cast<double>(filter.estimated_count().value());
        RC_ASSERT(std::abs(estimate / static_cast<double>(added) - 1) < 0.05);
      }
      for (std::uint64_t i = 0; i < n / 5 + 5000; ++i) filter.add(first + added++);
    }
  }));
}

}  // namespace
}  // namespace bloomery
