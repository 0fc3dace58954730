// A finding of self_check is about the filter that was looked at, whatever is committed meanwhile. No snapshot hides
// it.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

#include "bloomery/bloomery.h"
#include "bloomery/live/live.h"
#include "support/scratch.h"

namespace bloomery {
namespace {

using Live = LiveFilter<BlockFilter>;

// Sets all bits of the filter in use to those of the word.
void set_bits(const Live& live, std::uint64_t word) {
  const auto reading = live.read();
  const std::span<const std::uint8_t> bits = reading.filter().view().payload();
  auto* words = reinterpret_cast<std::uint64_t*>(const_cast<std::uint8_t*>(bits.data()));
  for (std::size_t i = 0; i < bits.size() / sizeof word; ++i) std::atomic_ref(words[i]).store(word);
}
void lose_bits(const Live& live) { set_bits(live, 0); }

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

void expect_refused(const Status& snapshot) {
  ASSERT_FALSE(snapshot.ok());
  EXPECT_EQ(snapshot.error().code, ErrorCode::corrupt);
  EXPECT_NE(snapshot.error().message.find("rebuild"), std::string::npos) << snapshot.error().message;
}

// A filter with a snapshot, the only file in the folder.
struct Saved {
  Saved() {
    live->add("kept");
    EXPECT_TRUE(live->snapshot(path).ok());
  }
  void expect_only_the_good_file() const {
    EXPECT_EQ(scratch.files(), 1u);
    const auto again = Live::load(path, {.n = 500'000});
    ASSERT_TRUE(again.ok());
    EXPECT_TRUE((*again)->contains("kept"));
  }

  testing::Scratch scratch;
  std::string path = scratch / "live.blm";
  std::unique_ptr<Live> live = *Live::make({.n = 500'000});
};

TEST(Damage, that_was_found_is_not_saved_until_a_rebuild) {
  Saved saved;
  Live& live = *saved.live;
  lose_bits(live);
  ASSERT_FALSE(live.self_check());
  expect_refused(live.snapshot(saved.path));
  saved.expect_only_the_good_file();
  EXPECT_EQ(live.stats(0)->failed_snapshots, 1u);
  EXPECT_EQ(live.stats(0)->snapshots, 1u);
  ASSERT_TRUE(live.begin_rebuild(1000, 0.01).ok());
  ASSERT_TRUE(live.feed("kept").ok());
  ASSERT_TRUE(live.commit().ok());
  EXPECT_TRUE(live.snapshot(saved.path).ok());
  saved.expect_only_the_good_file();
}

// They tell nothing of other bits that were lost with theirs.
TEST(Damage, is_not_saved_when_the_sentinels_are_there_again) {
  Saved saved;
  lose_bits(*saved.live);
  ASSERT_FALSE(saved.live->self_check());
  set_bits(*saved.live, ~std::uint64_t{0});
  ASSERT_TRUE(saved.live->self_check());
  expect_refused(saved.live->snapshot(saved.path));
  saved.expect_only_the_good_file();
}

TEST(Damage, that_nobody_has_looked_for_is_found_by_a_snapshot) {
  Saved saved;
  lose_bits(*saved.live);
  expect_refused(saved.live->snapshot(saved.path));
  saved.expect_only_the_good_file();
  EXPECT_TRUE(saved.live->damaged());
  EXPECT_TRUE(saved.live->contains("absent"));
  EXPECT_EQ(saved.live->stats(0)->sentinel_failures, 1u);
}

TEST(Damage, during_a_snapshot_is_found_before_its_file_replaces_another) {
  Saved saved;
  const std::uint64_t bytes = saved.live->stats(0)->bytes;
  Status status;
  std::thread saver([&] { status = saved.live->snapshot(saved.path, {.bytes_per_second = 2 * bytes}); });
  while (saved.scratch.files() == 1) std::this_thread::yield();  // until there is a temporary
  lose_bits(*saved.live);
  saver.join();
  expect_refused(status);
  saved.expect_only_the_good_file();
}

}  // namespace
}  // namespace bloomery
