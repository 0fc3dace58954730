#include <gtest/gtest.h>

#include <limits>

#include "bloomery/geometry/quotient.h"
#include "support/named_bits.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::vectors;

QuotientGeometry geometry_in(const nlohmann::json& row) { return {row["quotient_bits"], row["remainder_bits"]}; }

TEST(QuotientSizing, every_golden_geometry_has_its_slots_and_bytes) {
  for (const auto& row : vectors("quotient", "geometry")) {
    const QuotientGeometry geometry = geometry_in(row);
    EXPECT_EQ(geometry.capacity(), row["capacity"]) << row;
    EXPECT_EQ(geometry.slots(), row["slots"]) << row;
    EXPECT_EQ(geometry.payload_bytes(), row["bytes"]) << row;
    EXPECT_EQ(*QuotientGeometry::from_values(geometry.values()), geometry) << row;
  }
}

TEST(QuotientSizing, every_golden_n_and_rate_makes_its_geometry) {
  for (const auto& row : vectors("quotient", "sizing"))
    EXPECT_EQ(*QuotientGeometry::for_capacity(row["n"], row["fpr"]), geometry_in(row)) << row;
  for (const auto& row : vectors("quotient", "bits_per_key"))
    EXPECT_EQ(*QuotientGeometry::for_bits_per_key(row["n"], row["bits_per_key"]), geometry_in(row)) << row;
}

TEST(QuotientSizing, hostile_numbers_are_refused_by_name) {
  for (const auto& row : vectors("quotient", "refused")) {
    const auto made = QuotientGeometry::from_values({row["quotient_bits"], row["remainder_bits"]});
    ASSERT_FALSE(made.ok()) << row;
    EXPECT_NE(made.error().message.find("_bits"), std::string::npos) << row;
  }
}

TEST(QuotientSizing, no_other_geometry_does_it_in_fewer_bytes) {
  for (std::uint64_t n : {std::uint64_t{1}, std::uint64_t{20}, std::uint64_t{61}, std::uint64_t{5000}}) {
    for (double fpr : {0.3, 0.01, 1e-5}) {
      const QuotientGeometry best = *QuotientGeometry::for_capacity(n, fpr);
      EXPECT_LE(best.predicted_fpr_after(n), fpr);
      EXPECT_GE(best.capacity(), n);
      for (std::uint32_t q = 1; q <= 20; ++q)
        for (std::uint32_t r = 1; r <= 40; ++r) {
          const QuotientGeometry other{q, r};
          if (other.capacity() < n || other.payload_bytes() >= best.payload_bytes()) continue;
          EXPECT_GT(other.predicted_fpr_after(n), fpr) << q << " " << r;
        }
    }
  }
}

TEST(QuotientSizing, what_cannot_be_reached_is_refused) {
  for (double bad : {0.0, 1.0, 2.0, -1.0, std::numeric_limits<double>::quiet_NaN(), 1e-19})
    EXPECT_FALSE(QuotientGeometry::for_capacity(10, bad).ok()) << bad;
  EXPECT_FALSE(QuotientGeometry::for_capacity(0, 0.01).ok());
  EXPECT_FALSE(QuotientGeometry::for_capacity(std::uint64_t{1} << 56, 0.5).ok());
  EXPECT_FALSE(QuotientGeometry::for_capacity(~std::uint64_t{0}, 0.9999).ok());
  EXPECT_TRUE(QuotientGeometry::for_capacity(std::uint64_t{1} << 55, 0.5).ok());
  const auto few = QuotientGeometry::for_bits_per_key(1'000'000, 3);
  ASSERT_FALSE(few.ok());
  EXPECT_NE(few.error().message.find("'block'"), std::string::npos);
  EXPECT_FALSE(QuotientGeometry::for_bits_per_key(10, 0).ok());
  EXPECT_FALSE(QuotientGeometry::for_bits_per_key(10, std::numeric_limits<double>::infinity()).ok());
}

TEST(QuotientSizing, fill_and_rate_are_those_of_the_keys_it_takes) {
  const QuotientGeometry geometry{10, 7};
  EXPECT_EQ(geometry.expected_fill(512), 0.5);
  EXPECT_NEAR(geometry.predicted_fpr_after(512), 512.0 / (1 << 17), 1e-5);
  EXPECT_EQ(geometry.predicted_fpr_after(100'000), geometry.predicted_fpr_after(972));
  EXPECT_EQ(geometry.predicted_fpr_at(972), geometry.predicted_fpr_after(972));
  EXPECT_EQ(geometry.fpr_of_fingerprints(972), 972.0 / (1 << 17));
  EXPECT_EQ(geometry.estimated_count(77), 77u);
  EXPECT_LE(QuotientGeometry{}.payload_bytes(), 256u) << "an empty view has that many zero bytes";
}

TEST(QuotientSizing, the_least_bits_per_key_that_it_names_are_enough) {
  testing::expect_named_bits_suffice<QuotientGeometry>();
}

}  // namespace
}  // namespace bloomery
