#include "bloomery/metrics.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace bloomery {
namespace {

TEST(Counter, counts_every_add_of_every_thread) {
  Counter counter;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 10000; ++i) counter.add();
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter.value(), 40000u);
}

TEST(Counter, has_a_cache_line_to_itself) {
  Counter counters[2];
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&counters[0]) % detail::kCacheLine, 0u);
  EXPECT_GE(reinterpret_cast<char*>(&counters[1]) - reinterpret_cast<char*>(&counters[0]), 64);
}

TEST(Histogram, quantile_is_the_upper_edge_of_its_bucket) {
  Histogram h;
  EXPECT_EQ(h.quantile(0.5), 0u);
  for (std::uint64_t v = 1; v <= 100; ++v) h.record(v);
  EXPECT_EQ(h.count(), 100u);
  EXPECT_EQ(h.sum(), 5050u);
  EXPECT_EQ(h.quantile(0.5), 63u);
  EXPECT_EQ(h.quantile(1.0), 127u);
  h.record(~std::uint64_t{0});
  EXPECT_EQ(h.quantile(1.0), ~std::uint64_t{0});
}

}  // namespace
}  // namespace bloomery
