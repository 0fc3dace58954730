// The figures of a filter that is in use meanwhile go together: no difference of two counts is below zero.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "bloomery/bloomery.h"
#include "bloomery/live/live.h"

namespace bloomery {
namespace {

// Every lookup is a maybe and every add is new, so that the two counts of a pair are always next to each other.
TEST(LiveStats, never_have_more_maybes_than_lookups_or_more_new_keys_than_adds) {
  auto live = *LiveFilter<BlockFilter>::make({.n = 1'000'000});
  live->add("key");
  std::atomic<bool> enough{false};
  std::thread reader([&] {
    while (!enough) (void)live->contains("key");
  });
  std::thread adder([&] {
    for (std::uint64_t key = 0; !enough; ++key) (void)live->add(key);
  });
  for (int i = 0; i < 1000; ++i) {
    const Result<LiveStats> stats = live->stats(0);
    ASSERT_TRUE(stats.ok());
    EXPECT_GE(stats->queries, stats->maybes);
    EXPECT_GE(stats->adds, stats->new_adds);
    EXPECT_LE(stats->reported_fpr.asked, stats->queries);
  }
  enough = true;
  reader.join();
  adder.join();
}

// They are measured for seconds, and all that time rebuilds begin and end.
TEST(LiveStats, do_not_hold_up_a_rebuild) {
  auto live = *LiveFilter<BlockFilter>::make({.n = 1000, .patience = std::chrono::milliseconds(50)});
  std::atomic<bool> measured{false};
  std::jthread measurer([&] {
    EXPECT_TRUE(live->stats(50'000'000).ok());
    measured = true;
  });
  do {
    const Status begun = live->begin_rebuild(1000, 0.01);
    ASSERT_TRUE(begun.ok()) << begun.error().message;
    ASSERT_TRUE(live->abort().ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } while (!measured);
}

}  // namespace
}  // namespace bloomery
