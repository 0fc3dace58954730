#include "bloomery/metrics.h"

#include <gtest/gtest.h>

#include <thread>

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
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&counters[0]) % kCacheLine, 0u);
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

TEST(MetricList, writes_prometheus_and_json) {
  Counter asked;
  asked.add(3);
  Histogram nanos;
  nanos.record(0);
  nanos.record(5);
  MetricList list;
  list.add("bloomery asked", "keys\nasked", asked);
  list.add("bloomery_nanos", "time", nanos);
  EXPECT_EQ(list.prometheus(),
            "# HELP bloomery_asked keys\\nasked\n# TYPE bloomery_asked counter\nbloomery_asked 3\n"
            "# HELP bloomery_nanos time\n# TYPE bloomery_nanos histogram\n"
            "bloomery_nanos_bucket{le=\"0\"} 1\nbloomery_nanos_bucket{le=\"7\"} 2\n"
            "bloomery_nanos_bucket{le=\"+Inf\"} 2\nbloomery_nanos_sum 5\nbloomery_nanos_count 2\n");
  EXPECT_EQ(list.json(), "{\"bloomery_asked\":3,\"bloomery_nanos\":{\"count\":2,\"sum\":5,\"p50\":0,\"p99\":7}}");
}

}  // namespace
}  // namespace bloomery
