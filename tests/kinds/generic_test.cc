// Generic code: one template that works with every kind that offers an act, without `if constexpr`. It holds the words
// and the return types to be the same over kinds, and over filters, mutable views, run-time kinds, files.
#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <vector>

#include "bloomery/any_mutable_view.h"
#include "bloomery/file.h"
#include "support/all_layouts.h"
#include "support/scratch.h"

namespace bloomery {
namespace {

using testing::Any;
using testing::InPlace;
using testing::Intersects;
using testing::KindNames;
using testing::Merges;
using testing::Remembers;
using testing::Removes;
using testing::some_keys;
using testing::Takes;
using testing::Tallies;
using testing::Those;

const std::vector<std::uint64_t> kKeys = some_keys(1000);

template <class Filter>
void every_filter(const Filter& filter) {
  static_assert(std::same_as<decltype(filter.bytes()), std::uint64_t>);
  EXPECT_EQ(filter.bytes(), filter.view().payload().size());
  EXPECT_EQ(filter.key_count(), kKeys.size());
  EXPECT_TRUE(filter.options().hasher == filter.hasher());
  Result<Filter> copy = filter.clone();
  ASSERT_TRUE(copy.ok());
  EXPECT_TRUE(copy->view() == filter.view());
  EXPECT_EQ(copy->key_count(), filter.key_count());
}

template <class Layout>
class EveryKind : public ::testing::Test {};
TYPED_TEST_SUITE(EveryKind, Those<Any>::Types, KindNames);
TYPED_TEST(EveryKind, is_built_by_the_same_words) {
  using Filter = BasicFilter<TypeParam>;
  const Hasher hasher = Hasher::xxh3(7);
  for (const Result<Filter>& built :
       {Filter::build(kKeys, 0.01), Filter::build(kKeys, 0.01, 2), Filter::build(kKeys, 0.01, hasher),
        Filter::build(kKeys, 0.01, hasher, 2), Filter::build(kKeys, 0.01, FilterOptions(hasher, nullptr), 2)}) {
    ASSERT_TRUE(built.ok());
    every_filter(*built);
  }
  constexpr Kind kKind = TypeParam::Geometry::kKind;
  for (const Result<AnyFilter>& built : {AnyFilter::build(kKind, kKeys), AnyFilter::build(kKind, kKeys, {}, hasher),
                                         AnyFilter::build(kKind, kKeys, {}, hasher, 2)}) {
    ASSERT_TRUE(built.ok());
    every_filter(*built);
    EXPECT_TRUE(built->contains(kKeys[0]));
    EXPECT_TRUE(built->view() == AnyFilter::build(kKind, kKeys.begin(), kKeys.end(), {}, built->options(), 2)->view());
  }
}

template <class Filter>
void every_lookup(const Filter& filter) {
  std::vector<std::uint8_t> answers(kKeys.size());
  static_assert(noexcept(filter.contains(kKeys[0]))&& noexcept(filter.contains("key")));
  static_assert(noexcept(filter.contains_many(kKeys, answers)));
  filter.contains_many(kKeys, answers);
  for (std::size_t i = 0; i < kKeys.size(); ++i) ASSERT_TRUE(answers[i] != 0 && filter.contains(kKeys[i])) << i;
  answers.assign(kKeys.size(), 0);
  filter.contains_many(kKeys.begin(), kKeys.end(), answers);
  EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), std::ptrdiff_t{1000});
  answers.assign(3, 0);
  filter.contains_many({1, 2, 3}, answers);
  EXPECT_EQ(answers, std::vector<std::uint8_t>({1, 1, 1}));
}

// Keys of which every third one is in, more than fit into one group: positions and bits say what bytes say.
template <class Filter>
void every_answer(const Filter& filter) {
  std::vector<std::uint64_t> keys;
  for (const std::uint64_t key : kKeys) keys.insert(keys.end(), {key, key + 1'000'000, key + 2'000'000});
  std::vector<std::uint8_t> answers(keys.size());
  filter.contains_many(keys, answers);
  std::vector<std::uint32_t> present, positions(keys.size());
  std::vector<std::uint64_t> bits((keys.size() + 63) / 64), words(bits.size() + 1, ~std::uint64_t{0});
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    if (answers[i] == 0) continue;
    present.push_back(i);
    bits[i / 64] |= std::uint64_t{1} << i % 64;
  }
  static_assert(noexcept(filter.select_present(keys, positions))&& noexcept(filter.contains_bitmap(keys, words)));
  positions.resize(filter.select_present(keys, positions));
  EXPECT_EQ(positions, present);
  filter.contains_bitmap(keys, words);
  EXPECT_EQ(words.back(), ~std::uint64_t{0}) << "a word behind the last key's";
  words.pop_back();
  EXPECT_EQ(words, bits);
  EXPECT_EQ(filter.select_present(std::span<const Hash>(), {}), 0u);
  filter.contains_bitmap(std::span<const Hash>(), {});
}
template <class Filter>
void every_question(const Filter& filter) {
  every_lookup(filter);
  every_answer(filter);
}

template <class Layout>
class EveryKindThatRemembers : public ::testing::Test {};
TYPED_TEST_SUITE(EveryKindThatRemembers, Those<Remembers>::Types, KindNames);
TYPED_TEST(EveryKindThatRemembers, answers_by_the_same_words) {
  const auto filter = *BasicFilter<TypeParam>::build(kKeys, 0.01);
  every_question(filter);
  every_question(filter.view());
}

// Kinds that forget, too: with so much room they have forgotten nothing.
TYPED_TEST(EveryKind, answers_by_the_same_words_where_it_is_known_at_run_time) {
  auto filter = *AnyFilter::build(TypeParam::Geometry::kKind, kKeys, {.fpr = 0.01});
  if (filter.view().forgets()) {
    ASSERT_TRUE(filter.clear().ok());
    filter = *AnyFilter::with_capacity(TypeParam::Geometry::kKind, 100 * kKeys.size(), 0.01);
    ASSERT_TRUE(filter.add_many(kKeys).ok());
  }
  every_question(filter);
  every_question(filter.view());
  const testing::Scratch scratch;
  ASSERT_TRUE(save(scratch / "f", filter).ok());
  every_question(*FilterFile::open(scratch / "f"));
}

TEST(EveryFile, opened_without_its_secret_answers_maybe_by_the_same_words) {
  const testing::Scratch scratch;
  ASSERT_TRUE(save(scratch / "f", *BlockFilter::build(kKeys, 0.01, Hasher::siphash13(Secret({1, 2, 3})))).ok());
  OpenOptions options;
  options.without_secret = true;
  const FilterFile file = *FilterFile::open(scratch / "f", options);
  every_question(file);
  const auto all = testing::some_keys(130);
  std::vector<std::uint32_t> positions(130);
  EXPECT_EQ(file.select_present(all, positions), 130u);
  EXPECT_DEATH((void)file.select_present(all, std::span(positions).first(10)), "select_present got 130 keys");
  std::vector<std::uint64_t> words(3);
  file.contains_bitmap(all, words);
  EXPECT_EQ(words, std::vector<std::uint64_t>({~std::uint64_t{0}, ~std::uint64_t{0}, 3}));
  EXPECT_DEATH(file.contains_bitmap(all, std::span(words).first(2)), "contains_bitmap got 130 keys");
}

template <class Layout>
class EveryKindThatTakesKeys : public ::testing::Test {};
TYPED_TEST_SUITE(EveryKindThatTakesKeys, Those<Takes>::Types, KindNames);
TYPED_TEST(EveryKindThatTakesKeys, adds_by_the_same_words) {
  using Filter = BasicFilter<TypeParam>;
  Filter filter = *Filter::with_capacity(kKeys.size(), 0.01, Hasher::xxh3(7));
  AnyFilter any = *AnyFilter::with_capacity(TypeParam::Geometry::kKind, kKeys.size(), 0.01, Hasher::xxh3(7));
  (void)filter.add(kKeys[0]);
  (void)any.add(kKeys[0]);
  const auto half = std::span(kKeys).subspan(1, 500), rest = std::span(kKeys).subspan(501);
  static_assert(std::same_as<decltype(filter.add_many(half)), Status>);
  static_assert(std::same_as<decltype(filter.add_many(half, 2)), Status>);
  static_assert(std::same_as<decltype(filter.add_many({1, 2})), Status>);
  static_assert(std::same_as<decltype(filter.add_many(half.begin(), half.end())), Status>);
  EXPECT_TRUE(filter.add_many(half).ok() && filter.add_many(rest, 2).ok());
  EXPECT_TRUE(any.add_many(half).ok() && any.add_many(rest, 2).ok());
  every_filter(filter);
  EXPECT_TRUE(AnyView(filter.view()) == any.view());
  static_assert(std::same_as<decltype(any.add_many({1, 2})), Status>);
  static_assert(std::same_as<decltype(any.add_many(half.begin(), half.end())), Status>);
  EXPECT_TRUE(filter.add_many({5'001, 5'002}).ok() && filter.add_many(half.begin(), half.begin() + 2).ok());
  EXPECT_TRUE(any.add_many({5'001, 5'002}).ok() && any.add_many(half.begin(), half.begin() + 2).ok());
  EXPECT_TRUE(AnyView(filter.view()) == any.view());
  const Filter like = *Filter::with_geometry(filter.geometry(), filter.options());
  filter.clear();
  EXPECT_TRUE(filter == like);
}

template <class Layout>
class EveryKindInPlace : public ::testing::Test {};
TYPED_TEST_SUITE(EveryKindInPlace, Those<InPlace>::Types, KindNames);
TYPED_TEST(EveryKindInPlace, adds_by_the_same_words) {
  const auto filter = *BasicFilter<TypeParam>::build(kKeys, 0.01);
  std::vector<std::uint8_t> page(filter.bytes());
  auto view = *BasicMutableView<TypeParam>::create(page, filter.geometry());
  (void)view.add(kKeys[0]);
  std::size_t added = 0;
  static_assert(std::same_as<decltype(view.add_many(kKeys)), Status>);
  EXPECT_TRUE(view.add_many(std::span(kKeys).subspan(1), &added).ok());
  EXPECT_EQ(added, kKeys.size() - 1);
  EXPECT_EQ(view.view(), filter.view());
  // Lists and pairs of iterators, typed and known at run time.
  auto small = *BasicFilter<TypeParam>::with_capacity(kKeys.size(), 0.01);
  EXPECT_TRUE(small.add_many({1, 2}).ok() && small.add_many(kKeys.begin() + 3, kKeys.begin() + 5).ok());
  view.clear();
  EXPECT_TRUE(view.add_many({1, 2}, &added).ok());
  EXPECT_EQ(added, 2u);
  EXPECT_TRUE(view.add_many(kKeys.begin() + 3, kKeys.begin() + 5, &added).ok());
  EXPECT_EQ(added, 2u);
  EXPECT_EQ(view.view(), small.view());
  const AnyView numbers = small.view();
  auto any = *AnyMutableView::create(numbers.kind(), page, numbers.geometry_fields(), numbers.hasher());
  EXPECT_TRUE(any.add_many({1, 2}).ok() && any.add_many(kKeys.begin() + 3, kKeys.begin() + 5).ok());
  EXPECT_TRUE(any.view() == numbers);
}

template <class Layout>
class EveryKindThatRemoves : public ::testing::Test {};
TYPED_TEST_SUITE(EveryKindThatRemoves, Those<Removes>::Types, KindNames);
TYPED_TEST(EveryKindThatRemoves, removes_by_the_same_words) {
  auto filter = *BasicFilter<TypeParam>::build(kKeys, 0.01);
  EXPECT_TRUE(filter.remove(kKeys[0]));
  EXPECT_EQ(filter.key_count(), kKeys.size() - 1);
  AnyFilter any = *AnyFilter::build(TypeParam::Geometry::kKind, kKeys);
  EXPECT_TRUE(any.remove(kKeys[0]).value());
}

template <class Layout>
class EveryKindThatTallies : public ::testing::Test {};
TYPED_TEST_SUITE(EveryKindThatTallies, Those<Tallies>::Types, KindNames);
TYPED_TEST(EveryKindThatTallies, counts_by_the_same_words) {
  auto filter = *BasicFilter<TypeParam>::with_capacity(kKeys.size(), 0.01);
  EXPECT_TRUE(filter.add_many({5, 5, 5}).ok());
  EXPECT_EQ(filter.count(5), 3u);
  EXPECT_EQ(filter.view().count(5), 3u);
}

template <class Layout>
class EveryKindThatMerges : public ::testing::Test {};
TYPED_TEST_SUITE(EveryKindThatMerges, Those<Merges>::Types, KindNames);
TYPED_TEST(EveryKindThatMerges, merges_by_the_same_words) {
  using Filter = BasicFilter<TypeParam>;
  Filter one = *Filter::with_capacity(2 * kKeys.size(), 0.01), other = *one.clone();
  EXPECT_TRUE(one.add_many({1, 2}).ok() && other.add_many({3, 4}).ok() && one.merge(other).ok());
  for (const int key : {1, 2, 3, 4}) EXPECT_TRUE(one.contains(key));
  EXPECT_EQ(one.key_count(), 4u);
}

template <class Layout>
class EveryKindThatIntersects : public ::testing::Test {};
TYPED_TEST_SUITE(EveryKindThatIntersects, Those<Intersects>::Types, KindNames);
TYPED_TEST(EveryKindThatIntersects, intersects_by_the_same_words) {
  using Filter = BasicFilter<TypeParam>;
  Filter one = *Filter::with_capacity(2 * kKeys.size(), 0.01), other = *one.clone();
  EXPECT_TRUE(one.add_many({1, 2, 3}).ok() && other.add_many({3, 4}).ok() && one.intersect(other).ok());
  EXPECT_TRUE(one.contains(3));
  EXPECT_FALSE(one.contains(1));
}

}  // namespace
}  // namespace bloomery
