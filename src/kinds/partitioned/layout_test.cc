// What partitioned filters promise beside what every kind does: golden bytes, slices that fill alike, exact rates.
#include "bloomery/partitioned.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::scaled;
using testing::u64_from_hex;
using testing::vectors;

PartitionedFilter with_stream(const nlohmann::json& row) {
  PartitionedFilter filter = *PartitionedFilter::with_geometry({row["slice_bits"], row["k"]});
  const std::uint64_t first = row["stream"][0], count = row["stream"][1];
  for (std::uint64_t i = 0; i < count; ++i) filter.add(Hash(detail::splitmix64(first + i)));
  return filter;
}

TEST(Partitioned, positions_are_those_of_the_vectors) {
  for (const auto& row : vectors("partitioned", "positions"))
    for (std::uint32_t i = 0; i < 30; ++i)
      ASSERT_EQ(std::to_string(detail::partitioned_index(row["slice_bits"], i, Hash(u64_from_hex(row["hash"])))),
                row["positions"][i].get<std::string>())
          << row["hash"] << " slice " << i;
}

TEST(Partitioned, payloads_are_those_of_the_vectors) {
  for (const auto& row : vectors("partitioned", "payloads")) {
    const PartitionedFilter filter = with_stream(row);
    EXPECT_EQ(filter.bytes(), row["bytes"]);
    EXPECT_EQ(Hasher::xxh3()(filter.view().payload()).bits, u64_from_hex(row["xxh3"])) << row;
  }
  const nlohmann::json row = vectors("partitioned")["example"];
  const auto bytes = testing::bytes_from_hex(row["hex"]);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), with_stream(row).view().payload().begin()));
}

TEST(Partitioned, sizes_are_those_of_the_vectors) {
  for (const auto& row : vectors("partitioned", "sizing")) {
    const PartitionedGeometry g = *PartitionedGeometry::for_capacity(row["n"], row["fpr"]);
    EXPECT_EQ(g.slice_bits, row["slice_bits"]) << row;
    EXPECT_EQ(g.k, row["k"]) << row;
  }
}

TEST(Partitioned, slices_fill_alike) {
  const std::uint64_t n = scaled<std::uint64_t>(100'000, 5'000'000);
  PartitionedFilter filter = *PartitionedFilter::with_capacity(n, 0.001);
  for (std::uint64_t i = 0; i < n; ++i) filter.add(i);
  const PartitionedGeometry g = filter.geometry();
  const double expected = g.expected_fill(n);
  // Set bits of a slice spread as throws into bins do: by less than those of as many coins.
  const double deviation = std::sqrt(expected * (1 - expected) / static_cast<double>(g.slice_bits));
  std::uint64_t all = 0;
  for (std::uint32_t i = 0; i < g.k; ++i) {
    const std::uint64_t set = PartitionedLayout(g).bits_set_in_slice(filter.view().payload(), i);
    EXPECT_NEAR(static_cast<double>(set) / static_cast<double>(g.slice_bits), expected, 5 * deviation) << "slice " << i;
    all += set;
  }
  EXPECT_EQ(all, filter.bits_set()) << "slices cover the filter and nothing twice";
}

// Of one key the rate is (1/s)^k exactly; many filters of few keys have the mean that the formula gives.
TEST(Partitioned, rate_of_a_handful_of_keys_is_the_formulas) {
  for (std::uint64_t n : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{20}}) {
    PartitionedFilter filter = *PartitionedFilter::with_capacity(n, 0.02);
    const double formula = filter.geometry().predicted_fpr_after(n);
    const std::uint64_t filters = scaled<std::uint64_t>(20'000, 1'000'000), asked = 50;
    std::uint64_t hits = 0;
    for (std::uint64_t f = 0; f < filters; ++f) {
      filter.clear();
      for (std::uint64_t i = 0; i < n; ++i) filter.add(Hash(detail::splitmix64(1000 * f + i)));
      for (std::uint64_t i = 0; i < asked; ++i)
        hits += filter.contains(Hash(detail::splitmix64((std::uint64_t{1} << 50) + asked * f + i)));
    }
    const double expected = formula * static_cast<double>(filters * asked);
    EXPECT_NEAR(static_cast<double>(hits) / expected, 1, 6 / std::sqrt(expected)) << "n = " << n;
  }
}

TEST(Partitioned, bits_above_the_last_slice_are_refused) {
  std::vector<std::uint8_t> bytes(9);
  EXPECT_TRUE(PartitionedView::from_payload(bytes, {10, 7}).ok());
  bytes[8] = 0x40;
  EXPECT_FALSE(PartitionedView::from_payload(bytes, {10, 7}).ok());
  EXPECT_TRUE(PartitionedView::from_payload(bytes, {9, 8}).ok());
}

TEST(Partitioned, impossible_geometries_are_refused) {
  EXPECT_FALSE(PartitionedGeometry::make(0, 7).ok());
  EXPECT_FALSE(PartitionedGeometry::make((std::uint64_t{1} << 58) + 1, 7).ok());
  EXPECT_FALSE(PartitionedGeometry::make(10, 0).ok());
  EXPECT_FALSE(PartitionedGeometry::make(10, 31).ok());
  EXPECT_FALSE(PartitionedGeometry::for_capacity(~std::uint64_t{0}, 1e-9).ok());
  EXPECT_EQ(PartitionedFilter::with_geometry({std::uint64_t{1} << 58, 30}).error().code, ErrorCode::out_of_memory);
}

}  // namespace
}  // namespace bloomery
