// Filters in memory of the caller's: the same bytes and answers as in memory of their own, for every kind that is
// changed in place.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/all_layouts.h"

namespace bloomery {
namespace {

using testing::some_keys;

// Bytes of the caller's at an odd address, with others around them that nobody may touch.
class Page {
 public:
  explicit Page(std::size_t bytes) : all_(bytes + 2 * kAround, 0xab), bytes_(bytes) {}
  std::span<std::uint8_t> bytes() { return std::span(all_).subspan(kAround, bytes_); }
  bool intact_around() const {
    const auto untouched = [](std::uint8_t byte) { return byte == 0xab; };
    return std::all_of(all_.begin(), all_.begin() + kAround, untouched) &&
           std::all_of(all_.end() - kAround, all_.end(), untouched);
  }

 private:
  static constexpr std::size_t kAround = 65;
  std::vector<std::uint8_t> all_;
  std::size_t bytes_;
};

template <class Layout>
class MutableViews : public ::testing::Test {};
TYPED_TEST_SUITE(MutableViews, testing::AllLayoutTypes, testing::KindNames);

TYPED_TEST(MutableViews, write_the_bytes_of_a_filter_of_their_own) {
  if constexpr (InPlaceLayout<TypeParam>) {
    using View = BasicMutableView<TypeParam>;
    const std::vector<std::uint64_t> keys = some_keys(500);
    auto filter = *BasicFilter<TypeParam>::with_capacity(501, 0.01);
    Page page(filter.bytes());
    View view = *View::create(page.bytes(), filter.geometry());
    EXPECT_EQ(view.view(), filter.view());
    for (std::size_t i = 0; i < 250; ++i) {
      if constexpr (FillingLayout<TypeParam>) ASSERT_TRUE(filter.add(keys[i]).ok() && view.add(keys[i]).ok());
      else ASSERT_EQ(filter.add(keys[i]), view.add(keys[i]));
    }
    const auto rest = std::span(keys).subspan(250);
    ASSERT_TRUE(filter.add_many(rest).ok());
    std::size_t added = 0;
    EXPECT_TRUE(view.add_many(rest, &added).ok());
    EXPECT_EQ(added, rest.size());
    EXPECT_EQ(view.view(), filter.view());
    EXPECT_TRUE(page.intact_around());

    View again = *View::from_payload(page.bytes(), filter.geometry());
    EXPECT_EQ(again.view(), filter.view());
    if constexpr (RemovingLayout<TypeParam>) {
      EXPECT_EQ(again.remove(keys[7]), filter.remove(keys[7]));
      EXPECT_EQ(view.view(), filter.view());
    }
    again.clear();
    EXPECT_EQ(view.view(), BasicFilter<TypeParam>::with_geometry(filter.geometry())->view());
    EXPECT_TRUE(page.intact_around());
  }
}

TYPED_TEST(MutableViews, refuse_bytes_that_do_not_fit_and_keys_that_have_no_room) {
  if constexpr (InPlaceLayout<TypeParam>) {
    using View = BasicMutableView<TypeParam>;
    const auto geometry = BasicFilter<TypeParam>::with_capacity(20, 0.01)->geometry();
    Page page(geometry.payload_bytes());
    EXPECT_EQ(View::create(page.bytes().first(page.bytes().size() - 1), geometry).error().code, ErrorCode::corrupt);
    EXPECT_FALSE(View::from_payload(page.bytes().first(page.bytes().size() - 1), geometry).ok());
    if constexpr (FillingLayout<TypeParam>) {
      View view = *View::create(page.bytes(), geometry);
      const std::vector<std::uint64_t> keys = some_keys(100'000);
      std::size_t added = 0;
      EXPECT_EQ(view.add_many(keys, &added).error().code, ErrorCode::full);
      ASSERT_LT(added, keys.size());
      EXPECT_EQ(view.add(keys[added]).error().code, ErrorCode::full);
      for (std::size_t i = 0; i < added; ++i) ASSERT_TRUE(view.contains(keys[i]));
      EXPECT_TRUE(page.intact_around());
    }
  }
}

TYPED_TEST(MutableViews, merge_what_another_filter_holds) {
  if constexpr (InPlaceLayout<TypeParam> && UnitingLayout<TypeParam>) {
    const auto one = testing::filter_of<TypeParam>({1, 2, 3}), other = testing::filter_of<TypeParam>({4, 5, 6});
    Page page(one.bytes());
    std::ranges::copy(one.view().payload(), page.bytes().begin());
    auto view = *BasicMutableView<TypeParam>::from_payload(page.bytes(), one.geometry());
    ASSERT_TRUE(view.merge(other.view()).ok());
    for (const int key : {1, 2, 3, 4, 5, 6}) EXPECT_TRUE(testing::asked(view.view(), key));
    EXPECT_EQ(view.merge(BasicFilter<TypeParam>::with_capacity(5000, 0.01)->view()).error().code, ErrorCode::mismatch);
  }
}

}  // namespace
}  // namespace bloomery
