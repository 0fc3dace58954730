// The geometry of fuse filters: what is refused and why, and that every size grows with its keys.
#include <gtest/gtest.h>

#include "bloomery/geometry/fuse.h"
#include "support/named_bits.h"

namespace bloomery {
namespace {

TEST(FuseSizing, an_impossible_geometry_is_refused_by_the_name_of_the_number) {
  const std::array<std::uint64_t, 6> good = {3, 8, 2, 64, 200, 100};
  ASSERT_TRUE(FuseGeometry::from_values(good).ok());
  struct Bad {
    std::size_t word;
    std::uint64_t value;
    const char* field;
  };
  const std::uint64_t most = ~std::uint64_t{0};
  for (const Bad& bad : {Bad{0, 2, "arity"}, Bad{0, 5, "arity"}, Bad{0, most, "arity"}, Bad{1, 0, "fingerprint_bits"},
                         Bad{1, 12, "fingerprint_bits"}, Bad{2, 0, "parts"}, Bad{2, (most >> 31) + 1, "parts"},
                         Bad{2, std::uint64_t{1} << 45, "parts"}, Bad{3, 0, "window"}, Bad{3, 63, "window"},
                         Bad{3, 131072, "window"}, Bad{3, most, "window"}, Bad{4, 0, "slots"}, Bad{4, 128, "slots"},
                         Bad{4, (std::uint64_t{1} << 47) + 1, "slots"}, Bad{4, most, "slots"}, Bad{5, 401, "keys"}}) {
    std::array<std::uint64_t, 6> values = good;
    values[bad.word] = bad.value;
    const Result<FuseGeometry> geometry = FuseGeometry::from_values(values);
    ASSERT_FALSE(geometry.ok()) << bad.field << " " << bad.value;
    EXPECT_EQ(geometry.error().field, bad.field) << bad.value;
  }
}

TEST(FuseSizing, what_it_cannot_reach_names_kinds_that_can) {
  const Result<FuseGeometry> low = FuseGeometry::for_capacity(1000, 1e-5);
  ASSERT_FALSE(low.ok());
  EXPECT_NE(low.error().message.find("'ribbon'"), std::string::npos);
  EXPECT_NE(low.error().message.find("'block'"), std::string::npos);
  EXPECT_EQ(FuseGeometry::for_capacity(1000, 0.01, 5).error().field, "arity");
  EXPECT_EQ(FuseGeometry::for_bits_per_key(1000, 20, 2).error().field, "arity");
  EXPECT_EQ(FuseGeometry::for_bits_per_key(1000, 9).error().field, "bits_per_key");
}

TEST(FuseSizing, every_size_is_valid_and_more_keys_take_more_slots) {
  for (const std::uint64_t arity : {3u, 4u}) {
    std::uint64_t before = 0;
    for (std::uint64_t n = 1; n < std::uint64_t{1} << 40; n += n / 61 + 1) {
      const FuseGeometry part = FuseGeometry{static_cast<std::uint32_t>(arity)}.for_part_of(n);
      EXPECT_GT(part.slots, before) << n;
      EXPECT_TRUE(FuseGeometry::from_values(part.values()).ok()) << n;
      EXPECT_TRUE(FuseGeometry::from_values(FuseGeometry::for_capacity(n, 0.01, arity)->values()).ok()) << n;
      before = part.slots;
    }
  }
}

TEST(FuseSizing, the_least_bits_per_key_that_it_names_are_enough) {
  testing::expect_named_bits_suffice<FuseGeometry>();
}

}  // namespace
}  // namespace bloomery
