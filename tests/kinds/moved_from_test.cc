// A filter that was moved from is the empty filter, of every kind: it shares nothing with its new owner, answers and
// can be used like any other.
#include <gtest/gtest.h>

#include <array>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/bloomery.h"
#include "support/all_layouts.h"
#include "support/scratch.h"

// NOLINTBEGIN(bugprone-use-after-move): that is what they are about
namespace bloomery {
namespace {

using testing::asked;
using testing::filter_of;
using testing::Scratch;
using testing::some_keys;

const std::vector<std::uint64_t> kMovedKeys = some_keys(300);

template <class Layout>
class MovedFrom : public ::testing::Test {
 protected:
  using Filter = BasicFilter<Layout>;
  using View = BasicView<Layout>;

  // One whose keys, bytes and hash have a new owner that is gone: what it still read of them were freed memory.
  static Filter moved_from() {
    Filter filter = filter_of<Layout>(kMovedKeys, Hasher::xxh3(7));
    const Filter owner = std::move(filter);
    EXPECT_EQ(count_found(owner), kMovedKeys.size());
    return filter;  // NOLINT(bugprone-use-after-move): that is what is tested
  }
  static std::uint64_t count_found(const Filter& filter) {
    std::vector<std::uint8_t> answers(kMovedKeys.size());
    testing::ask_many(filter, kMovedKeys, answers);
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < kMovedKeys.size(); ++i) {
      EXPECT_EQ(answers[i], asked(filter, kMovedKeys[i])) << i;
      found += answers[i];
    }
    return found;
  }
  static void expect_empty(const Filter& filter) {
    EXPECT_TRUE(filter.view() == View());
    EXPECT_EQ(count_found(filter), 0u);
    EXPECT_EQ(filter.key_count(), 0u);
    EXPECT_EQ(filter.bits_set(), 0u);
    EXPECT_EQ(filter.estimated_count().value_or(0), 0u);
    EXPECT_EQ(filter.predicted_fpr(), 0);
    EXPECT_TRUE(filter.view().check_structure().ok());
  }
  static void expect_whole(const Filter& filter) {
    EXPECT_EQ(count_found(filter), kMovedKeys.size());
    EXPECT_EQ(filter.key_count(), kMovedKeys.size());
    EXPECT_TRUE(filter.view() == filter_of<Layout>(kMovedKeys, Hasher::xxh3(7)).view());
  }
};
TYPED_TEST_SUITE(MovedFrom, testing::AllLayoutTypes, testing::KindNames);

TYPED_TEST(MovedFrom, is_the_empty_filter_and_shares_no_bytes_with_its_new_owner) {
  auto filter = filter_of<TypeParam>(kMovedKeys, Hasher::xxh3(7));
  auto owner = std::move(filter);
  EXPECT_NE(filter.view().payload().data(), owner.view().payload().data());
  this->expect_empty(filter);
  this->expect_whole(owner);
  filter = std::move(owner);
  EXPECT_NE(filter.view().payload().data(), owner.view().payload().data());
  this->expect_empty(owner);
  this->expect_whole(filter);
}

TYPED_TEST(MovedFrom, outlives_its_new_owner) { this->expect_empty(this->moved_from()); }

TYPED_TEST(MovedFrom, a_move_to_itself_changes_nothing) {
  auto filter = filter_of<TypeParam>(kMovedKeys, Hasher::xxh3(7));
  auto& same = filter;
  filter = std::move(same);
  this->expect_whole(filter);
  auto empty = this->moved_from();
  auto& same_empty = empty;
  empty = std::move(same_empty);
  this->expect_empty(empty);
}

TYPED_TEST(MovedFrom, moves_cannot_throw) {
  static_assert(std::is_nothrow_move_constructible_v<BasicFilter<TypeParam>>);
  static_assert(std::is_nothrow_move_assignable_v<BasicFilter<TypeParam>>);
}

TYPED_TEST(MovedFrom, a_key_that_is_added_is_found) {
  if constexpr (!StaticLayout<TypeParam>) {
    auto one = this->moved_from(), many = this->moved_from();
    if constexpr (FillingLayout<TypeParam>) {
      EXPECT_TRUE(one.add(kMovedKeys[0]).ok());
      EXPECT_TRUE(many.add_many(std::span(kMovedKeys).first(1)).ok());
    } else {
      EXPECT_TRUE(one.add(kMovedKeys[0]));
      EXPECT_TRUE(many.add_many(kMovedKeys).ok());
    }
    EXPECT_TRUE(asked(one, kMovedKeys[0]));
    EXPECT_EQ(one.key_count(), 1u);
    EXPECT_TRUE(asked(many, kMovedKeys[0]));
    EXPECT_FALSE(BasicView<TypeParam>() == one.view());
    this->expect_empty(this->moved_from());
    if constexpr (BlockedLayout<TypeParam>) {
      auto by_threads = this->moved_from();
      EXPECT_TRUE(by_threads.add_many(kMovedKeys, 2).ok());
      EXPECT_EQ(this->count_found(by_threads), kMovedKeys.size());
    }
  }
}

TYPED_TEST(MovedFrom, one_that_grows_takes_every_key_and_one_that_cannot_says_that_it_is_full) {
  if constexpr (FillingLayout<TypeParam>) {
    auto filter = this->moved_from();
    const Status status = filter.add_many(kMovedKeys);
    EXPECT_EQ(status.ok(), GrowingLayout<TypeParam>);
    EXPECT_TRUE(status.ok() || status.error().code == ErrorCode::full);
    for (std::size_t i = 0; i < filter.key_count().value(); ++i) ASSERT_TRUE(filter.contains(kMovedKeys[i]));
  }
}

TYPED_TEST(MovedFrom, has_nothing_to_remove_to_count_or_to_list) {
  auto filter = this->moved_from();
  if constexpr (RemovingLayout<TypeParam>) {
    EXPECT_FALSE(filter.remove(kMovedKeys[0]));
  }
  if constexpr (BatchRemovingLayout<TypeParam>) {
    std::array<std::uint8_t, 300> answers;
    answers.fill(7);
    filter.remove_many(kMovedKeys, answers);
    for (const std::uint8_t answer : answers) ASSERT_EQ(answer, 0);
  }
  if constexpr (TallyingLayout<TypeParam>) {
    EXPECT_EQ(filter.count(kMovedKeys[0]), 0u);
  }
  if constexpr (RetryingLayout<TypeParam>) {
    EXPECT_EQ(filter.retries(), 0u);
  }
  if constexpr (IteratingLayout<TypeParam>)
    filter.for_each([](std::uint64_t, std::uint64_t) { ADD_FAILURE() << "there is a fingerprint"; });
  this->expect_empty(filter);
}

TYPED_TEST(MovedFrom, is_cleared_prefaulted_and_locked_without_harm) {
  auto filter = this->moved_from();
  EXPECT_TRUE(filter.prefault(2).ok());
  EXPECT_TRUE(filter.lock_in_memory().ok());
  EXPECT_EQ(filter.huge_page_share().value_or(0), 0);
  EXPECT_TRUE(filter.pages().empty());
  EXPECT_TRUE(filter.mutable_payload().empty());
  if constexpr (!StaticLayout<TypeParam>) filter.clear();
  this->expect_empty(filter);
}

TYPED_TEST(MovedFrom, is_merged_intersected_and_resized_as_an_empty_filter_is) {
  using Filter = BasicFilter<TypeParam>;
  if constexpr (MergingLayout<TypeParam>) {
    Filter filter = this->moved_from(), other = this->moved_from();
    EXPECT_TRUE(filter.merge(other).ok());
    this->expect_empty(filter);
    Filter full = filter_of<TypeParam>(kMovedKeys);
    EXPECT_EQ(full.merge(filter).error().code, ErrorCode::mismatch);
    EXPECT_EQ(filter.merge(full).error().code, ErrorCode::mismatch);
    Filter small = *Filter::with_geometry(typename Filter::Geometry{});
    (void)small.add(kMovedKeys[0]);
    EXPECT_TRUE(small.contains(kMovedKeys[0]));
    Filter into = this->moved_from();
    EXPECT_TRUE(into.merge(small).ok());
    EXPECT_TRUE(into.contains(kMovedKeys[0]));
    EXPECT_TRUE(small.merge(this->moved_from()).ok());
    EXPECT_TRUE(small.contains(kMovedKeys[0]));
    if constexpr (IntersectingLayout<TypeParam>) {
      Filter third = this->moved_from();
      EXPECT_TRUE(third.intersect(small).ok());
      EXPECT_FALSE(third.contains(kMovedKeys[0]));
      EXPECT_TRUE(small.intersect(this->moved_from()).ok());
      EXPECT_FALSE(small.contains(kMovedKeys[0]));
    }
  }
  if constexpr (ResizingLayout<TypeParam>) {
    Filter filter = this->moved_from(), small = *Filter::with_geometry(typename Filter::Geometry{});
    EXPECT_EQ(filter.resize().ok(), small.resize().ok());
    EXPECT_TRUE(filter.view() == small.view());
  }
}

TYPED_TEST(MovedFrom, a_clone_and_a_saved_file_of_it_are_empty_filters_too) {
  const auto filter = this->moved_from();
  this->expect_empty(*filter.clone());
  const Scratch scratch;
  ASSERT_TRUE(save(scratch / "empty", filter.view(), Format::envelope, filter.key_count()).ok());
  const Result<FilterFile> file = FilterFile::open(scratch / "empty");
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_TRUE(file->view() == filter.view());
  EXPECT_EQ(file->info().key_count, 0u);
  AnyFilter copy = *file->copy();
  EXPECT_FALSE(copy.contains(kMovedKeys[0]));
  if (!copy.add(kMovedKeys[0]).ok()) return;
  EXPECT_TRUE(copy.contains(kMovedKeys[0]));
}

TYPED_TEST(MovedFrom, a_view_taken_before_shows_what_the_new_owner_has) {
  auto filter = filter_of<TypeParam>(kMovedKeys);
  const BasicView<TypeParam> view = filter.view();
  const auto owner = std::move(filter);
  EXPECT_TRUE(view == owner.view());
  EXPECT_TRUE(asked(view, kMovedKeys[0]));
}

TYPED_TEST(MovedFrom, of_any_kind_is_empty_too) {
  AnyFilter filter = filter_of<TypeParam>(kMovedKeys);
  {
    AnyFilter owner = std::move(filter);
    EXPECT_TRUE(owner.contains(kMovedKeys[0]));
    EXPECT_EQ(filter.view().kind(), owner.view().kind());
    EXPECT_EQ(owner.key_count(), kMovedKeys.size());
  }
  EXPECT_EQ(filter.key_count(), 0u);
  EXPECT_FALSE(filter.contains(kMovedKeys[0]));
  EXPECT_TRUE(filter.clone()->view() == filter.view());
  if (can(TypeParam::Geometry::kKind, Ability::add)) {
    EXPECT_TRUE(filter.add(kMovedKeys[0]).ok());
    EXPECT_TRUE(filter.contains(kMovedKeys[0]));
  }
}

TYPED_TEST(MovedFrom, a_file_that_was_moved_from_shows_an_empty_filter_of_its_kind) {
  const Scratch scratch;
  ASSERT_TRUE(save(scratch / "f", filter_of<TypeParam>(kMovedKeys)).ok());
  FilterFile file = *FilterFile::open(scratch / "f");
  std::optional<FilterFile> owner = std::move(file);
  EXPECT_NE(file.view().payload().data(), owner->view().payload().data());
  EXPECT_TRUE(owner->contains(kMovedKeys[0]));
  owner.reset();
  EXPECT_FALSE(file.contains(kMovedKeys[0]));
  EXPECT_TRUE(file.view() == AnyView(BasicView<TypeParam>()));
  EXPECT_EQ(file.info().key_count, 0u);
  file = *FilterFile::open(scratch / "f");
  EXPECT_TRUE(file.contains(kMovedKeys[0]));

  UnverifiedFile mapped = *UnverifiedFile::map(scratch / "f");
  ASSERT_TRUE(std::move(mapped).verify().ok());
  EXPECT_TRUE(mapped.unverified_view() == AnyView(BasicView<TypeParam>()));
  const Result<FilterFile> again = std::move(mapped).verify();
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace bloomery
// NOLINTEND(bugprone-use-after-move)
