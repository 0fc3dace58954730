// Every allocation of the layer live fails once: that is an error, nothing is thrown and nothing has changed. Lookups
// and adds make none.
#include <gtest/gtest.h>

#include <thread>

#include "bloomery/bloomery.h"
#include "bloomery/live/live.h"
#include "bloomery/live/per_node.h"
#include "bloomery/live/rotating.h"
#include "bloomery/live/shared_counting.h"
#include "bloomery/live/shared_cuckoo.h"
#include "support/allocations.h"
#include "support/scratch.h"

namespace bloomery {
namespace {

using testing::Allocations;
using Live = LiveFilter<BlockFilter>;

// Calls it with its first allocation failing, with its second, .., until there was none left to fail. Then it must have
// worked. `after` is called after each failure.
template <class Call, class After>
void every_allocation_fails_once(const char* what, Call call, After after) {
  for (std::uint64_t number = 0;; ++number) {
    bool failed = false, thrown = false;
    std::optional<Error> error;
    {
      const Allocations watch(number);
      try {
        if (auto result = call(); !result.ok()) error.emplace(std::move(result).error());
      } catch (const std::bad_alloc&) {
        thrown = true;
      }
      failed = watch.failed();
    }
    ASSERT_FALSE(thrown) << what << ", allocation " << number;
    if (!failed) {
      ASSERT_FALSE(error.has_value()) << what << ": " << error->message;
      ASSERT_GT(number, 0u) << what << " allocates nothing";
      return;
    }
    if (error) {
      ASSERT_EQ(error->code, ErrorCode::out_of_memory) << what << ", allocation " << number;
    }
    after(error.has_value());
  }
}
template <class Call>
void every_allocation_fails_once(const char* what, Call call) {
  every_allocation_fails_once(what, call, [](bool) {});
}

template <class T>
class SharedMemory : public ::testing::Test {};
using AllShared =
    ::testing::Types<Shared<ClassicFilter>, Shared<SplitFilter>, Shared<BlockFilter>, Shared<CountingFilter>,
                     Shared<CuckooFilter>, Shared<ClassicFilter, Reads::words>, Shared<BlockFilter, Reads::words>>;
TYPED_TEST_SUITE(SharedMemory, AllShared);

TYPED_TEST(SharedMemory, that_cannot_be_had_is_an_error) {
  every_allocation_fails_once("with_capacity", [] { return TypeParam::with_capacity(1000, 0.01); });
  const TypeParam shared = *TypeParam::with_capacity(1000, 0.01);
  every_allocation_fails_once("with_geometry", [&] { return TypeParam::with_geometry(shared.geometry()); });
  every_allocation_fails_once("copy", [&] { return shared.copy(); });
}

TEST(LiveMemory, that_cannot_be_had_is_an_error) {
  const LiveOptions options{.n = 1000, .name = std::string(100, 'n')};
  every_allocation_fails_once("make", [&] { return Live::make(options); });
  auto live = *Live::make(options);
  live->add("key");
  live->was_false_positive("a tenant whose name is longer than a string holds in itself");
  every_allocation_fails_once("stats", [&] { return live->stats(10); });
  every_allocation_fails_once("figures", [&] { return live->figures(); });
  every_allocation_fails_once("prometheus", [&] { return live->prometheus(); });
  every_allocation_fails_once("json", [&] { return live->json(); });
  const Figures all = *live->figures();
  every_allocation_fails_once("prometheus of figures", [&] { return all.prometheus(); });
  every_allocation_fails_once("json of figures", [&] { return json(std::span(&all, 1)); });
  const testing::Scratch scratch;
  const std::string path = scratch / "live.blm";
  every_allocation_fails_once("snapshot", [&] { return live->snapshot(path); });
  every_allocation_fails_once("load", [&] { return Live::load(path, options); });
}

TEST(LiveMemory, that_a_rebuild_cannot_have_leaves_the_filter_as_it_was) {
  auto live = *Live::make({.n = 1000});
  live->add("key");
  const auto rebuilding = [&](bool expected) {
    EXPECT_EQ(live->stats(0)->rebuilding, expected);
    EXPECT_TRUE(live->contains("key"));
  };
  every_allocation_fails_once(
      "begin_rebuild", [&] { return live->begin_rebuild(1000, 0.01); },
      [&](bool refused) {
        rebuilding(!refused);
        if (!refused) {
          ASSERT_TRUE(live->abort().ok());
        }
      });
  EXPECT_TRUE(live->feed("key").ok());
  every_allocation_fails_once(
      "commit", [&] { return live->commit(); }, [&](bool refused) { rebuilding(refused); });
  EXPECT_EQ(live->stats(0)->rebuilds, 1u);
  ASSERT_TRUE(live->begin_rebuild(1000, 0.01).ok());
  every_allocation_fails_once(
      "abort", [&] { return live->abort(); }, [&](bool refused) { rebuilding(refused); });
  rebuilding(false);
  EXPECT_EQ(live->stats(0)->retired_bytes, 0u);
}

// It is refused by a reading, and has to go back to one filter with whatever memory it has.
TEST(LiveMemory, is_not_needed_to_give_up_a_rebuild) {
  auto live = *Live::make({.n = 1000, .patience = std::chrono::milliseconds(0)});
  const auto held = live->read();
  for (std::uint64_t number = 0, failed = 1; failed != 0; ++number) {
    {
      const Allocations watch(number);
      (void)live->begin_rebuild(1000, 0.01);
      failed = watch.failed();
    }
    ASSERT_FALSE(live->stats(0)->rebuilding) << number;
  }
}

// The very first calls of a thread: Allocations is of the thread that makes it.
TEST(LiveMemory, is_not_needed_by_the_first_call_of_a_thread) {
  auto live = *Live::make({.n = 1000});
  auto rotating = *RotatingFilter<BlockFilter>::make({.n = 1000});
  live->add("key");
  rotating->add("key");
  const auto in_thread_without_memory = [](auto call) {
    std::uint64_t allocations = 0;
    bool thrown = false, right = false;
    std::thread([&] {
      const Allocations watch(0);
      try {
        right = call();
      } catch (const std::bad_alloc&) {
        thrown = true;
      }
      allocations = watch.count();
    }).join();
    EXPECT_FALSE(thrown);
    EXPECT_TRUE(right);
    EXPECT_EQ(allocations, 0u);
  };
  in_thread_without_memory([&] { return live->contains("key") && !live->contains("absent"); });
  in_thread_without_memory([&] { return live->read().filter().contains("key"); });
  in_thread_without_memory([&] { return live->add("new") && live->contains("new"); });
  in_thread_without_memory([&] { return live->was_false_positive(), live->self_check() && !live->damaged(); });
  in_thread_without_memory([&] { return rotating->contains("key") && !rotating->contains("absent"); });
  in_thread_without_memory([&] { return rotating->add("new") && rotating->contains("new"); });
}

TEST(RotatingMemory, that_cannot_be_had_leaves_the_window_as_it_was) {
  using Rotating = RotatingFilter<BlockFilter>;
  every_allocation_fails_once("make", [] { return Rotating::make({.n = 1000, .windows = 3}); });
  auto rotating = *Rotating::make({.n = 1000, .windows = 3});
  rotating->add("key");
  every_allocation_fails_once(
      "advance_to", [&] { return rotating->advance_to(2); },
      [&](bool refused) {
        EXPECT_EQ(rotating->epoch(), refused ? 0u : 2u);
        EXPECT_TRUE(rotating->contains("key"));
      });
}

TEST(PerNodeMemory, that_cannot_be_had_is_an_error) {
  using Copies = PerNode<BlockFilter>;
  const PerNodeOptions options{.n = 1000, .nodes = 3, .adds = AddsTo::own_node};
  every_allocation_fails_once("make", [&] { return Copies::make(options); });
  auto copies = *Copies::make(options);
  every_allocation_fails_once("copy", [&] { return copies.copy(); });
  every_allocation_fails_once("run_on_node", [&]() -> Status {
    const Status status = copies.run_on_node(99);
    if (status.ok() || status.error().code == ErrorCode::invalid_argument) return {};
    return status.error();
  });
}

}  // namespace
}  // namespace bloomery
