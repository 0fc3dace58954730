// A column of strings is taken as an array of the same strings is, by every kind.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bloomery/bloomery.h"
#include "bloomery/string_column.h"
#include "support/all_layouts.h"

namespace bloomery {
namespace {

// Strings of 8 to 48 bytes, few of them empty: a cuckoo filter takes no key often. The column does not begin with its
// bytes.
template <class Offset>
struct Strings {
  explicit Strings(std::size_t count, std::uint64_t seed = 1) {
    offsets.push_back(3);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t number = detail::splitmix64(seed + i);
      const std::uint64_t size = i % 900 == 5 ? 0 : 8 + number % 41;
      for (std::uint64_t j = 0; j < size; ++j)
        bytes += static_cast<char>(detail::splitmix64(number + j / 8) >> (j % 8 * 8));
      offsets.push_back(static_cast<Offset>(bytes.size()));
    }
    for (std::size_t i = 0; i < count; ++i) views.push_back(column()[i]);
  }
  StringColumn<Offset> column() const { return StringColumn(offsets, bytes.data()); }

  std::string bytes = "...";
  std::vector<Offset> offsets;
  std::vector<std::string_view> views;
};

template <class Layout>
class Columns : public ::testing::Test {};
TYPED_TEST_SUITE(Columns, testing::AllLayoutTypes, testing::KindNames);

TYPED_TEST(Columns, build_what_their_strings_build) {
  using Filter = BasicFilter<TypeParam>;
  const Strings<std::int32_t> narrow(3000);
  const Strings<std::int64_t> wide(3000);
  const auto from_views = Filter::build(narrow.views, 0.01);
  const auto from_column = Filter::build(narrow.column(), 0.01);
  const auto from_wide = Filter::build(wide.column(), 0.01, 2);
  ASSERT_TRUE(from_views.ok() && from_column.ok() && from_wide.ok());
  EXPECT_EQ(*from_column, *from_views);
  EXPECT_EQ(*from_wide, *from_views);
  EXPECT_EQ(from_column->key_count(), from_views->key_count());
  EXPECT_TRUE(Filter::build(StringColumn<std::int32_t>(), 0.01).ok());
}

TYPED_TEST(Columns, are_added_as_their_strings_are) {
  if constexpr (!StaticLayout<TypeParam>) {
    const Strings<std::uint32_t> strings(2000);
    auto by_column = *BasicFilter<TypeParam>::with_capacity(4000, 0.01);
    auto by_views = *BasicFilter<TypeParam>::with_capacity(4000, 0.01);
    EXPECT_TRUE(by_column.add_many(strings.column()).ok());
    EXPECT_TRUE(by_views.add_many(strings.views).ok());
    EXPECT_EQ(by_column, by_views);
    EXPECT_EQ(by_column.key_count(), 2000u);
  }
}

// At every side of the groups that batches are made of.
TYPED_TEST(Columns, are_answered_as_one_string_at_a_time) {
  if constexpr (!ForgettingLayout<TypeParam>) {
    const Strings<std::int32_t> in(2000);
    const auto filter = BasicFilter<TypeParam>::build(in.views, 0.01);
    ASSERT_TRUE(filter.ok());
    for (const std::size_t count : {0u, 1u, 15u, 16u, 17u, 255u, 256u, 257u, 1023u, 1025u, 1500u}) {
      for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{1'000'000}}) {  // those that are in, and others
        const Strings<std::uint64_t> asked(count, seed);
        std::vector<std::string> own(asked.views.begin(), asked.views.end());
        std::vector<std::uint8_t> right(count), of_column(count, 7), of_views(count, 7), of_own(count, 7);
        for (std::size_t i = 0; i < count; ++i) right[i] = filter->contains(asked.views[i]) ? 1 : 0;
        filter->contains_many(asked.column(), of_column);
        filter->contains_many(asked.views, of_views);
        filter->contains_many(own, of_own);
        ASSERT_EQ(of_column, right);
        ASSERT_EQ(of_views, right);
        ASSERT_EQ(of_own, right);
        std::vector<std::uint32_t> positions(count);
        std::size_t present = 0;
        for (const std::uint8_t answer : right) present += answer;
        ASSERT_EQ(filter->select_present(asked.column(), positions), present);
      }
    }
    std::vector<std::uint8_t> few(3);
    EXPECT_DEATH(filter->contains_many(in.column(), few), "contains_many got 2000 keys");
  }
}

TEST(AnyFilter, takes_columns) {
  const Strings<std::int32_t> strings(500);
  for (const Kind kind : {Kind::block, Kind::ribbon}) {
    const auto filter = AnyFilter::build(kind, strings.column());
    ASSERT_TRUE(filter.ok());
    std::vector<std::uint8_t> answers(500);
    filter->contains_many(strings.column(), answers);
    EXPECT_EQ(answers, std::vector<std::uint8_t>(500, 1));
  }
}

}  // namespace
}  // namespace bloomery
