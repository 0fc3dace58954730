#include "bloomery/live/rotating.h"

#include <gtest/gtest.h>

#include <thread>

#include "bloomery/bloomery.h"

namespace bloomery {
namespace {

template <class T>
class RotatingFilters : public ::testing::Test {};
using All = ::testing::Types<ClassicFilter, SplitFilter, BlockFilter>;
TYPED_TEST_SUITE(RotatingFilters, All);

TYPED_TEST(RotatingFilters, a_key_stays_for_the_windows_asked_and_then_goes) {
  auto seen = *RotatingFilter<TypeParam>::make({.n = 1000, .fpr = 1e-4, .windows = 3, .first_epoch = 100});
  seen->add("key");
  for (std::uint64_t epoch = 101; epoch <= 103; ++epoch) {
    ASSERT_TRUE(seen->advance_to(epoch).ok());
    EXPECT_TRUE(seen->contains("key")) << epoch;
  }
  ASSERT_TRUE(seen->advance_to(104).ok());
  EXPECT_FALSE(seen->contains("key"));
  EXPECT_EQ(seen->epoch(), 104u);
}

TYPED_TEST(RotatingFilters, a_jump_drops_all_that_is_too_old_by_then) {
  auto seen = *RotatingFilter<TypeParam>::make({.n = 1000, .fpr = 1e-4, .windows = 3});
  seen->add("a");
  ASSERT_TRUE(seen->advance_to(2).ok());
  seen->add("b");
  ASSERT_TRUE(seen->advance_to(5).ok());
  EXPECT_FALSE(seen->contains("a"));
  EXPECT_TRUE(seen->contains("b"));
  ASSERT_TRUE(seen->advance_to(~std::uint64_t{0}).ok());
  EXPECT_FALSE(seen->contains("b"));
}

TYPED_TEST(RotatingFilters, going_back_is_refused_and_standing_still_is_not) {
  auto seen = *RotatingFilter<TypeParam>::make({.n = 1000, .windows = 2, .first_epoch = 7});
  seen->add("key");
  EXPECT_TRUE(seen->advance_to(7).ok());
  const Status back = seen->advance_to(6);
  ASSERT_FALSE(back.ok());
  EXPECT_NE(back.error().message.find("cannot go back"), std::string::npos);
  EXPECT_EQ(seen->epoch(), 7u);
  EXPECT_TRUE(seen->contains("key"));
  EXPECT_FALSE(RotatingFilter<TypeParam>::make({.n = 1000, .windows = 0}).ok());
  EXPECT_FALSE(RotatingFilter<TypeParam>::make({.n = 0, .windows = 1}).ok());
  EXPECT_FALSE(RotatingFilter<TypeParam>::make({.n = 10, .fpr = 2, .windows = 1}).ok());
}

TYPED_TEST(RotatingFilters, the_rate_over_all_generations_is_the_one_asked_for) {
  constexpr std::uint64_t kKeys = 5000, kAsked = 200'000;
  auto seen = *RotatingFilter<TypeParam>::make({.n = kKeys, .fpr = 0.01, .windows = 3});
  for (std::uint64_t window = 0; window < 4; ++window) {
    ASSERT_TRUE(seen->advance_to(window).ok());
    for (std::uint64_t i = 0; i < kKeys; ++i) seen->add(window * kKeys + i);
  }
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < kAsked; ++i) wrong += seen->contains((std::uint64_t{1} << 40) + i);
  EXPECT_NEAR(static_cast<double>(wrong) / kAsked, 0.01, 0.002);
}

TYPED_TEST(RotatingFilters, replicas_told_the_same_agree) {
  auto one = *RotatingFilter<TypeParam>::make({.n = 100, .fpr = 0.05, .windows = 2});
  auto two = *RotatingFilter<TypeParam>::make({.n = 100, .fpr = 0.05, .windows = 2});
  for (std::uint64_t i = 0; i < 1000; ++i) {
    for (auto* replica : {one.get(), two.get()}) {
      ASSERT_TRUE(replica->advance_to(i / 80).ok());
      replica->add(i);
    }
  }
  for (std::uint64_t key = 0; key < 20'000; ++key) ASSERT_EQ(one->contains(key), two->contains(key)) << key;
}

TYPED_TEST(RotatingFilters, keys_of_the_last_windows_are_found_while_it_rotates) {
  const std::uint64_t count = std::getenv("BLOOMERY_SOAK") != nullptr ? 3'000'000 : 20'000;
  constexpr std::uint64_t kPerWindow = 500;
  auto seen = *RotatingFilter<TypeParam>::make({.n = 2 * kPerWindow, .windows = 2});
  std::atomic<std::uint64_t> added{0}, lost{0};
  std::thread writer([&] {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i % kPerWindow == 0 && !seen->advance_to(i / kPerWindow).ok()) ++lost;
      seen->add(i);
      added.store(i + 1, std::memory_order_release);
    }
  });
  std::thread reader([&] {
    while (added.load(std::memory_order_acquire) < count) {
      const std::uint64_t known = added.load(std::memory_order_acquire);
      if (known == 0) continue;
      const std::uint64_t key = known - 1;  // of this window or the last
      const bool found = seen->contains(key);
      const std::uint64_t windows = (added.load(std::memory_order_acquire)) / kPerWindow - key / kPerWindow;
      if (!found && windows <= 2) ++lost;
    }
  });
  writer.join();
  reader.join();
  EXPECT_EQ(lost, 0u);
}

}  // namespace
}  // namespace bloomery
