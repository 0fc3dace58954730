#include "bloomery/replica/log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace bloomery::replica {
namespace {

std::unique_ptr<Log> make_log(std::uint32_t stripes, std::uint64_t keys) {
  auto log = Log::make({stripes, keys});
  EXPECT_TRUE(log.ok());
  return *std::move(log);
}

TEST(ReplicaLog, what_cannot_be_is_refused_by_name) {
  EXPECT_EQ(Log::make({3, 64}).error().field, "stripes");
  EXPECT_EQ(Log::make({256, 1024}).error().field, "stripes");
  EXPECT_EQ(Log::make({16, 100}).error().field, "keys");
  EXPECT_EQ(Log::make({16, 8}).error().field, "keys");
}

TEST(ReplicaLog, a_cursor_gets_every_entry_once_and_in_the_order_of_its_thread) {
  const auto log = make_log(4, 64);
  LogCursor cursor = log->start();
  std::vector<LogEntry> out;
  for (std::uint64_t i = 0; i < 10; ++i) log->append(7, Hash(i));
  EXPECT_EQ(log->behind(cursor), 10u);
  EXPECT_TRUE(log->read(cursor, 4, out));
  EXPECT_EQ(out.size(), 4u);
  EXPECT_TRUE(log->read(cursor, 100, out));
  ASSERT_EQ(out.size(), 10u);
  for (std::uint64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(out[i].hash.bits, i);
    EXPECT_EQ(out[i].window, 7u);
  }
  EXPECT_TRUE(log->read(cursor, 100, out));
  EXPECT_EQ(out.size(), 10u);
  EXPECT_EQ(log->behind(cursor), 0u);
}

TEST(ReplicaLog, who_is_too_far_behind_is_told_and_goes_on_with_what_comes_next) {
  const auto log = make_log(1, 16);
  LogCursor cursor = log->start();
  std::vector<LogEntry> out;
  for (std::uint64_t i = 0; i < 16; ++i) log->append(0, Hash(i));
  EXPECT_TRUE(log->read(cursor, 100, out));  // just not too far
  EXPECT_EQ(out.size(), 16u);
  for (std::uint64_t i = 0; i < 17; ++i) log->append(0, Hash(i));
  EXPECT_FALSE(log->read(cursor, 100, out));
  EXPECT_EQ(out.size(), 16u);
  log->append(0, Hash(99));
  EXPECT_TRUE(log->read(cursor, 100, out));
  ASSERT_EQ(out.size(), 17u);
  EXPECT_EQ(out.back().hash.bits, 99u);
}

// Each thread logs numbers that tell thread and turn; the window repeats them, so that a mixture of two entries shows.
TEST(ReplicaLog, what_threads_append_is_read_whole_or_the_reader_is_told) {
  const auto log = make_log(2, 256);
  constexpr std::uint64_t kThreads = 4, kEach = 50'000;
  LogCursor cursor = log->start();  // before they append: what came earlier would not be told
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 1; i <= kEach; ++i) log->append(t << 32 | i, Hash(t << 32 | i));
    });
  std::vector<LogEntry> out;
  std::array<std::uint64_t, kThreads> last{};
  std::uint64_t seen = 0, overruns = 0;
  const auto read_on = [&] {
    out.clear();
    overruns += log->read(cursor, 1000, out) ? 0 : 1;
    for (const LogEntry& entry : out) {
      EXPECT_EQ(entry.window, entry.hash.bits);
      std::uint64_t& before = last[entry.window >> 32];
      EXPECT_LT(before, entry.window & 0xffffffff);
      before = entry.window & 0xffffffff;
    }
    seen += out.size();
  };
  for (int i = 0; i < 3000; ++i) read_on();
  for (std::thread& thread : threads) thread.join();
  read_on();
  EXPECT_LE(seen, kThreads * kEach);
  EXPECT_TRUE(seen == kThreads * kEach || overruns > 0);
}

}  // namespace
}  // namespace bloomery::replica
