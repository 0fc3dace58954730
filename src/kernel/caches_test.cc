#include "kernel/caches.h"

#include <gtest/gtest.h>

#include "kernel/kernel.h"

namespace bloomery::kernel {
namespace {

TEST(Caches, have_plausible_sizes) {
  EXPECT_GE(caches().l1d, 4u << 10);
  EXPECT_GE(caches().l2, caches().l1d);
  EXPECT_GE(caches().l3, 1u << 20);
}

TEST(Caches, near_filters_are_not_prefetched_and_far_ones_are) {
  const Caches machine{32u << 10, 2u << 20, 64u << 20};
  for (const bool covers_l2 : {false, true}) {
    EXPECT_EQ(rule_for(machine, covers_l2, 64), 0u);
    EXPECT_EQ(rule_for(machine, covers_l2, 16u << 10), 0u);
    for (std::uint64_t bytes : {2ull << 20, 64ull << 20, 1ull << 40}) {
      EXPECT_GE(rule_for(machine, covers_l2, bytes), 16u);
      EXPECT_LE(rule_for(machine, covers_l2, bytes), kMostAhead);
    }
  }
  EXPECT_EQ(rule_for(machine, true, 1u << 20), 0u);
  EXPECT_GE(rule_for(machine, false, 1u << 20), 16u);
}

TEST(Caches, only_a_distance_that_kernels_take_overrides_the_rule) {
  EXPECT_EQ(parse_prefetch("0"), 0u);
  EXPECT_EQ(parse_prefetch("127"), kMostAhead);
  for (const char* bad : {"", "128", "-1", "8x", " 8", "99999999999999999999"})
    EXPECT_EQ(parse_prefetch(bad), std::nullopt) << bad;
  EXPECT_EQ(parse_prefetch(nullptr), std::nullopt);
}

}  // namespace
}  // namespace bloomery::kernel
