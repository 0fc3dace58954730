// Feedback by tenant: counted apart, bounded, and fit to be printed whatever the names are.
#include "live/tenants.h"

#include <gtest/gtest.h>

#include "bloomery/bloomery.h"
#include "live/known_adds.h"

namespace bloomery {
namespace {

using Live = LiveFilter<BlockFilter>;

std::unique_ptr<Live> make_for(unsigned tenants = 64) {
  return *Live::make({.n = 1000, .name = "test", .tenants = tenants});
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Tenants, are_counted_apart_and_in_the_whole) {
  auto live = make_for();
  for (int i = 0; i < 10; ++i) live->was_false_positive("a");
  for (int i = 0; i < 990; ++i) live->was_true_positive("a");
  live->was_true_positive("b");
  live->was_false_negative("b");
  live->was_false_positive();
  const LiveStats stats = *live->stats(0);
  EXPECT_EQ(stats.false_positives, 11u);
  EXPECT_EQ(stats.false_negatives, 1u);
  ASSERT_EQ(stats.tenants.size(), 3u);
  EXPECT_EQ(stats.tenants[0].name, "a");
  EXPECT_EQ(stats.tenants[0].wrong_maybes.asked, 1000u);
  EXPECT_EQ(stats.tenants[0].wrong_maybes.rate, 0.01);
  EXPECT_GT(stats.tenants[0].wrong_maybes.low, 0.005);
  EXPECT_LT(stats.tenants[0].wrong_maybes.high, 0.02);
  EXPECT_EQ(stats.tenants[1].false_negatives, 1u);
  EXPECT_EQ(stats.tenants[1].wrong_maybes.rate, 0);
  EXPECT_EQ(stats.tenants[2].name, "other");
  EXPECT_EQ(stats.tenants[2].false_positives, 0u);
}

TEST(Tenants, beyond_the_most_are_others) {
  auto live = make_for(2);
  for (int i = 0; i < 1000; ++i) live->was_false_positive("tenant " + std::to_string(i));
  live->was_false_positive("other");
  live->was_false_positive("");
  live->was_false_positive("tenant 0");
  const auto tenants = live->stats(0)->tenants;
  ASSERT_EQ(tenants.size(), 3u);
  EXPECT_EQ(tenants[0].false_positives, 2u);
  EXPECT_EQ(tenants[1].false_positives, 1u);
  EXPECT_EQ(tenants[2].false_positives, 1000u);
  auto nobody = make_for(0);
  nobody->was_false_positive("a");
  EXPECT_EQ(nobody->stats(0)->tenants.size(), 1u);
}

TEST(Tenants, a_name_cannot_be_long_or_forge_a_line) {
  auto live = make_for();
  live->was_false_positive(std::string(1'000'001, 'x'));
  live->was_false_positive(std::string(1'000'000, 'x'));
  live->was_false_positive("\"} 1\nbloomery_damaged{filter=\"test");
  live->was_false_positive("\x01");
  live->was_false_positive("\x02\xff");
  live->was_false_positive("\x03\xfe");
  EXPECT_EQ(live->stats(0)->tenants.size(), 5u);  // what is printed alike is one
  const std::string text = *live->prometheus(), json = *live->json();
  EXPECT_LT(text.size(), 30'000u);
  EXPECT_TRUE(
      has(text, "bloomery_tenant_false_positives_total{filter=\"test\",tenant=\"" + std::string(128, 'x') + "\"} 2\n"));
  EXPECT_TRUE(has(text, R"(tenant="\"} 1\nbloomery_damaged{filter=\"test"} 1)"));
  EXPECT_FALSE(has(text, "\nbloomery_damaged{filter=\"test\"} 1"));
  EXPECT_TRUE(has(text, "tenant=\"??\"} 2\n"));
  EXPECT_TRUE(has(json, R"("??":2)"));
}

TEST(Tenants, many_threads_report_at_once) {
  auto live = make_for(8);
  testing::on_threads(4, [&](unsigned self) {
    for (int i = 0; i < 2000; ++i) live->was_false_positive(std::to_string((i + static_cast<int>(self)) % 12));
  });
  std::uint64_t sum = 0;
  const LiveStats stats = *live->stats(0);
  for (const TenantStats& tenant : stats.tenants) sum += tenant.false_positives;
  EXPECT_EQ(sum, 8000u);
  EXPECT_EQ(live->stats(0)->false_positives, 8000u);
}

}  // namespace
}  // namespace bloomery
