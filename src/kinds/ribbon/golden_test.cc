// Ribbon filters hold every row of spec/vectors/ribbon.json: what a hash gives, where windows lie, the bytes of
// filters, the sizes. Written by an implementation of its own (spec/vectors/generator/ribbon.py).
#include <gtest/gtest.h>

#include <cstdio>

#include "bloomery/ribbon.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::u64_from_hex;
using testing::vectors;

using Words = std::array<std::uint64_t, 8>;

TEST(RibbonGolden, a_hash_gives_the_place_the_coefficients_and_the_fingerprint_of_the_page) {
  for (const auto& row : vectors("ribbon", "keys")) {
    const std::uint64_t place = detail::ribbon_place(Hash(u64_from_hex(row["hash"])), row["seed"]);
    EXPECT_EQ(place, u64_from_hex(row["place"])) << row;
    const std::uint64_t coefficients = detail::splitmix64(place);
    EXPECT_EQ(coefficients, u64_from_hex(row["coefficients"])) << row;
    const std::uint64_t bits = detail::ribbon_fingerprint(coefficients);
    std::uint64_t columns = 0;
    for (unsigned i = 0; i < 32; ++i) columns |= (bits >> (8 * (i % 8) + i / 8) & 1) << i;
    EXPECT_EQ(columns, u64_from_hex(row["fingerprint"])) << row;
  }
}

TEST(RibbonGolden, windows_lie_where_the_page_says) {
  for (const auto& row : vectors("ribbon", "layouts")) {
    const std::uint32_t columns = row["columns"];
    const detail::RibbonLayer layer(row["starts"], columns, row["low_share"]);
    EXPECT_EQ(layer.cut, row["cut"]) << row;
    if (!row.contains("windows")) continue;
    EXPECT_EQ(layer.bytes(columns), row["bytes"]) << row;
    EXPECT_EQ(layer.slots(), row["slots"]) << row;
    for (const auto& window : row["windows"]) {
      EXPECT_EQ(layer.columns_at(window[0], columns), window[1]) << row;
      EXPECT_EQ(layer.offset(window[0], window[1]), window[2]) << row;
    }
  }
}

TEST(RibbonGolden, the_same_keys_make_the_same_bytes) {
  for (const auto& row : vectors("ribbon", "payloads")) {
    std::vector<Hash> hashes;
    for (std::uint64_t i = 0; i < row["keys"]; ++i)
      hashes.emplace_back(row["hashes"] == "random"   ? detail::splitmix64(1 + i)
                          : row["hashes"] == "spaced" ? i << 44
                                                      : i);
    RibbonGeometry target;
    target.columns = row["columns"];
    target.low_share = row["low_share"];
    const Hasher hasher = RibbonLayout::default_hasher();
    const RibbonFilter filter = *RibbonFilter::build_like(target, detail::key_run(hasher, hashes), hasher, 1);
    EXPECT_EQ(filter.geometry().values(), row["geometry"].get<Words>()) << row;
    EXPECT_EQ(filter.retries(), row["geometry"][3]);
    const std::span<const std::uint8_t> bytes = filter.view().payload();
    EXPECT_EQ(bytes.size(), row["bytes"]);
    if (row.contains("hex")) {
      EXPECT_EQ(std::vector(bytes.begin(), bytes.end()), testing::bytes_from_hex(row["hex"])) << row;
    } else {
      EXPECT_EQ(Hasher::xxh3()(bytes).bits, u64_from_hex(row["xxh3"])) << row;
    }
  }
}

TEST(RibbonGolden, sizes_are_those_of_the_page) {
  for (const auto& row : vectors("ribbon", "sizing")) {
    const RibbonGeometry geometry = *RibbonGeometry::for_capacity(row["n"], row["fpr"]);
    EXPECT_EQ(geometry.values(), row["geometry"].get<Words>()) << row;
    EXPECT_EQ(geometry.payload_bytes(), row["bytes"]) << row;
    char rate[32];
    std::snprintf(rate, sizeof rate, "%.3g", geometry.predicted_fpr_after(row["n"]));
    EXPECT_EQ(std::string(rate), row["predicted_fpr"].get<std::string>()) << row;
  }
  for (const auto& row : vectors("ribbon", "bits_per_key"))
    EXPECT_EQ(RibbonGeometry::for_bits_per_key(row["n"], row["bits_per_key"])->values(), row["geometry"].get<Words>())
        << row;
  for (const auto& row : vectors("ribbon", "refused"))
    EXPECT_FALSE(RibbonGeometry::for_capacity(row["n"], std::stod(row["fpr"].get<std::string>())).ok()) << row;
  for (const auto& row : vectors("ribbon", "refused_bits_per_key"))
    EXPECT_FALSE(RibbonGeometry::for_bits_per_key(row["n"], row["bits_per_key"]).ok()) << row;
}

}  // namespace
}  // namespace bloomery
