// The geometry of counting filters, and their sizing: that of classic, with counters in the place of bits
// (spec/counting.md). Used by bloomery/counting.h and the registry of kinds.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/export.h"
#include "bloomery/geometry/classic.h"
#include "bloomery/kind.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

struct CountingGeometry {
  static constexpr Kind kKind = Kind::counting;
  static constexpr std::array<const char*, 3> kFields = {"m", "k", "counter_bits"};
  static constexpr const char* kChoice = "counter_bits";          // the number that a rate leaves open
  static constexpr std::uint64_t kMaxM = std::uint64_t{1} << 58;  // the bits of either width fit in 64 bits

  std::uint64_t m = 1;             // counters
  std::uint32_t k = 1;             // indexes per key
  std::uint32_t counter_bits = 4;  // 4 or 32

  // Refuses m = 0 and above 2^58, k = 0 and above 30, and widths other than 4 and 32.
  BLOOMERY_API static Result<CountingGeometry> make(std::uint64_t m, std::uint64_t k, std::uint64_t counter_bits = 4);
  // Returns the m and k of classic. Refuses what classic refuses.
  BLOOMERY_API static Result<CountingGeometry> for_capacity(std::uint64_t n, double fpr,
                                                            std::uint64_t counter_bits = 4);
  // The bits are bits of memory: 16 bits per key are four counters of four bits per key.
  BLOOMERY_API static Result<CountingGeometry> for_bits_per_key(std::uint64_t n, double bits_per_key,
                                                                std::uint64_t counter_bits = 4);

  std::array<std::uint64_t, 3> values() const { return {m, k, counter_bits}; }
  static Result<CountingGeometry> from_values(const std::array<std::uint64_t, 3>& v) { return make(v[0], v[1], v[2]); }

  // Returns the geometry of the classic filter whose bit i is set where counter i is not 0.
  ClassicGeometry classic() const { return {m, k}; }
  std::uint64_t bits() const { return m * counter_bits; }
  std::uint64_t cells() const { return m; }
  std::uint64_t payload_bytes() const { return detail::bytes_for_bits(bits()); }

  // n counts the keys that are in; removed keys leave no trace.
  double expected_fill(std::uint64_t n) const { return classic().expected_fill(n); }
  double predicted_fpr_after(std::uint64_t n) const { return classic().predicted_fpr_after(n); }
  double predicted_fpr_at(std::uint64_t counters_set) const { return classic().predicted_fpr_at(counters_set); }
  // Estimates the number of different keys; nothing when no counter is 0.
  std::optional<std::uint64_t> estimated_count(std::uint64_t counters_set) const {
    return classic().estimated_count(counters_set);
  }

  friend bool operator==(const CountingGeometry&, const CountingGeometry&) = default;
};

// A geometry, and the rate that it will have.
struct CountingPlan {
  CountingGeometry geometry;
  double predicted_fpr = 0;
  std::string warning;  // not empty when predicted_fpr exceeds 1.1 times the target
};

// Sizes for n keys at fpr, with the warnings and refusals of plan_classic.
BLOOMERY_API Result<CountingPlan> plan_counting(std::uint64_t n, double fpr, std::uint64_t counter_bits = 4);

}  // namespace BLOOMERY_NAMESPACE
