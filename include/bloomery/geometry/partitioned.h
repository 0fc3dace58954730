// The two numbers that fix a partitioned filter (spec/partitioned.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "bloomery/detail/bits.h"
#include "bloomery/export.h"
#include "bloomery/kind.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

struct PartitionedGeometry {
  static constexpr Kind kKind = Kind::partitioned;
  static constexpr std::array<const char*, 2> kFields = {"slice_bits", "k"};
  static constexpr std::uint32_t kMaxK = 30;
  static constexpr std::uint64_t kMaxSliceBits = std::uint64_t{1} << 58;  // the bits of 30 slices fit in 64 bits

  std::uint64_t slice_bits = 1;
  std::uint32_t k = 1;  // slices, one bit of each per key

  BLOOMERY_API static Result<PartitionedGeometry> make(std::uint64_t slice_bits, std::uint64_t k);
  // Returns the fewest bits that meet fpr for n keys, and their k. Refuses n = 0, an fpr outside (0, 1), and one below
  // n / 2^64.
  BLOOMERY_API static Result<PartitionedGeometry> for_capacity(std::uint64_t n, double fpr);
  // Returns slices of so many bits, with the k that gives them the lowest rate.
  BLOOMERY_API static Result<PartitionedGeometry> for_bits_per_key(std::uint64_t n, double bits_per_key);

  std::array<std::uint64_t, 2> values() const { return {slice_bits, k}; }
  static Result<PartitionedGeometry> from_values(const std::array<std::uint64_t, 2>& v) { return make(v[0], v[1]); }

  std::uint64_t bits() const { return slice_bits * k; }
  std::uint64_t cells() const { return bits(); }
  std::uint64_t payload_bytes() const { return detail::bytes_for_bits(bits()); }

  BLOOMERY_API double expected_fill(std::uint64_t n) const;
  BLOOMERY_API double predicted_fpr_after(std::uint64_t n) const;
  BLOOMERY_API double predicted_fpr_at(std::uint64_t bits_set) const;
  BLOOMERY_API std::optional<std::uint64_t> estimated_count(std::uint64_t bits_set) const;

  friend bool operator==(const PartitionedGeometry&, const PartitionedGeometry&) = default;
};

}  // namespace BLOOMERY_NAMESPACE
