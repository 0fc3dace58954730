// The sizes of classic filters: from a number of keys and a rate to a geometry, and the rate of that geometry. The
// formulas are those of spec/sizing.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/detail/bits.h"
#include "bloomery/export.h"
#include "bloomery/kind.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

// The two integers that fix a classic filter. Sizing or a caller chooses them, the file stores them, and no reader
// computes them again.
struct ClassicGeometry {
  static constexpr Kind kKind = Kind::classic;
  static constexpr std::array<const char*, 2> kFields = {"m", "k"};
  static constexpr std::uint32_t kMaxK = 30;

  std::uint64_t m = 1;  // bits
  std::uint32_t k = 1;  // indexes per key

  // Refuses m = 0, k = 0 and k > 30.
  BLOOMERY_API static Result<ClassicGeometry> make(std::uint64_t m, std::uint64_t k);
  // Returns the m and k of spec/sizing.md. Refuses n = 0, an fpr outside (0, 1), and one below n / 2^64.
  BLOOMERY_API static Result<ClassicGeometry> for_capacity(std::uint64_t n, double fpr);
  BLOOMERY_API static Result<ClassicGeometry> for_bits_per_key(std::uint64_t n, double bits_per_key);

  // The numbers of kFields, in that order: the geometry words of a file.
  std::array<std::uint64_t, 2> values() const { return {m, k}; }
  static Result<ClassicGeometry> from_values(const std::array<std::uint64_t, 2>& v) { return make(v[0], v[1]); }

  std::uint64_t bits() const { return m; }
  std::uint64_t cells() const { return m; }  // what fill is a share of
  std::uint64_t payload_bytes() const { return detail::bytes_for_bits(m); }

  BLOOMERY_API double expected_fill(std::uint64_t n) const;
  BLOOMERY_API double predicted_fpr_after(std::uint64_t n) const;
  // The rate of a filter with that many bits set. It is an estimate; View::predicted_fpr is exact for m <= 1024.
  BLOOMERY_API double predicted_fpr_at(std::uint64_t bits_set) const;
  // Swamidass and Baldi's estimate; nothing when all bits are set.
  BLOOMERY_API std::optional<std::uint64_t> estimated_count(std::uint64_t bits_set) const;

  friend bool operator==(const ClassicGeometry&, const ClassicGeometry&) = default;
};

// A geometry, and the rate that it will have.
struct ClassicPlan {
  ClassicGeometry geometry;
  double predicted_fpr = 0;
  std::string warning;  // not empty when predicted_fpr exceeds 1.1 times the target
};

// Sizes for n keys at fpr. Refuses what for_capacity refuses, and a filter above 2^32 bits that would miss its target
// by more than 10 % because its two hashes of 32 bits crowd the low bits.
BLOOMERY_API Result<ClassicPlan> plan_classic(std::uint64_t n, double fpr);

}  // namespace BLOOMERY_NAMESPACE
