#include "bloomery/geometry/block.h"
#include "bloomery/geometry/classic.h"
#include "bloomery/geometry/split.h"
#include "bloomery/rate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "kinds/classic/crowding.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::scaled;
using testing::vectors;

std::string four_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

TEST(Sizing, every_row_of_the_vectors_holds) {
  nlohmann::json rows = vectors("sizing", "classic");
  EXPECT_EQ(rows.size(), 1000u);
  for (const auto& row : vectors("classic", "sizing")) rows.push_back(row);
  for (const auto& row : rows) {
    const Result<ClassicGeometry> g = ClassicGeometry::for_capacity(row["n"], row["fpr"]);
    ASSERT_TRUE(g.ok()) << row;
    EXPECT_EQ(g->m, row["m"]) << row;
    EXPECT_EQ(g->k, row["k"]) << row;
  }
  for (const auto& row : vectors("sizing", "bits_per_key")) {
    const Result<ClassicGeometry> g = ClassicGeometry::for_bits_per_key(row["n"], row["bits_per_key"]);
    ASSERT_TRUE(g.ok()) << row;
    EXPECT_EQ(g->m, row["m"]) << row;
    EXPECT_EQ(g->k, row["k"]) << row;
  }
}

TEST(Sizing, every_row_of_split_and_block_holds) {
  for (const auto& row : vectors("blocked", "split_sizing")) {
    const Result<SplitGeometry> g = SplitGeometry::for_capacity(row["n"], row["fpr"]);
    EXPECT_EQ(g.ok() ? nlohmann::json(g->blocks) : nullptr, row["blocks"]) << row;
  }
  for (const auto& row : vectors("blocked", "block_sizing")) {
    const Result<BlockGeometry> g = BlockGeometry::for_capacity(row["n"], row["fpr"]);
    ASSERT_TRUE(g.ok()) << row;
    EXPECT_EQ(g->blocks, row["blocks"]) << row;
    EXPECT_EQ(g->k, row["k"]) << row;
  }
  for (const auto& row : vectors("blocked", "bits_per_key")) {
    const Result<SplitGeometry> split = SplitGeometry::for_bits_per_key(row["n"], row["bits_per_key"]);
    const Result<BlockGeometry> block = BlockGeometry::for_bits_per_key(row["n"], row["bits_per_key"]);
    EXPECT_EQ(split.ok() ? nlohmann::json(split->blocks) : nullptr, row["split_blocks"]) << row;
    ASSERT_TRUE(block.ok()) << row;
    EXPECT_EQ(block->blocks, row["blocks"]) << row;
    EXPECT_EQ(block->k, row["k"]) << row;
  }
}

TEST(Sizing, refuses_what_no_filter_can_do) {
  for (const auto& row : vectors("sizing", "refused"))
    EXPECT_FALSE(
        ClassicGeometry::for_capacity(row["n"], std::strtod(row["fpr"].get<std::string>().c_str(), nullptr)).ok())
        << row;
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (double fpr : {0.0, -0.0, 1.0, 2.0, -1.0, nan, infinity, -infinity})
    EXPECT_FALSE(ClassicGeometry::for_capacity(10, fpr).ok()) << fpr;
  for (double bits : {0.0, -1.0, nan, infinity, 1e300})
    EXPECT_FALSE(ClassicGeometry::for_bits_per_key(10, bits).ok()) << bits;
  EXPECT_FALSE(ClassicGeometry::for_capacity(0, 0.01).ok());
  EXPECT_FALSE(ClassicGeometry::for_bits_per_key(0, 10).ok());
  EXPECT_EQ(ClassicGeometry::for_capacity(10, nan).error().field, "fpr");
  EXPECT_FALSE(ClassicGeometry::make(0, 1).ok());
  EXPECT_FALSE(ClassicGeometry::make(1, 0).ok());
  EXPECT_FALSE(ClassicGeometry::make(1, 31).ok());
  EXPECT_FALSE(ClassicGeometry::make(1, (std::uint64_t{1} << 32) + 1).ok());
  EXPECT_TRUE(ClassicGeometry::make(~std::uint64_t{0}, 30).ok());
}

TEST(Sizing, predictions_equal_the_vectors) {
  for (const auto& row : vectors("sizing", "predicted")) {
    const ClassicGeometry g{row["m"], row["k"]};
    EXPECT_EQ(four_digits(g.predicted_fpr_at(row["bits_set"])), row["predicted_fpr"].get<std::string>()) << row;
    const std::optional<std::uint64_t> count = g.estimated_count(row["bits_set"]);
    EXPECT_EQ(count.has_value() ? nlohmann::json(*count) : nlohmann::json(), row["estimated_count"]) << row;
  }
}

TEST(Sizing, plans_warn_or_refuse_as_the_vectors_say) {
  for (const auto& row : vectors("sizing", "plan")) {
    const Result<ClassicPlan> plan = plan_classic(row["n"], row["fpr"]);
    const std::string verdict = !plan.ok() ? "refused" : plan->warning.empty() ? "accepted" : "warned";
    EXPECT_EQ(verdict, row["verdict"].get<std::string>()) << row;
    if (plan.ok()) {
      EXPECT_EQ(four_digits(plan->predicted_fpr), row["predicted_fpr"].get<std::string>()) << row;
    } else {
      EXPECT_NE(plan.error().message.find("'block'"), std::string::npos);
    }
  }
}

TEST(Sizing, wilson_interval_equals_the_vectors) {
  for (const auto& row : vectors("sizing", "sampled")) {
    const SampledRate rate = sampled_rate(row["hits"], row["samples"]);
    EXPECT_EQ(four_digits(rate.rate), row["rate"].get<std::string>()) << row;
    EXPECT_EQ(four_digits(rate.low), row["low"].get<std::string>()) << row;
    EXPECT_EQ(four_digits(rate.high), row["high"].get<std::string>()) << row;
  }
}

TEST(Sizing, a_sampled_rate_is_always_a_rate) {
  const SampledRate nothing = sampled_rate(0, 0), more = sampled_rate(5, 3), all = sampled_rate(3, 3);
  EXPECT_EQ(nothing.rate, 0);
  EXPECT_EQ(nothing.low, 0);
  EXPECT_EQ(nothing.high, 1);
  EXPECT_EQ(more.rate, 1);
  EXPECT_EQ(more.low, all.low);
  EXPECT_EQ(more.high, 1);
}

TEST(Sizing, five_percent_costs_less_than_two_bytes_a_key) {
  const Result<ClassicGeometry> g = ClassicGeometry::for_capacity(1'000'000, 0.05);
  EXPECT_NEAR(static_cast<double>(g->m) / 1e6, 6.24, 0.01);
  EXPECT_LE(g->payload_bytes(), 2'000'000u);
}

TEST(Sizing, a_filter_twice_overfull_is_predicted_at_15_7_percent) {
  const ClassicGeometry g = *ClassicGeometry::for_capacity(1'000'000, 0.01);
  EXPECT_NEAR(g.predicted_fpr_after(2'000'000), 0.157, 0.001);
}

TEST(Sizing, empty_and_full_filters_are_certain) {
  for (std::uint64_t m : {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{1} << 20, std::uint64_t{1} << 33}) {
    const ClassicGeometry g{m, 7};
    EXPECT_EQ(g.predicted_fpr_at(0), 0);
    EXPECT_EQ(g.predicted_fpr_at(m), 1);
    EXPECT_EQ(g.estimated_count(0), 0u);
    EXPECT_FALSE(g.estimated_count(m).has_value());
  }
}

// A filter with half hashes of 16 bits in place of 32, bit by bit, against the model that predicts large filters.
double simulated_fpr(std::uint64_t m, std::uint32_t k, std::uint64_t n, std::uint64_t half_range, double& fill) {
  std::mt19937_64 random(7);
  std::vector<bool> bits(m);
  const auto draw = [&] { return random() % half_range; };
  for (std::uint64_t key = 0; key < n; ++key) {
    const std::uint64_t h1 = draw(), h2 = draw();
    for (std::uint32_t i = 0; i < k; ++i) bits[(h1 + i * h2) % m] = true;
  }
  fill = static_cast<double>(std::count(bits.begin(), bits.end(), true)) / static_cast<double>(m);
  std::uint64_t hits = 0;
  const std::uint64_t asked = scaled<std::uint64_t>(1'000'000, 10'000'000);
  for (std::uint64_t key = 0; key < asked; ++key) {
    const std::uint64_t h1 = draw(), h2 = draw();
    std::uint32_t i = 0;
    while (i < k && bits[(h1 + i * h2) % m]) ++i;
    hits += i == k;
  }
  return static_cast<double>(hits) / static_cast<double>(asked);
}

TEST(HalfHashModel, agrees_with_simulated_filters_past_the_range_of_a_half) {
  constexpr std::uint64_t kHalf = 1 << 20;
  for (double ratio : {0.3, 0.9, 1.0, 1.5, 2.23, 4.0, 15.6}) {
    const auto m = static_cast<std::uint64_t>(ratio * kHalf);
    const std::uint64_t n = m / 10;
    double fill = 0;
    const double measured = simulated_fpr(m, 7, n, kHalf, fill);
    const sizing::HalfHashModel model(static_cast<double>(m), 7, kHalf);
    EXPECT_NEAR(model.fpr(static_cast<double>(n)) / measured, 1, 0.07) << "m / half range = " << ratio;
    EXPECT_NEAR(model.mean_fill(static_cast<double>(n)), fill, 0.002);
    EXPECT_NEAR(model.count_at_fill(fill) / static_cast<double>(n), 1, 0.01);
  }
}

TEST(HalfHashModel, drifts_as_measured_from_a_billion_keys_on) {
  EXPECT_NEAR(ClassicGeometry::for_capacity(1'000'000'000, 0.01)->predicted_fpr_after(1'000'000'000), 0.012, 0.001);
  EXPECT_NEAR(ClassicGeometry::for_capacity(7'000'000'000, 0.01)->predicted_fpr_after(7'000'000'000), 0.42, 0.01);
}

TEST(HalfHashModel, joins_the_small_formula_without_a_step) {
  const std::uint64_t edge = std::uint64_t{1} << 30;
  for (std::uint32_t k : {3u, 7u, 13u}) {
    const double below = ClassicGeometry{edge - 1, k}.predicted_fpr_at(edge / 2),
                 above = ClassicGeometry{edge, k}.predicted_fpr_at(edge / 2);
    EXPECT_NEAR(above / below, 1, 0.01);
  }
}

}  // namespace
}  // namespace bloomery
