// Filters that are merged into live and rotating ones while these serve; and memory that is in place from the start.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "bloomery/bloomery.h"
#include "bloomery/live/live.h"
#include "bloomery/live/rotating.h"

namespace bloomery {
namespace {

template <class T>
class Merges : public ::testing::Test {
 protected:
  using Live = LiveFilter<T>;

  // A filter like the one in use, with the keys from first on.
  static T like(const Live& live, std::uint64_t first, std::uint64_t count = 500) {
    return filled(*T::with_geometry(live.read().filter().geometry(), live.read().filter().hasher()), first, count);
  }
  static T filled(T filter, std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t key = first; key < first + count; ++key) filter.add(key);
    return filter;
  }
  template <class Filter>
  static bool has(const Filter& filter, std::uint64_t first, std::uint64_t count = 500) {
    for (std::uint64_t key = first; key < first + count; ++key)
      if (!filter.contains(key)) return false;
    return true;
  }
};
using All = ::testing::Types<ClassicFilter, SplitFilter, BlockFilter>;
TYPED_TEST_SUITE(Merges, All);

TYPED_TEST(Merges, brings_every_key_into_a_live_filter_that_serves) {
  auto live = *LiveFilter<TypeParam>::make({.n = 20'000, .fpr = 0.01});
  const TypeParam other = this->like(*live, 0, 5000);
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> lost{0};
  std::thread adder([&] {
    for (std::uint64_t key = 1'000'000; !stop; ++key) live->add(key), lost += !live->contains(key);
  });
  EXPECT_TRUE(live->merge(other).ok());
  EXPECT_TRUE(this->has(*live, 0, 5000));
  stop = true;
  adder.join();
  EXPECT_EQ(lost, 0u);
}

TYPED_TEST(Merges, goes_to_the_filter_of_a_rebuild_as_well) {
  auto live = *LiveFilter<TypeParam>::make({.n = 1000, .fpr = 0.01});
  ASSERT_TRUE(live->begin_rebuild(1000, 0.01).ok());
  ASSERT_TRUE(live->merge(this->like(*live, 0).view()).ok());
  EXPECT_TRUE(this->has(*live, 0));
  ASSERT_TRUE(live->commit().ok());
  EXPECT_TRUE(this->has(*live, 0));
}

TYPED_TEST(Merges, is_refused_when_the_rebuild_could_not_take_it_and_nothing_has_changed) {
  auto live = *LiveFilter<TypeParam>::make({.n = 1000, .fpr = 0.01});
  ASSERT_TRUE(live->begin_rebuild(50'000, 0.01).ok());
  const std::uint64_t before = live->read().filter().bits_set();
  const Status refused = live->merge(this->like(*live, 0));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::mismatch);
  EXPECT_NE(refused.error().message.find("commit or abort"), std::string::npos) << refused.error().message;
  EXPECT_EQ(live->read().filter().bits_set(), before);
  ASSERT_TRUE(live->abort().ok());
  EXPECT_TRUE(live->merge(this->like(*live, 0)).ok());
  EXPECT_TRUE(this->has(*live, 0));
}

TYPED_TEST(Merges, of_another_geometry_or_hash_is_refused) {
  auto live = *LiveFilter<TypeParam>::make({.n = 1000, .fpr = 0.01});
  const auto larger = *TypeParam::with_capacity(5000, 0.01);
  const auto keyed = *TypeParam::with_geometry(live->read().filter().geometry(), Hasher::xxh64(7));
  for (const TypeParam* wrong : {&larger, &keyed}) {
    const Status refused = live->merge(*wrong);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::mismatch);
  }
}

TYPED_TEST(Merges, into_a_rotating_filter_last_as_long_as_what_this_window_added) {
  auto seen = *RotatingFilter<TypeParam>::make({.n = 1000, .fpr = 1e-3, .windows = 2});
  const TypeParam other =
      this->filled(*TypeParam::with_geometry(seen->geometry(), seen->hasher()), std::uint64_t{0}, 500);
  ASSERT_TRUE(seen->advance_to(1).ok());
  ASSERT_TRUE(seen->merge(other).ok());
  for (std::uint64_t epoch = 1; epoch <= 3; ++epoch) {
    ASSERT_TRUE(seen->advance_to(epoch).ok());
    EXPECT_TRUE(this->has(*seen, 0)) << epoch;
  }
  ASSERT_TRUE(seen->advance_to(4).ok());
  EXPECT_FALSE(this->has(*seen, 0));
  EXPECT_FALSE(seen->merge(*TypeParam::with_capacity(7777, 0.5)).ok());
}

// The share of the pages of a filter that are in memory.
template <class Filter>
double share_in_place(const Shared<Filter>& filter) {
  const std::span<const std::uint8_t> bytes = filter.view().payload();
  const std::size_t page = 4096;
  std::vector<unsigned char> pages((bytes.size() + page - 1) / page);
  EXPECT_EQ(::mincore(const_cast<std::uint8_t*>(bytes.data()), bytes.size(), pages.data()), 0);
  return static_cast<double>(std::count_if(pages.begin(), pages.end(), [](auto p) { return (p & 1) != 0; })) /
         static_cast<double>(pages.size());
}

TEST(LivePrefault, has_every_page_in_place_from_the_start_and_in_a_rebuild) {
  const std::uint64_t n = 20'000'000;  // 25 MB, in pages of its own
  auto later = *LiveFilter<BlockFilter>::make({.n = n, .fpr = 0.01, .sentinels = 0});
  EXPECT_LT(share_in_place(later->read().filter()), 0.5);
  auto live = *LiveFilter<BlockFilter>::make({.n = n, .fpr = 0.01, .sentinels = 0, .prefault = 2});
  EXPECT_EQ(share_in_place(live->read().filter()), 1);
  ASSERT_TRUE(live->begin_rebuild(n, 0.01).ok());
  ASSERT_TRUE(live->commit().ok());
  EXPECT_EQ(share_in_place(live->read().filter()), 1);
}

}  // namespace
}  // namespace bloomery
