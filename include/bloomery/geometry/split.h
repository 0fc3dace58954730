// The sizes of split filters (spec/split.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "bloomery/export.h"
#include "bloomery/kind.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

// The number that fixes a split filter: 32-byte blocks of eight 32-bit words, one bit of each word per key
// (spec/split.md).
struct SplitGeometry {
  static constexpr Kind kKind = Kind::split;
  static constexpr std::array<const char*, 1> kFields = {"blocks"};
  static constexpr std::uint64_t kBlockBytes = 32;
  static constexpr std::uint64_t kMaxBlocks = std::uint64_t{1} << 28;  // above, 32 bits choose blocks unevenly
  static constexpr double kLowestFpr = 1e-5;
  static constexpr std::uint64_t kMaxParquetBytes = std::uint64_t{128} << 20;

  std::uint64_t blocks = 1;

  BLOOMERY_API static Result<SplitGeometry> make(std::uint64_t blocks);
  // Returns the fewest blocks that meet fpr for n keys.
  BLOOMERY_API static Result<SplitGeometry> for_capacity(std::uint64_t n, double fpr);
  BLOOMERY_API static Result<SplitGeometry> for_bits_per_key(std::uint64_t n, double bits_per_key);
  // Returns as many blocks as fit.
  BLOOMERY_API static Result<SplitGeometry> for_bytes(std::uint64_t bytes);

  // Every Parquet reader takes sizes that are powers of two from 32 bytes to 128 MiB (spec/parquet.md). for_parquet
  // returns the smallest of these that meets fpr for n keys, rounded_for_parquet the smallest that is at least this
  // one.
  BLOOMERY_API static Result<SplitGeometry> for_parquet(std::uint64_t n, double fpr);
  BLOOMERY_API Result<SplitGeometry> rounded_for_parquet() const;
  BLOOMERY_API bool fits_parquet() const;

  std::array<std::uint64_t, 1> values() const { return {blocks}; }
  static Result<SplitGeometry> from_values(const std::array<std::uint64_t, 1>& v) { return make(v[0]); }

  std::uint64_t bits() const { return 8 * payload_bytes(); }
  std::uint64_t cells() const { return bits(); }
  std::uint64_t payload_bytes() const { return blocks * kBlockBytes; }
  BLOOMERY_API double expected_fill(std::uint64_t n) const;
  BLOOMERY_API double predicted_fpr_after(std::uint64_t n) const;
  BLOOMERY_API double predicted_fpr_at(std::uint64_t bits_set) const;
  // The rate of a filter: `products` is the sum, over its blocks, of the product of the bits set in each word.
  BLOOMERY_API double predicted_fpr_of(double products, std::uint64_t bits_set) const;
  BLOOMERY_API std::optional<std::uint64_t> estimated_count(std::uint64_t bits_set) const;

  friend bool operator==(const SplitGeometry&, const SplitGeometry&) = default;
};

}  // namespace BLOOMERY_NAMESPACE
