// From (number of keys, false-positive rate) to the geometry of a filter, and back: what a geometry will do at any
// fill. The formulas are those of spec/sizing.md; this is the only place with floating point.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "bloomery/detail/bits.h"
#include "bloomery/export.h"
#include "bloomery/kind.h"
#include "bloomery/result.h"

namespace bloomery {

// The two integers that fix a classic filter. Made by sizing or by hand, stored in the file, never recomputed by a
// reader.
struct ClassicGeometry {
  static constexpr Kind kKind = Kind::classic;
  static constexpr std::array<const char*, 2> kFields = {"m", "k"};
  static constexpr std::uint32_t kMaxK = 30;

  std::uint64_t m = 1;  // bits
  std::uint32_t k = 1;  // indexes per key

  // Refuses m = 0, k = 0 and k > 30.
  BLOOMERY_API static Result<ClassicGeometry> make(std::uint64_t m, std::uint64_t k);
  // The m and k of spec/sizing.md. Refuses n = 0, an fpr outside (0, 1), and one below n / 2^64.
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
  // Of a filter with that many bits set; for m <= 1024 View::predicted_fpr is exact, this an estimate.
  BLOOMERY_API double predicted_fpr_at(std::uint64_t bits_set) const;
  // Swamidass and Baldi's estimate; nothing when all bits are set.
  BLOOMERY_API std::optional<std::uint64_t> estimated_count(std::uint64_t bits_set) const;

  friend bool operator==(const ClassicGeometry&, const ClassicGeometry&) = default;
};

// A geometry together with what it will really do.
struct ClassicPlan {
  ClassicGeometry geometry;
  double predicted_fpr = 0;
  std::string warning;  // not empty when predicted_fpr exceeds 1.1 times the target
};

// Sizes for n keys at fpr. Refuses what for_capacity refuses, and a filter above 2^32 bits that would miss its target
// by more than 10 % because its two 32-bit half hashes crowd the low bits.
BLOOMERY_API Result<ClassicPlan> plan_classic(std::uint64_t n, double fpr);

// The number that fixes a split filter: 32-byte blocks of eight 32-bit words, one bit of each word per key
// (spec/split.md).
struct SplitGeometry {
  static constexpr Kind kKind = Kind::split;
  static constexpr std::array<const char*, 1> kFields = {"blocks"};
  static constexpr std::uint64_t kBlockBytes = 32;
  static constexpr std::uint64_t kMaxBlocks = std::uint64_t{1} << 28;  // the 32-bit block index drifts above
  static constexpr double kLowestFpr = 1e-5;
  static constexpr std::uint64_t kMaxParquetBytes = std::uint64_t{128} << 20;

  std::uint64_t blocks = 1;

  BLOOMERY_API static Result<SplitGeometry> make(std::uint64_t blocks);
  // The fewest blocks that meet fpr for n keys.
  BLOOMERY_API static Result<SplitGeometry> for_capacity(std::uint64_t n, double fpr);
  BLOOMERY_API static Result<SplitGeometry> for_bits_per_key(std::uint64_t n, double bits_per_key);
  // As many blocks as fit.
  BLOOMERY_API static Result<SplitGeometry> for_bytes(std::uint64_t bytes);

  // The sizes that every Parquet reader takes are powers of two from 32 bytes to 128 MiB (spec/parquet.md): the
  // smallest that meets fpr for n keys, and the smallest that is not smaller than this one.
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
  // Of a filter at hand: `products` is the sum over its blocks of the product of the bits set in each word.
  BLOOMERY_API double predicted_fpr_of(double products, std::uint64_t bits_set) const;
  BLOOMERY_API std::optional<std::uint64_t> estimated_count(std::uint64_t bits_set) const;

  friend bool operator==(const SplitGeometry&, const SplitGeometry&) = default;
};

// The two numbers that fix a block filter: 64-byte blocks, k bits anywhere in one of them per key (spec/block.md).
struct BlockGeometry {
  static constexpr Kind kKind = Kind::block;
  static constexpr std::array<const char*, 2> kFields = {"blocks", "k"};
  static constexpr std::uint64_t kBlockBytes = 64;
  static constexpr std::size_t kBitsPerBlock = 8 * kBlockBytes;
  static constexpr std::uint64_t kMaxBlocks = std::uint64_t{1} << 56;  // of bytes that 64 bits can count
  static constexpr std::uint32_t kMaxK = 16;
  static constexpr double kLowestFpr = 5e-8;

  std::uint64_t blocks = 1;
  std::uint32_t k = 1;

  BLOOMERY_API static Result<BlockGeometry> make(std::uint64_t blocks, std::uint64_t k);
  // The fewest blocks that meet fpr for n keys, with the k that needs them.
  BLOOMERY_API static Result<BlockGeometry> for_capacity(std::uint64_t n, double fpr);
  // The k that makes the most of so many bits.
  BLOOMERY_API static Result<BlockGeometry> for_bits_per_key(std::uint64_t n, double bits_per_key);
  // As many blocks as fit, and the k that makes the most of them for n keys.
  BLOOMERY_API static Result<BlockGeometry> for_bytes(std::uint64_t bytes, std::uint64_t n);

  std::array<std::uint64_t, 2> values() const { return {blocks, k}; }
  static Result<BlockGeometry> from_values(const std::array<std::uint64_t, 2>& v) { return make(v[0], v[1]); }

  std::uint64_t bits() const { return 8 * payload_bytes(); }
  std::uint64_t cells() const { return bits(); }
  std::uint64_t payload_bytes() const { return blocks * kBlockBytes; }
  BLOOMERY_API double expected_fill(std::uint64_t n) const;
  BLOOMERY_API double predicted_fpr_after(std::uint64_t n) const;
  BLOOMERY_API double predicted_fpr_at(std::uint64_t bits_set) const;
  // Of a filter at hand, of whose blocks blocks_with[c] have c bits set.
  BLOOMERY_API double predicted_fpr_of(std::span<const std::uint64_t, kBitsPerBlock + 1> blocks_with) const;
  BLOOMERY_API std::optional<std::uint64_t> estimated_count(std::uint64_t bits_set) const;

  friend bool operator==(const BlockGeometry&, const BlockGeometry&) = default;
};

// log2(1 / fpr): fewer bits a key no filter of that rate takes, whatever it is made of; 0 from a rate of 1 on.
BLOOMERY_API double least_bits_per_key(double fpr);

// A rate estimated from hits in a sample, with Wilson's 95 % interval.
struct SampledRate {
  double rate, low, high;
};
BLOOMERY_API SampledRate sampled_rate(std::uint64_t hits, std::uint64_t samples);

}  // namespace bloomery
