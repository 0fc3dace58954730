// The numbers that fix a stable filter (spec/stable.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "bloomery/export.h"
#include "bloomery/kind.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

struct StableGeometry {
  static constexpr Kind kKind = Kind::stable;
  static constexpr std::array<const char*, 3> kFields = {"lines", "k", "decrement"};
  static constexpr std::uint64_t kLineBytes = 64, kHeaderBytes = 64;
  static constexpr std::uint64_t kCellsPerLine = 256;  // of two bits
  static constexpr std::uint32_t kMaxK = 16, kMaxDecrement = 256;
  static constexpr std::uint64_t kMaxLines = std::uint64_t{1} << 54;  // their bits fit in 64 bits
  static constexpr double kLowestFpr = 1e-6;

  std::uint64_t lines = 1;
  std::uint32_t k = 1;          // cells per key, in one line
  std::uint32_t decrement = 1;  // cells that each add makes older

  std::array<std::uint64_t, 3> values() const { return {lines, k, decrement}; }
  BLOOMERY_API static Result<StableGeometry> from_values(const std::array<std::uint64_t, 3>& values);
  // Returns a filter that finds every key for at least n further adds, and whose rate settles at fpr or below.
  BLOOMERY_API static Result<StableGeometry> for_capacity(std::uint64_t n, double fpr);
  // Returns the filter with the lowest rate of so many whole bits per remembered key, 1 to 256.
  BLOOMERY_API static Result<StableGeometry> for_bits_per_key(std::uint64_t n, double bits_per_key);

  std::uint64_t cells() const { return kCellsPerLine * lines; }
  std::uint64_t bits() const { return 8 * kLineBytes * lines; }
  std::uint64_t payload_bytes() const { return kHeaderBytes + kLineBytes * lines; }

  // For how many further adds a key is found for certain. After half as many more it is forgotten.
  std::uint64_t remembered_adds() const { return 2 * cells() / decrement; }
  // Returns the probability that a key is found after so many further adds of other keys.
  BLOOMERY_API double found_after(std::uint64_t further_adds) const;

  // These are for n adds of distinct keys to an empty filter; from 1.5 times remembered_adds() on they are the plateau.
  BLOOMERY_API double expected_fill(std::uint64_t n) const;
  BLOOMERY_API double predicted_fpr_after(std::uint64_t n) const;
  double plateau_fpr() const { return predicted_fpr_after(~std::uint64_t{0}); }
  BLOOMERY_API double predicted_fpr_at(std::uint64_t cells_set) const;
  // Returns the exact rate: lines_with[c] lines have c cells that are not 0.
  BLOOMERY_API double predicted_fpr_of(std::span<const std::uint64_t, kCellsPerLine + 1> lines_with) const;
  // Returns nothing: forgotten keys leave no trace.
  std::optional<std::uint64_t> estimated_count(std::uint64_t) const { return std::nullopt; }

  friend bool operator==(const StableGeometry&, const StableGeometry&) = default;
};

}  // namespace BLOOMERY_NAMESPACE
