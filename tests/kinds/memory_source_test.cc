// Filters in memory of an engine's own: every byte that a filter holds comes from its source and goes back to it, for
// every kind and every way to get a filter, and a source that refuses is an error that changes nothing.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "support/all_layouts.h"
#include "support/counting_source.h"

namespace bloomery {
namespace {

using testing::Any;
using testing::CountingSource;
using testing::KindNames;
using testing::Merges;
using testing::some_keys;
using testing::Takes;
using testing::Those;

const std::vector<std::uint64_t> kSourceKeys = some_keys(2000);

template <class Layout>
class OwnMemory : public ::testing::Test {};
TYPED_TEST_SUITE(OwnMemory, Those<Any>::Types, KindNames);

TYPED_TEST(OwnMemory, is_counted_to_the_byte_and_all_given_back) {
  using Filter = BasicFilter<TypeParam>;
  CountingSource source;
  const FilterOptions options(Hasher::xxh3(7), &source);
  {
    Filter filter = *Filter::build(kSourceKeys, 0.01, options, 2);
    EXPECT_EQ(source.bytes(), filter.bytes());
    EXPECT_EQ(filter.options().memory, &source);
    EXPECT_TRUE(filter == *Filter::build(kSourceKeys, 0.01, Hasher::xxh3(7)));
    {
      const Filter copy = *filter.clone();
      EXPECT_EQ(source.bytes(), 2 * filter.bytes());
      EXPECT_EQ(copy.options().memory, &source);
      EXPECT_TRUE(copy == filter);
    }
    const Filter copied = *Filter::copy_of(filter.view(), {}, &source);
    EXPECT_EQ(source.bytes(), 2 * filter.bytes());
    Filter owner = std::move(filter);
    EXPECT_EQ(source.bytes(), 2 * owner.bytes());
    EXPECT_EQ(filter.options().memory, nullptr);  // NOLINT(bugprone-use-after-move): it has the system's
    const AnyFilter any = std::move(owner);
    EXPECT_EQ(any.options().memory, &source);
    const AnyFilter another = *any.clone();
    EXPECT_EQ(source.bytes(), 3 * any.bytes());
  }
  EXPECT_EQ(source.bytes(), 0u);
  {
    const AnyFilter any = *AnyFilter::build(TypeParam::Geometry::kKind, kSourceKeys, {}, options, 2);
    EXPECT_EQ(source.bytes(), any.bytes());
    const AnyFilter copy = *AnyFilter::copy_of(any.view(), {}, &source);
    EXPECT_EQ(source.bytes(), 2 * any.bytes());
  }
  EXPECT_EQ(source.bytes(), 0u);
}

TYPED_TEST(OwnMemory, that_is_refused_at_each_call_in_turn_is_an_error) {
  using Filter = BasicFilter<TypeParam>;
  CountingSource source;
  const FilterOptions options({}, &source);
  for (std::uint64_t n = 1;; ++n) {
    source.refuse_from(n);
    const std::uint64_t calls = source.calls();
    const Result<Filter> filter = Filter::build(kSourceKeys, 0.01, options);
    if (filter.ok()) break;
    EXPECT_EQ(filter.error().code, ErrorCode::out_of_memory);
    EXPECT_EQ(source.calls(), calls + n);
    EXPECT_EQ(source.bytes(), 0u);
  }
  source.refuse_from(0);
  const Filter filter = *Filter::build(kSourceKeys, 0.01, options);
  source.refuse_from(1);
  EXPECT_EQ(filter.clone().error().code, ErrorCode::out_of_memory);
  EXPECT_EQ(AnyFilter::build(TypeParam::Geometry::kKind, kSourceKeys, {}, options).error().code,
            ErrorCode::out_of_memory);
  EXPECT_EQ(source.bytes(), filter.bytes());
}

template <class Layout>
class OwnMemoryThatChanges : public ::testing::Test {};
TYPED_TEST_SUITE(OwnMemoryThatChanges, Those<Takes>::Types, KindNames);

TYPED_TEST(OwnMemoryThatChanges, is_what_every_factory_and_every_change_takes) {
  using Filter = BasicFilter<TypeParam>;
  CountingSource source;
  const FilterOptions options({}, &source);
  Filter filter = *Filter::with_capacity(100, 0.01, options);
  EXPECT_EQ(source.bytes(), filter.bytes());
  {
    const Filter same = *Filter::with_geometry(filter.geometry(), options);
    const AnyFilter any = *AnyFilter::with_capacity(TypeParam::Geometry::kKind, 100, 0.01, options);
    EXPECT_EQ(source.bytes(), filter.bytes() + same.bytes() + any.bytes());
  }
  (void)filter.add_many(kSourceKeys);  // scalable grows meanwhile
  EXPECT_EQ(source.bytes(), filter.bytes());
  filter.clear();
  EXPECT_EQ(source.bytes(), filter.bytes());
}

// Growing is the one change of a filter that needs memory.
TEST(OwnMemory, that_is_refused_to_a_chain_that_grows_leaves_it_as_it_was) {
  CountingSource source;
  ScalableFilter chain = *ScalableFilter::with_capacity(100, 0.01, {{}, &source});
  source.refuse_from(2);
  const Status status = chain.add_many(kSourceKeys);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::out_of_memory);
  EXPECT_EQ(source.bytes(), chain.bytes());
  const std::uint64_t in = chain.key_count().value();
  EXPECT_GT(in, 100u);
  for (std::uint64_t i = 0; i < in; ++i) ASSERT_TRUE(chain.contains(kSourceKeys[i]));
  source.refuse_from(0);
  EXPECT_TRUE(chain.add_many(std::span(kSourceKeys).subspan(in)).ok());
  EXPECT_EQ(source.bytes(), chain.bytes());
  const ScalableFilter folded = *fold(chain, kSourceKeys);
  EXPECT_EQ(source.bytes(), chain.bytes() + folded.bytes());
}

template <class Layout>
class OwnMemoryThatMerges : public ::testing::Test {};
TYPED_TEST_SUITE(OwnMemoryThatMerges, Those<Merges>::Types, KindNames);

TYPED_TEST(OwnMemoryThatMerges, is_the_memory_of_the_merged_filter) {
  using Filter = BasicFilter<TypeParam>;
  CountingSource source, others;
  Filter one = *Filter::with_capacity(4000, 0.01, {{}, &source});
  const Filter other = *Filter::build(kSourceKeys, 0.01);
  Filter like = *Filter::with_geometry(one.geometry(), {{}, &others});
  ASSERT_TRUE(like.add_many(kSourceKeys).ok());
  ASSERT_TRUE(one.merge(like).ok());
  EXPECT_EQ(source.bytes(), one.bytes());
  EXPECT_EQ(others.bytes(), like.bytes());
  EXPECT_EQ(one.options().memory, &source);
}

TEST(OwnMemory, is_that_of_a_resized_quotient_filter_and_of_a_counting_filter_turned_classic) {
  CountingSource source;
  QuotientFilter quotient = *QuotientFilter::with_capacity(1000, 0.01, {{}, &source});
  ASSERT_TRUE(quotient.resize().ok());
  EXPECT_EQ(source.bytes(), quotient.bytes());
  source.refuse_from(1);
  EXPECT_EQ(quotient.resize().error().code, ErrorCode::out_of_memory);
  source.refuse_from(0);
  const CountingFilter counting = *CountingFilter::with_capacity(1000, 0.01, {{}, &source});
  const ClassicFilter classic = *to_classic(counting);
  EXPECT_EQ(source.bytes(), quotient.bytes() + counting.bytes() + classic.bytes());
}

}  // namespace
}  // namespace bloomery
