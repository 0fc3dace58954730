// Fuse filters hold every row of spec/vectors/fuse.json: the places of a key, the bytes of a build, the sizes. Written
// by an implementation of its own (spec/vectors/generator/fuse.py).
#include <gtest/gtest.h>

#include <algorithm>

#include "bloomery/detail/fnv.h"
#include "bloomery/fuse.h"
#include "kinds/fuse/build.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::u64_from_hex;
using testing::vectors;

FuseGeometry geometry_of(const nlohmann::json& row) {
  return {row["arity"], row["fingerprint_bits"],
          row["parts"], row["window"],
          row["slots"], row.value("keys", std::uint64_t{0})};
}

TEST(FuseGolden, a_key_has_the_places_and_the_fingerprint_of_the_page) {
  for (const auto& row : vectors("fuse", "places")) {
    const FuseGeometry geometry = geometry_of(row);
    const Hash hash(u64_from_hex(row["hash"]));
    EXPECT_EQ(detail::mulhi64(hash.bits, geometry.parts), row["part"]) << row;
    detail::with_fuse_probe(geometry.arity, geometry.fingerprint_bits, [&]<class Probe>() {
      const Probe probe(detail::FuseRing(geometry), hash, hash.bits * detail::fuse_factor(geometry.parts, row["seed"]));
      std::vector<std::uint64_t> places;
      probe.for_each([&](std::uint64_t place) { places.push_back(place); });
      EXPECT_EQ(places, row["places"].get<std::vector<std::uint64_t>>()) << row;
      EXPECT_EQ(probe.fingerprint(), row["fingerprint"]) << row;
    });
  }
}

// With the parts of the row, and growing as a build does.
void check_bytes(std::vector<Hash> keys, const nlohmann::json& row) {
  std::sort(keys.begin(), keys.end(), [](Hash a, Hash b) { return a.bits < b.bits; });
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  const FuseGeometry target{row["arity"], row["fingerprint_bits"]};
  FuseGeometry geometry = detail::fuse_geometry_for(keys, target, row["parts"]);
  std::vector<std::uint8_t> bytes(geometry.payload_bytes());
  std::uint64_t grown = 0;
  for (; !*detail::fuse_fill(keys, geometry, 2, bytes.data()); ++grown) {
    geometry = geometry.grown();
    bytes.assign(geometry.payload_bytes(), 0);
  }
  EXPECT_EQ(grown, row["grown"]) << row;
  ASSERT_EQ(geometry, geometry_of(row)) << row;
  std::vector<std::uint8_t> seeds;
  for (std::uint64_t part = 0; part < geometry.parts; ++part)
    seeds.push_back(static_cast<std::uint8_t>(
        detail::fuse_seed(geometry.parts, detail::load_le<std::uint64_t>(&bytes[geometry.factors_at() + 8 * part]))));
  EXPECT_EQ(seeds, row["seeds"].get<std::vector<std::uint8_t>>()) << row;
  if (row.contains("hex")) {
    EXPECT_EQ(bytes, testing::bytes_from_hex(row["hex"])) << row;
  } else {
    EXPECT_EQ(Hasher::xxh3()(bytes).bits, u64_from_hex(row["xxh3"])) << row;
  }
  if (geometry.parts > 1) return;  // the public build makes one part of so few keys
  const Hasher hasher = Hasher::xxh3();
  const FuseFilter filter = *FuseFilter::build_like(target, detail::key_run(hasher, keys), hasher, 1);
  EXPECT_EQ(filter.geometry(), geometry);
  EXPECT_TRUE(std::ranges::equal(filter.view().payload(), bytes)) << row;
}

TEST(FuseGolden, the_same_keys_make_the_same_bytes) {
  for (const auto& row : vectors("fuse", "payloads")) {
    std::vector<Hash> keys;
    for (std::uint64_t i = 0; i < row["count"]; ++i)
      keys.emplace_back(detail::splitmix64(row["first"].get<std::uint64_t>() + i));
    check_bytes(keys, row);
  }
  for (const auto& row : vectors("fuse", "hashes")) {
    std::vector<Hash> keys;
    for (const auto& hash : row["hashes"]) keys.emplace_back(u64_from_hex(hash));
    check_bytes(keys, row);
  }
}

TEST(FuseGolden, sizes_are_those_of_the_page) {
  for (const auto& row : vectors("fuse", "parts")) {
    const FuseGeometry part = FuseGeometry{row["arity"]}.for_part_of(row["n"]);
    EXPECT_EQ(part.window, row["window"]) << row;
    EXPECT_EQ(part.slots, row["slots"]) << row;
  }
  for (const auto& row : vectors("fuse", "sizing"))
    EXPECT_EQ(*FuseGeometry::for_capacity(row["n"], row["fpr"], row["arity"]), geometry_of(row)) << row;
  for (const auto& row : vectors("fuse", "bits_per_key"))
    EXPECT_EQ(*FuseGeometry::for_bits_per_key(row["n"], row["bits_per_key"]), geometry_of(row)) << row;
  for (const auto& row : vectors("fuse", "refused"))
    EXPECT_FALSE(FuseGeometry::for_capacity(row["n"], std::stod(row["fpr"].get<std::string>())).ok()) << row;
  for (const auto& row : vectors("fuse", "refused_bits_per_key"))
    EXPECT_FALSE(FuseGeometry::for_bits_per_key(row["n"], row["bits_per_key"]).ok()) << row;
}

}  // namespace
}  // namespace bloomery
