// The sizing of stable filters: its golden rows, its curves, what it refuses.
#include <gtest/gtest.h>

#include <limits>

#include "bloomery/geometry/stable.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using Words = std::array<std::uint64_t, 3>;

double number(const nlohmann::json& text) { return std::stod(text.get<std::string>()); }

TEST(StableSizing, geometries_are_those_of_the_golden_data) {
  for (const auto& row : testing::vectors("stable", "sized")) {
    const auto made = StableGeometry::for_capacity(row["n"], row["fpr"]);
    ASSERT_TRUE(made.ok()) << row;
    EXPECT_EQ(made->values(), row["words"].get<Words>()) << row;
    EXPECT_GE(made->remembered_adds(), row["n"].get<std::uint64_t>());
  }
}

TEST(StableSizing, curves_are_those_of_the_golden_data) {
  for (const auto& row : testing::vectors("stable", "found")) {
    const auto geometry = *StableGeometry::from_values(row["words"].get<Words>());
    EXPECT_NEAR(geometry.found_after(row["further"]), number(row["chance"]), 1e-3 * number(row["chance"])) << row;
  }
  for (const auto& row : testing::vectors("stable", "after")) {
    const auto geometry = *StableGeometry::from_values(row["words"].get<Words>());
    EXPECT_NEAR(geometry.predicted_fpr_after(row["n"]), number(row["fpr"]), 1e-3 * number(row["fpr"])) << row;
  }
}

TEST(StableSizing, the_plateau_meets_the_target_with_the_fewest_bits) {
  for (double fpr : {0.3, 0.1, 0.01, 0.001, 1e-4, 1e-6}) {
    const StableGeometry made = *StableGeometry::for_capacity(1'000'000, fpr);
    EXPECT_LE(made.predicted_fpr_after(100'000'000), fpr * (1 + 1e-4));
    EXPECT_EQ(made.predicted_fpr_after(~std::uint64_t{0}), made.predicted_fpr_after(100'000'000));
    const StableGeometry fewer = *StableGeometry::for_bits_per_key(1'000'000, made.decrement - 1);
    EXPECT_GT(fewer.predicted_fpr_after(100'000'000), fpr);
    EXPECT_NEAR(static_cast<double>(made.bits()) / 1e6, made.decrement, 0.01);
    EXPECT_EQ(made.estimated_count(1000), std::nullopt);
  }
  EXPECT_EQ(StableGeometry::for_capacity(1'000'000, 0.01)->decrement, 27u);
}

TEST(StableSizing, predictions_from_fill_agree_with_those_from_adds) {
  const StableGeometry made = *StableGeometry::for_capacity(100'000, 0.01);
  const auto set = static_cast<std::uint64_t>(made.expected_fill(1'000'000) * static_cast<double>(made.cells()));
  EXPECT_NEAR(made.predicted_fpr_at(set) / made.predicted_fpr_after(1'000'000), 1, 0.001);
  EXPECT_EQ(made.predicted_fpr_at(0), 0);
  EXPECT_EQ(made.predicted_fpr_at(made.cells()), 1);
  EXPECT_LT(made.predicted_fpr_at(set / 2), made.predicted_fpr_at(set));
}

TEST(StableSizing, what_it_cannot_reach_is_refused_with_a_kind_that_can) {
  EXPECT_NE(StableGeometry::for_capacity(1000, 1e-7).error().message.find("'block'"), std::string::npos);
  for (double bad : {0.0, 1.0, 2.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_FALSE(StableGeometry::for_capacity(10, bad).ok());
  EXPECT_FALSE(StableGeometry::for_capacity(0, 0.01).ok());
  EXPECT_FALSE(StableGeometry::for_capacity(~std::uint64_t{0}, 0.01).ok());
  EXPECT_FALSE(StableGeometry::for_capacity(std::uint64_t{1} << 60, 0.01).ok());
  EXPECT_FALSE(StableGeometry::for_bits_per_key(1000, 0.5).ok());
  EXPECT_FALSE(StableGeometry::for_bits_per_key(0, 10).ok());
  EXPECT_FALSE(StableGeometry::for_bits_per_key(10, std::numeric_limits<double>::infinity()).ok());
  EXPECT_EQ(StableGeometry::for_bits_per_key(10, 1e9)->decrement, 256u);
}

TEST(StableSizing, words_that_fit_no_filter_are_refused) {
  const Words good = {6, 5, 27};
  EXPECT_TRUE(StableGeometry::from_values(good).ok());
  const std::pair<std::size_t, std::uint64_t> bad[] = {
      {0, 0}, {0, (1ull << 54) + 1}, {0, ~0ull}, {1, 0}, {1, 17}, {2, 0}, {2, 257}, {2, ~0ull}};
  for (const auto& [at, value] : bad) {
    Words words = good;
    words[at] = value;
    EXPECT_FALSE(StableGeometry::from_values(words).ok()) << at << " = " << value;
  }
}

}  // namespace
}  // namespace bloomery
