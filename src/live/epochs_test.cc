// Who is reading, and for how long; what else epochs promise is held by the tests of those who use them.
#include "bloomery/detail/epochs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

namespace bloomery {
namespace {

// Threads that are nearly always reading, and never for long. When the system stops one in the midst of it, that is a
// long read, so each takes the time itself.
TEST(OldestReader, many_short_reads_are_not_a_long_one) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kThreads = 4;
  std::atomic<bool> enough{false};
  std::array<Clock::duration, kThreads> longest{};
  std::vector<std::thread> readers;
  for (std::size_t self = 0; self < kThreads; ++self)
    readers.emplace_back([&, self] {
      for (int turn = 0; !enough; ++turn) {
        const auto start = Clock::now();
        {
          const detail::ReadGuard guard;
          for (int work = turn % 512; work > 0 && !enough; --work) continue;
        }
        longest[self] = std::max(longest[self], Clock::now() - start);
      }
    });
  Clock::duration oldest{0}, slowest_call{0};
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    const auto start = Clock::now();
    oldest = std::max<Clock::duration>(oldest, detail::oldest_reader_age());
    slowest_call = std::max(slowest_call, Clock::now() - start);
  }
  enough = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_LE(oldest, *std::ranges::max_element(longest) + slowest_call);
}

}  // namespace
}  // namespace bloomery
