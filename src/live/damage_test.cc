// A finding of self_check is about the filter that was looked at, whatever is committed meanwhile.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "bloomery/bloomery.h"
#include "bloomery/live/live.h"

namespace bloomery {
namespace {

using Live = LiveFilter<BlockFilter>;

// Loses every bit of the filter in use.
void lose_bits(const Live& live) {
  const auto reading = live.read();
  const std::span<const std::uint8_t> bits = reading.filter().view().payload();
  std::memset(const_cast<std::uint8_t*>(bits.data()), 0, bits.size());
}

// The new filter is damaged as soon as it is in use, and found to be so while commit may still be at work.
TEST(Damage, found_in_the_new_filter_is_not_forgotten_by_its_commit) {
  for (int turn = 0; turn < 300; ++turn) {
    auto live = *Live::make({.n = 100});
    ASSERT_TRUE(live->begin_rebuild(5000, 0.01).ok());
    std::atomic<bool> watching{false};
    std::thread watcher([&] {
      const auto is_new = [&] {
        const auto reading = live->read();
        watching = true;
        return reading.filter().bytes() > 1000;
      };
      while (!is_new()) continue;
      lose_bits(*live);
      EXPECT_FALSE(live->self_check());
    });
    while (!watching) std::this_thread::yield();
    ASSERT_TRUE(live->commit().ok());
    watcher.join();
    ASSERT_TRUE(live->damaged()) << turn;
    ASSERT_TRUE(live->contains("absent"));
  }
}

// The last of many sentinels is lost, so that a commit comes while the others are still being looked for.
TEST(Damage, of_the_old_filter_is_not_that_of_the_new_one) {
  constexpr unsigned kSentinels = 1'000'000;
  auto live = *Live::make({.n = 1'000'000, .sentinels = kSentinels});
  ASSERT_TRUE(live->begin_rebuild(1'000'000, 0.01).ok());
  {
    // What only the last sentinel has set: the filter without it.
    auto without = *Live::make({.n = 1'000'000, .sentinels = kSentinels - 1});
    const auto from = without->read(), to = live->read();
    std::memcpy(const_cast<std::uint8_t*>(to.filter().view().payload().data()), from.filter().view().payload().data(),
                to.filter().view().payload().size());
  }
  bool sound = true;
  std::thread checker([&] { sound = live->self_check(); });
  while (live->stats(0)->self_checks == 0) continue;
  ASSERT_TRUE(live->commit().ok());
  checker.join();
  EXPECT_FALSE(live->damaged()) << "the old one was " << (sound ? "sound" : "damaged");
  EXPECT_TRUE(live->self_check());
  EXPECT_FALSE(live->damaged());
}

}  // namespace
}  // namespace bloomery
