#include <gtest/gtest.h>

#include <limits>

#include "bloomery/geometry/counting.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::vectors;

TEST(CountingSizing, every_row_of_the_vectors_holds) {
  for (const auto& row : vectors("counting", "sizing")) {
    const Result<CountingGeometry> g = CountingGeometry::for_capacity(row["n"], row["fpr"], row["counter_bits"]);
    ASSERT_TRUE(g.ok()) << row;
    EXPECT_EQ(*g, (CountingGeometry{row["m"], row["k"], row["counter_bits"]})) << row;
    EXPECT_EQ(g->payload_bytes(), row["bytes"]) << row;
  }
  for (const auto& row : vectors("counting", "bits_per_key")) {
    const Result<CountingGeometry> g =
        CountingGeometry::for_bits_per_key(row["n"], row["bits_per_key"], row["counter_bits"]);
    ASSERT_TRUE(g.ok()) << row;
    EXPECT_EQ(*g, (CountingGeometry{row["m"], row["k"], row["counter_bits"]})) << row;
  }
  EXPECT_EQ(CountingGeometry::for_capacity(1000, 0.01)->counter_bits, 4u) << "unless 32 are asked for";
}

TEST(CountingSizing, what_no_filter_can_be_is_refused_by_name) {
  const auto field = [](std::uint64_t m, std::uint64_t k, std::uint64_t bits) {
    const Result<CountingGeometry> made = CountingGeometry::from_values({m, k, bits});
    return made.ok() ? "" : made.error().field;
  };
  EXPECT_EQ(field(1, 1, 4), "");
  EXPECT_EQ(field(std::uint64_t{1} << 58, 30, 32), "");
  EXPECT_EQ(field(0, 1, 4), "m");
  EXPECT_EQ(field((std::uint64_t{1} << 58) + 1, 1, 4), "m");
  EXPECT_EQ(field(std::uint64_t{1} << 63, 1, 4), "m");
  EXPECT_EQ(field(1, 0, 4), "k");
  EXPECT_EQ(field(1, 31, 4), "k");
  EXPECT_EQ(field(1, (std::uint64_t{1} << 32) + 1, 4), "k");
  for (std::uint64_t bits : {std::uint64_t{0}, std::uint64_t{5}, std::uint64_t{8}, (std::uint64_t{1} << 32) + 4})
    EXPECT_EQ(field(1, 1, bits), "counter_bits") << bits;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (double bad : {0.0, 1.0, -1.0, nan}) EXPECT_FALSE(CountingGeometry::for_capacity(10, bad).ok());
  for (double bad : {0.0, -1.0, nan, 1e300}) EXPECT_FALSE(CountingGeometry::for_bits_per_key(10, bad).ok());
  EXPECT_FALSE(CountingGeometry::for_capacity(0, 0.01).ok());
  EXPECT_EQ(CountingGeometry::for_capacity(10, 0.01, 8).error().field, "counter_bits");
  EXPECT_EQ(CountingGeometry::for_bits_per_key(10, 10, 0).error().field, "counter_bits");
}

TEST(CountingSizing, plans_warn_and_refuse_as_classic_and_name_a_kind_that_can_remove) {
  for (const auto& row : vectors("sizing", "plan")) {
    const Result<CountingPlan> plan = plan_counting(row["n"], row["fpr"]);
    const std::string verdict = !plan.ok() ? "refused" : plan->warning.empty() ? "accepted" : "warned";
    EXPECT_EQ(verdict, row["verdict"].get<std::string>()) << row;
    if (verdict == "accepted") continue;
    const std::string& words = plan.ok() ? plan->warning : plan.error().message;
    EXPECT_NE(words.find("a counting filter"), std::string::npos) << words;
    EXPECT_NE(words.find("'quotient'"), std::string::npos) << words;
  }
}

}  // namespace
}  // namespace bloomery
