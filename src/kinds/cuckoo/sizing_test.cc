// The sizes of cuckoo filters beyond the golden rows: few bits, no more than needed, and clear refusals.
#include "bloomery/geometry/cuckoo.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "bloomery/cuckoo.h"
#include "support/named_bits.h"

namespace bloomery {
namespace {

double bits_per_key(const CuckooGeometry& geometry, std::uint64_t n) {
  return 8 * static_cast<double>(geometry.payload_bytes()) / static_cast<double>(n);
}

TEST(CuckooSizing, large_filters_take_their_fingerprint_over_95_percent) {
  for (std::uint64_t n : {100'000ull, 123'456ull, 1'000'000ull, 1'000'000'000ull, 100'000'000'000ull}) {
    EXPECT_LE(bits_per_key(*CuckooGeometry::for_capacity(n, 0.03), n), 8 / 0.95) << n;
    EXPECT_LE(bits_per_key(*CuckooGeometry::for_capacity(n, 0.002), n), 12 / 0.95) << n;
    EXPECT_LE(bits_per_key(*CuckooGeometry::for_capacity(n, 0.00012), n), 16 / 0.95) << n;
  }
}

TEST(CuckooSizing, the_fewest_bytes_that_meet_the_target_are_found) {
  for (std::uint64_t n : {1ull, 9ull, 100ull, 5000ull, 1'000'000ull}) {
    for (double fpr : {0.5, 0.03, 0.0225, 0.015, 0.01, 0.0019, 0.0015, 0.0005, 0.0001}) {
      const CuckooGeometry best = *CuckooGeometry::for_capacity(n, fpr);
      EXPECT_LE(best.predicted_fpr_after(n), fpr);
      EXPECT_GE(best.buckets, CuckooGeometry::buckets_for(n));
      for (const std::uint32_t bits : CuckooGeometry::kFingerprintBits) {
        // The most buckets of that width that take fewer bytes are too few, or miss the rate.
        std::uint64_t buckets = (8 * best.payload_bytes() - 1) / (4 * bits);
        buckets -= buckets % 2;
        if (buckets < CuckooGeometry::buckets_for(n)) continue;
        EXPECT_TRUE((CuckooGeometry{buckets, bits}.payload_bytes() >= best.payload_bytes() ||
                     CuckooGeometry{buckets, bits}.predicted_fpr_after(n) > fpr))
            << n << " " << fpr << " " << bits;
      }
    }
  }
}

TEST(CuckooSizing, a_lower_load_has_a_lower_rate) {
  const CuckooGeometry geometry{1000, 12};
  for (std::uint64_t n = 1; n < 4000; ++n) {
    ASSERT_LT(geometry.predicted_fpr_after(n - 1), geometry.predicted_fpr_after(n));
    ASSERT_EQ(geometry.predicted_fpr_after(n), geometry.predicted_fpr_at(n));
  }
  EXPECT_EQ(geometry.predicted_fpr_at(0), 0);
  EXPECT_EQ(geometry.expected_fill(2000), 0.5);
  EXPECT_EQ(geometry.expected_fill(40'000), 1);  // of which most were refused
  EXPECT_EQ(geometry.predicted_fpr_after(40'000), geometry.predicted_fpr_after(4000));
}

TEST(CuckooSizing, what_it_cannot_reach_is_refused_with_a_kind_that_can) {
  const Error low = CuckooGeometry::for_capacity(1000, 1e-5).error();
  EXPECT_EQ(low.field, "fpr");
  EXPECT_NE(low.message.find("'block'"), std::string::npos);
  for (double bad : {0.0, 1.0, 2.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_FALSE(CuckooGeometry::for_capacity(10, bad).ok());
  EXPECT_FALSE(CuckooGeometry::for_capacity(0, 0.01).ok());
  EXPECT_FALSE(CuckooGeometry::for_capacity(~0ull, 0.01).ok());
  EXPECT_FALSE(CuckooGeometry::for_capacity(1ull << 50, 0.01).ok());
  EXPECT_TRUE(CuckooGeometry::for_capacity(1ull << 49, 0.01).ok());
  const Error few = CuckooGeometry::for_bits_per_key(1'000'000, 5).error();
  EXPECT_NE(few.message.find("8.41 bits per key"), std::string::npos) << few.message;
  for (double bad : {0.0, -1.0, 1e300, std::numeric_limits<double>::infinity()})
    EXPECT_FALSE(CuckooGeometry::for_bits_per_key(10, bad).ok());
}

TEST(CuckooSizing, hostile_numbers_are_refused_before_anything_is_allocated) {
  for (std::uint64_t buckets : {0ull, 1ull, 3ull, 1001ull, (1ull << 48) + 2, 1ull << 60, 1ull << 63, ~0ull}) {
    EXPECT_EQ(CuckooGeometry::from_values({buckets, 8}).error().field, "buckets") << buckets;
    EXPECT_EQ(CuckooFilter::with_geometry({buckets, 8}).error().field, "buckets");
    EXPECT_FALSE(CuckooView::from_payload({}, {buckets, 8}).ok());
  }
  for (std::uint64_t bits : {0ull, 1ull, 4ull, 9ull, 10ull, 17ull, 24ull, 64ull, (1ull << 32) + 8, ~0ull})
    EXPECT_EQ(CuckooGeometry::from_values({2, bits}).error().field, "fingerprint_bits") << bits;
  EXPECT_EQ(CuckooGeometry::from_values({1ull << 48, 16})->payload_bytes(), 1ull << 51);
  EXPECT_EQ(CuckooFilter::with_geometry({1ull << 48, 16}).error().code, ErrorCode::out_of_memory);
  EXPECT_EQ(CuckooGeometry{}, *CuckooGeometry::from_values({2, 8}));
}

TEST(CuckooSizing, the_least_bits_per_key_that_it_names_are_enough) {
  testing::expect_named_bits_suffice<CuckooGeometry>();
}

}  // namespace
}  // namespace bloomery
