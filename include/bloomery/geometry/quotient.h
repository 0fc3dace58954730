// The two integers that fix a quotient filter (spec/quotient.md), made from (number of keys, false-positive rate).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "bloomery/export.h"
#include "bloomery/kind.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

// A key is a fingerprint of quotient_bits + remainder_bits: the quotient is the number of its home slot, the remainder
// is what the slot holds.
struct QuotientGeometry {
  static constexpr Kind kKind = Kind::quotient;
  static constexpr std::array<const char*, 2> kFields = {"quotient_bits", "remainder_bits"};
  static constexpr std::uint32_t kMostBits = 56;             // of each: a remainder is read by one load of 8 bytes
  static constexpr std::uint32_t kMostFingerprintBits = 64;  // of both: a hash has no more
  static constexpr std::uint64_t kSlotsPerBlock = 64;
  static constexpr std::uint64_t kHeadBytes = 18;  // of a block: offset, occupied quotients, ends of runs

  std::uint32_t quotient_bits = 1;
  std::uint32_t remainder_bits = 1;

  std::array<std::uint64_t, 2> values() const { return {quotient_bits, remainder_bits}; }
  BLOOMERY_API static Result<QuotientGeometry> from_values(const std::array<std::uint64_t, 2>& values);
  // Returns the smallest filter that holds n keys and meets fpr.
  BLOOMERY_API static Result<QuotientGeometry> for_capacity(std::uint64_t n, double fpr);
  // Returns the longest fingerprints that fit in so many bits.
  BLOOMERY_API static Result<QuotientGeometry> for_bits_per_key(std::uint64_t n, double bits_per_key);

  std::uint32_t fingerprint_bits() const { return quotient_bits + remainder_bits; }
  std::uint64_t home_slots() const { return std::uint64_t{1} << quotient_bits; }
  // How many keys it takes, 95 % of the home slots; a key that is added twice counts twice. Beyond that runs grow long
  // and adds slow.
  std::uint64_t capacity() const { return home_slots() * 19 / 20; }
  // The blocks behind the home slots take what the last runs push beyond them; tools/quotient_tail.py says why so many.
  std::uint64_t blocks() const {
    if (quotient_bits <= 5) return 1;
    return (home_slots() / kSlotsPerBlock) + std::clamp(quotient_bits - 5, 2u, 10u) / 2;
  }
  std::uint64_t slots() const { return blocks() * kSlotsPerBlock; }
  std::uint64_t block_bytes() const { return kHeadBytes + 8 * std::uint64_t{remainder_bits}; }
  std::uint64_t payload_bytes() const { return blocks() * block_bytes() + 8; }
  std::uint64_t bits() const { return 8 * payload_bytes(); }
  std::uint64_t cells() const { return home_slots(); }

  // n is a number of different keys; a filter takes at most capacity() of them, so more count as that many.
  BLOOMERY_API double expected_fill(std::uint64_t n) const;
  BLOOMERY_API double predicted_fpr_after(std::uint64_t n) const;
  BLOOMERY_API double predicted_fpr_at(std::uint64_t slots_taken) const;
  // Returns the exact rate of a filter with so many different fingerprints.
  BLOOMERY_API double fpr_of_fingerprints(std::uint64_t different) const;
  std::optional<std::uint64_t> estimated_count(std::uint64_t slots_taken) const { return slots_taken; }

  friend bool operator==(const QuotientGeometry&, const QuotientGeometry&) = default;
};

}  // namespace BLOOMERY_NAMESPACE
