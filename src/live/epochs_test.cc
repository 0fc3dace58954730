// Readers: who is left, and for how long. What else they promise is held by the tests of those who use them.
#include "bloomery/detail/epochs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "support/refused_call.h"

namespace bloomery {
namespace {

using detail::HeldGuard;
using detail::Readers;
using detail::ReadGuard;

// With this in the environment the whole program runs as where there is no membarrier, and from before the first guard
// on, so that nothing has to settle.
const bool g_fences =
    std::getenv("BLOOMERY_TEST_FENCES") != nullptr && (detail::g_settling_ns = 0, detail::fence_readers(), true);

// Whether nobody is left of those who may have seen what is replaced now.
bool nobody(Readers& readers) { return readers.wait(std::chrono::milliseconds(0)); }

TEST(Readers, a_guard_holds_until_it_ends) {
  Readers readers;
  EXPECT_TRUE(nobody(readers));
  {
    const ReadGuard guard(readers);
    EXPECT_FALSE(nobody(readers));
    const std::uint64_t ticket = readers.ticket();
    { const ReadGuard within(readers); }
    EXPECT_FALSE(readers.passed(ticket));
  }
  EXPECT_TRUE(nobody(readers));
}

TEST(Readers, a_guard_that_begins_after_the_ticket_does_not_count_for_long) {
  Readers readers;
  auto before = std::make_unique<HeldGuard>(readers);
  const std::uint64_t ticket = readers.ticket();
  std::vector<std::unique_ptr<HeldGuard>> chain;  // one always begins before the other ends
  chain.push_back(std::make_unique<HeldGuard>(readers));
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(readers.passed(ticket));
    chain.push_back(std::make_unique<HeldGuard>(readers));
    chain.erase(chain.begin());
  }
  before.reset();
  bool passed = false;
  for (int i = 0; i < 10 && !passed; ++i) {
    passed = readers.passed(ticket);
    chain.push_back(std::make_unique<HeldGuard>(readers));
    chain.erase(chain.begin());
  }
  EXPECT_TRUE(passed);
}

TEST(Readers, of_one_are_not_those_of_another) {
  Readers one, other;
  const ReadGuard guard(one);
  EXPECT_TRUE(nobody(other));
  EXPECT_FALSE(nobody(one));
}

// Two readers and one who replaces, as fast as they can.
TEST(Readers, never_see_what_was_freed) {
  constexpr std::size_t kReplaced = 1000;
  Readers readers;
  std::array<std::atomic<bool>, kReplaced + 1> freed{};
  std::atomic<std::size_t> current{0};
  std::atomic<std::uint64_t> seen_freed{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      for (std::size_t at = 0; at < kReplaced;) {
        const ReadGuard guard(readers);
        at = current.load(std::memory_order_acquire);
        seen_freed += freed[at].load(std::memory_order_relaxed) ? 1u : 0u;
      }
    });
  for (std::size_t next = 1; next <= kReplaced; ++next) {
    current.store(next, std::memory_order_seq_cst);
    ASSERT_TRUE(readers.wait(std::chrono::minutes(5)));
    freed[next - 1].store(true, std::memory_order_relaxed);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(seen_freed, 0u);
}

// More than have lines of their own.
TEST(Readers, may_be_any_number_of_threads) {
  constexpr unsigned kThreads = 150;
  Readers readers;
  std::latch all_read(kThreads), all_seen(1);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      {
        const ReadGuard guard(readers);
        readers.count(guard.place(), 0, 1, true);
        all_read.count_down();
        all_seen.wait();
      }
      const HeldGuard held(readers);
    });
  all_read.wait();
  EXPECT_FALSE(nobody(readers));
  all_seen.count_down();
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(nobody(readers));
  EXPECT_EQ(readers.total(0), kThreads);
  EXPECT_EQ(readers.total(1), kThreads);
}

// A child has one thread: what others were reading is nobody's, but what is held may be anybody's.
TEST(Readers, of_other_threads_are_gone_after_a_fork) {
  Readers calls, held;
  std::latch reading(1), enough(1);
  std::thread reader([&] {
    const ReadGuard guard(calls);
    const HeldGuard other(held);
    reading.count_down();
    enough.wait();
  });
  reading.wait();
  EXPECT_EQ(testing::in_child([&] {
              if (!nobody(calls) || nobody(held)) return 1;
              const ReadGuard own(calls);
              return nobody(calls) ? 2 : 0;
            }),
            0);
  EXPECT_FALSE(nobody(calls));
  enough.count_down();
  reader.join();
  const ReadGuard own(calls);
  EXPECT_EQ(testing::in_child([&] { return nobody(calls) ? 1 : 0; }), 0);
}

// As when membarrier fails: a guard may have begun that cannot be seen yet.
TEST(Readers, are_all_in_doubt_until_the_fences_have_settled) {
  const Readers first;
  if (detail::g_readers_fence && !g_fences) GTEST_SKIP() << "there is no membarrier here: no guard is without a fence";
  EXPECT_EQ(testing::in_child([] {
              Readers readers;
              detail::g_settling_ns = std::int64_t{1} << 60;
              if (!detail::g_readers_fence && !nobody(readers)) return 1;
              detail::fence_readers();
              if (nobody(readers)) return 2;
              if (readers.oldest_age().count() != 0) return 3;
              detail::g_settling_ns = 0;
              return nobody(readers) ? 0 : 4;
            }),
            0);
}

// Threads that are nearly always reading, and never for long. When the system stops one in the midst of it, that is a
// long read, so each takes the time itself.
TEST(OldestReader, many_short_reads_are_not_a_long_one) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kThreads = 4;
  Readers shared;
  std::atomic<bool> enough{false};
  std::array<Clock::duration, kThreads> longest{};
  std::vector<std::thread> threads;
  for (std::size_t self = 0; self < kThreads; ++self)
    threads.emplace_back([&, self] {
      for (int turn = 0; !enough; ++turn) {
        const auto start = Clock::now();
        {
          const ReadGuard guard(shared);
          for (int work = turn % 512; work > 0 && !enough; --work) continue;
        }
        longest[self] = std::max(longest[self], Clock::now() - start);
      }
    });
  Clock::duration oldest{0}, slowest_call{0};
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    const auto start = Clock::now();
    oldest = std::max<Clock::duration>(oldest, shared.oldest_age());
    slowest_call = std::max(slowest_call, Clock::now() - start);
  }
  enough = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(oldest, *std::ranges::max_element(longest) + slowest_call);
}

}  // namespace
}  // namespace bloomery
