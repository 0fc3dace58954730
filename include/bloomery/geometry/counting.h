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
  static constexpr const char* kChoice = "counter_bits";          // what a rate leaves open
  static constexpr std::uint64_t kMaxM = std::uint64_t{1} << 58;  // 64 bits then count the bits of either width

  std::uint64_t m = 1;             // counters
  std::uint32_t k = 1;             // indexes per key
  std::uint32_t counter_bits = 4;  // 4 or 32

  // Refuses m = 0 and above 2^58, k = 0 and above 30, and widths other than 4 and 32.
  BLOOMERY_API static Result<CountingGeometry> make(std::uint64_t m, std::uint64_t k, std::uint64_t counter_bits = 4);
  // The m and k of classic. Refuses what that refuses.
  BLOOMERY_API static Result<CountingGeometry> for_capacity(std::uint64_t n, double fpr,
                                                            std::uint64_t counter_bits = 4);
  // The bits are those of memory: a counter of four is one quarter of 16 bits per key.
  BLOOMERY_API static Result<CountingGeometry> for_bits_per_key(std::uint64_t n, double bits_per_key,
                                                                std::uint64_t counter_bits = 4);

  std::array<std::uint64_t, 3> values() const { return {m, k, counter_bits}; }
  static Result<CountingGeometry> from_values(const std::array<std::uint64_t, 3>& v) { return make(v[0], v[1], v[2]); }

  // The classic filter whose bit i is set where counter i is not 0.
  ClassicGeometry classic() const { return {m, k}; }
  std::uint64_t bits() const { return m * counter_bits; }
  std::uint64_t cells() const { return m; }
  std::uint64_t payload_bytes() const { return detail::bytes_for_bits(bits()); }

  // Of the keys that are in: those removed leave no trace.
  double expected_fill(std::uint64_t n) const { return classic().expected_fill(n); }
  double predicted_fpr_after(std::uint64_t n) const { return classic().predicted_fpr_after(n); }
  double predicted_fpr_at(std::uint64_t counters_set) const { return classic().predicted_fpr_at(counters_set); }
  // Of different keys; nothing when no counter is 0.
  std::optional<std::uint64_t> estimated_count(std::uint64_t counters_set) const {
    return classic().estimated_count(counters_set);
  }

  friend bool operator==(const CountingGeometry&, const CountingGeometry&) = default;
};

// A geometry together with what it will really do.
struct CountingPlan {
  CountingGeometry geometry;
  double predicted_fpr = 0;
  std::string warning;  // not empty when predicted_fpr exceeds 1.1 times the target
};

// Sizes for n keys at fpr, with the warnings and refusals of plan_classic.
BLOOMERY_API Result<CountingPlan> plan_counting(std::uint64_t n, double fpr, std::uint64_t counter_bits = 4);

}  // namespace BLOOMERY_NAMESPACE
