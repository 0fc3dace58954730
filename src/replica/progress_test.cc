// What is kept of origins that come and go.
#include "replica/progress.h"

#include <gtest/gtest.h>

namespace bloomery::replica {
namespace {

TEST(ReplicaProgress, is_never_more_than_a_list_of_positions_may_hold) {
  Progress progress;
  constexpr std::uint64_t kStarts = 4;
  for (std::uint64_t origin = 1; origin <= kMostPositions; ++origin) {
    for (std::uint64_t start = 1; start <= kStarts; ++start) {
      ASSERT_TRUE(progress.has_room(origin)) << origin;
      progress.applied({origin, start, 1});
      ASSERT_LE(progress.known().size(), kMostPositions) << origin;
    }
    ASSERT_EQ(progress.newest(origin), kStarts);
  }
  EXPECT_EQ(progress.known().size(), kMostPositions) << "the newest of each origin are there";
  EXPECT_FALSE(progress.has_room(kMostPositions + 1));
  progress.applied({kMostPositions + 1, 1, 1});
  EXPECT_EQ(progress.newest(kMostPositions + 1), 0u);
  EXPECT_TRUE(progress.has_room(1));
  progress.applied({1, kStarts + 1, 1});
  progress.applied({2, kStarts - 1, 1});  // older than what is kept
  EXPECT_EQ(progress.newest(1), kStarts + 1);
  EXPECT_EQ(progress.newest(2), kStarts);
  EXPECT_EQ(progress.known().size(), kMostPositions);
}

TEST(ReplicaProgress, an_incarnation_that_ended_with_a_gap_is_forgotten_last) {
  Progress progress;
  progress.applied({1, 1, 2});  // its first is missing
  progress.applied({1, 2, 1});
  progress.applied({2, 1, 1});
  for (std::uint64_t origin = 2; origin <= kMostPositions - 2; ++origin) progress.applied({origin, 2, 1});
  EXPECT_EQ(progress.origins_with_gaps(), std::vector<std::uint64_t>{1});
  progress.applied({kMostPositions - 1, 1, 1});
  EXPECT_EQ(progress.origins_with_gaps(), std::vector<std::uint64_t>{1});
  progress.applied({kMostPositions, 1, 1});
  EXPECT_TRUE(progress.origins_with_gaps().empty());
  EXPECT_EQ(progress.newest(kMostPositions), 1u);
}

}  // namespace
}  // namespace bloomery::replica
