// The two numbers that fix a cuckoo filter, and how they follow from n keys and a rate (spec/cuckoo.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "bloomery/export.h"
#include "bloomery/kind.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

struct CuckooGeometry {
  static constexpr Kind kKind = Kind::cuckoo;
  static constexpr std::array<const char*, 2> kFields = {"buckets", "fingerprint_bits"};
  static constexpr std::uint64_t kSlots = 4;                            // of a bucket
  static constexpr std::uint64_t kMaxBuckets = std::uint64_t{1} << 48;  // the other 16 bits of a hash are fingerprint
  static constexpr std::array<std::uint32_t, 3> kFingerprintBits = {8, 12, 16};
  static constexpr double kLowestFpr = 1e-4;

  std::uint64_t buckets = 2;  // an even number
  std::uint32_t fingerprint_bits = 8;

  std::array<std::uint64_t, 2> values() const { return {buckets, fingerprint_bits}; }
  // Refuses buckets that are 0, odd or more than 2^48, and fingerprints of other than 8, 12 or 16 bits.
  BLOOMERY_API static Result<CuckooGeometry> from_values(const std::array<std::uint64_t, 2>& values);
  // Returns the smallest filter that takes n different keys and meets fpr.
  BLOOMERY_API static Result<CuckooGeometry> for_capacity(std::uint64_t n, double fpr);
  // Returns the longest fingerprints with which n keys fit in so many bits. Refuses too few bits, and names how many it
  // takes.
  BLOOMERY_API static Result<CuckooGeometry> for_bits_per_key(std::uint64_t n, double bits_per_key);
  // Returns how many buckets take n different keys, but for one set of keys in 10^9.
  BLOOMERY_API static std::uint64_t buckets_for(std::uint64_t n);

  std::uint64_t bits() const { return 8 * payload_bytes(); }
  // Two bytes of 0 follow 12-bit fingerprints, so that every bucket can be read by one load of 8 bytes.
  std::uint64_t payload_bytes() const { return buckets * (fingerprint_bits / 2) + padding(); }
  std::uint64_t padding() const { return fingerprint_bits == 12 ? 2 : 0; }
  std::uint64_t cells() const { return buckets * kSlots; }

  BLOOMERY_API double expected_fill(std::uint64_t n) const;
  BLOOMERY_API double predicted_fpr_after(std::uint64_t n) const;
  BLOOMERY_API double predicted_fpr_at(std::uint64_t slots_taken) const;
  // Every key takes one slot.
  std::optional<std::uint64_t> estimated_count(std::uint64_t slots_taken) const { return slots_taken; }

  friend bool operator==(const CuckooGeometry&, const CuckooGeometry&) = default;
};

}  // namespace BLOOMERY_NAMESPACE
