// Readings hold the filter they were made of, whatever order they end in and on whichever thread; and nobody waits for
// the readings of another filter.
#include <gtest/gtest.h>

#include <thread>

#include "bloomery/bloomery.h"
#include "bloomery/live/live.h"
#include "support/scratch.h"

namespace bloomery {
namespace {

using Live = LiveFilter<BlockFilter>;
using Reading = std::unique_ptr<Live::Reading>;

std::unique_ptr<Live> make(std::chrono::milliseconds patience = std::chrono::minutes(1)) {
  auto live = *Live::make({.n = 100'000, .patience = patience});
  live->add("key");
  return live;
}
// NOLINTNEXTLINE(modernize-make-unique): a reading cannot move
Reading reading_of(const Live& live) { return Reading(new Live::Reading(live.read())); }

std::uint64_t retired_bytes(const Live& live) { return live.stats(0)->retired_bytes; }

// Two readings of a filter, made while its rebuild is under way. One is ended by the function; the other must hold.
template <class Make, class End>
void the_other_holds(Make make_both, End end_one) {
  auto live = make();
  ASSERT_TRUE(live->begin_rebuild(1000, 0.01).ok());
  Reading one, other;
  make_both(*live, one, other);
  end_one(one);
  ASSERT_TRUE(live->commit().ok());
  EXPECT_GT(retired_bytes(*live), 0u);
  EXPECT_TRUE(other->filter().contains("key"));
  EXPECT_FALSE(live->contains("key"));
  other.reset();
  EXPECT_EQ(retired_bytes(*live), 0u);
  EXPECT_TRUE(live->begin_rebuild(1000, 0.01).ok());
}

TEST(Readings, end_in_any_order) {
  const auto first_one = [](const Live& live, Reading& one, Reading& other) {
    one = reading_of(live);
    other = reading_of(live);
  };
  const auto first_other = [](const Live& live, Reading& one, Reading& other) {
    other = reading_of(live);
    one = reading_of(live);
  };
  const auto here = [](Reading& one) { one.reset(); };
  the_other_holds(first_one, here);
  the_other_holds(first_other, here);
}

TEST(Readings, end_on_any_thread) {
  const auto both_here = [](const Live& live, Reading& one, Reading& other) {
    one = reading_of(live);
    other = reading_of(live);
  };
  const auto there = [](Reading& one) { std::thread([&] { one.reset(); }).join(); };
  the_other_holds(both_here, there);
  // Those of threads that have ended: the second one had the place of the first.
  const auto both_there = [](const Live& live, Reading& one, Reading& other) {
    std::thread([&] { one = reading_of(live); }).join();
    std::thread([&] { other = reading_of(live); }).join();
  };
  the_other_holds(both_there, [](Reading& one) { one.reset(); });
  the_other_holds(both_there, there);
}

TEST(Readings, of_one_filter_do_not_hold_up_another) {
  auto live = make(std::chrono::milliseconds(1)), other = make();
  const auto held = other->read();
  std::thread([&] {
    const auto also_held = other->read();
    EXPECT_TRUE(live->begin_rebuild(1000, 0.01).ok());
    EXPECT_TRUE(live->commit().ok());
  }).join();
  EXPECT_TRUE(live->begin_rebuild(1000, 0.01).ok());
  EXPECT_TRUE(live->commit().ok());
  EXPECT_EQ(retired_bytes(*live), 0u);
  (void)live->stats(0);
  EXPECT_EQ(live->stats(0)->oldest_reader_age.count(), 0);
}

TEST(Readings, of_a_filter_with_endless_patience_are_waited_for) {
  const testing::Scratch scratch;
  const std::string path = scratch / "live.blm";
  auto made = make(std::chrono::milliseconds::max());
  ASSERT_TRUE(made->snapshot(path).ok());
  const auto loaded = *Live::load(path, {.n = 100'000, .patience = std::chrono::milliseconds::max()});
  for (Live* live : {made.get(), loaded.get()}) {
    Reading held = reading_of(*live);
    std::thread reader([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      held.reset();
    });
    const Status begun = live->begin_rebuild(1000, 0.01);
    EXPECT_TRUE(begun.ok()) << begun.error().message;
    reader.join();
  }
}

TEST(Readings, that_hold_up_a_rebuild_do_not_hold_up_its_figures) {
  auto live = make(std::chrono::seconds(20));
  Reading held = reading_of(*live);
  std::atomic<bool> returned{false};
  Status begun;
  std::thread rebuilder([&] {
    begun = live->begin_rebuild(1000, 0.01);
    returned = true;
  });
  while (!live->stats(0)->rebuilding && !returned) std::this_thread::yield();
  (void)live->stats(0);
  EXPECT_FALSE(returned);
  held.reset();
  rebuilder.join();
  EXPECT_TRUE(begun.ok());
}

}  // namespace
}  // namespace bloomery
