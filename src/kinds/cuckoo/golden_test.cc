// Cuckoo filters hold every row of spec/vectors/cuckoo.json: the places of a key, the bytes that adds and removes
// leave, the sizes. Written by an implementation of its own (spec/vectors/generator/cuckoo.py).
#include <gtest/gtest.h>

#include <cstdio>

#include "bloomery/cuckoo.h"
#include "bloomery/detail/fnv.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::u64_from_hex;
using testing::vectors;

CuckooGeometry geometry_of(const nlohmann::json& row) { return {row["buckets"], row["fingerprint_bits"]}; }

TEST(CuckooGolden, a_key_has_the_fingerprint_and_the_buckets_of_the_page) {
  for (const auto& row : vectors("cuckoo", "places")) {
    const detail::CuckooPlaces places = detail::with_cuckoo_bucket(row["fingerprint_bits"], [&]<class Bucket>(Bucket) {
      return detail::cuckoo_places<Bucket>(row["buckets"], Hash(u64_from_hex(row["hash"])));
    });
    EXPECT_EQ(places.fingerprint, row["fingerprint"]) << row;
    EXPECT_EQ(places.first, row["first"]) << row;
    EXPECT_EQ(places.second, row["second"]) << row;
  }
}

TEST(CuckooGolden, the_same_adds_and_removes_make_the_same_bytes) {
  for (const auto& row : vectors("cuckoo", "payloads")) {
    CuckooFilter filter = *CuckooFilter::with_geometry(geometry_of(row));
    std::vector<Hash> in;
    std::uint64_t refused = 0;
    for (std::uint64_t i = 0; i < row["offered"]; ++i) {
      const Hash hash(detail::splitmix64(1 + i));
      if (filter.add(hash).ok()) {
        in.push_back(hash);
      } else if (refused++ == 0) {
        EXPECT_EQ(i, row["first_refused"]) << row;
      }
    }
    EXPECT_EQ(refused, row["refused"]) << row;
    for (std::size_t i = 0; i < row["removed"]; ++i) EXPECT_TRUE(filter.remove(in[i]));
    for (std::size_t i = 0; i < row["again"]; ++i) EXPECT_TRUE(filter.add(in[i]).ok());
    EXPECT_EQ(filter.bits_set(), row["taken"]) << row;
    const std::span<const std::uint8_t> bytes = filter.view().payload();
    EXPECT_EQ(bytes.size(), row["bytes"]);
    if (row.contains("hex")) {
      EXPECT_EQ(std::vector(bytes.begin(), bytes.end()), testing::bytes_from_hex(row["hex"])) << row;
    } else {
      EXPECT_EQ(Hasher::xxh3()(bytes).bits, u64_from_hex(row["xxh3"])) << row;
    }
  }
}

TEST(CuckooGolden, sizes_are_those_of_the_page) {
  for (const auto& row : vectors("cuckoo", "sizing")) {
    const CuckooGeometry geometry = *CuckooGeometry::for_capacity(row["n"], row["fpr"]);
    EXPECT_EQ(geometry, geometry_of(row)) << row;
    char rate[32];
    std::snprintf(rate, sizeof rate, "%.4g", geometry.predicted_fpr_after(row["n"]));
    EXPECT_EQ(std::string(rate), row["predicted_fpr"].get<std::string>()) << row;
  }
  for (const auto& row : vectors("cuckoo", "bits_per_key"))
    EXPECT_EQ(*CuckooGeometry::for_bits_per_key(row["n"], row["bits_per_key"]), geometry_of(row)) << row;
  for (const auto& row : vectors("cuckoo", "refused"))
    EXPECT_FALSE(CuckooGeometry::for_capacity(row["n"], std::stod(row["fpr"].get<std::string>())).ok()) << row;
  for (const auto& row : vectors("cuckoo", "refused_bits_per_key"))
    EXPECT_FALSE(CuckooGeometry::for_bits_per_key(row["n"], row["bits_per_key"]).ok()) << row;
}

}  // namespace
}  // namespace bloomery
