// The sizes of block filters (spec/block.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "bloomery/export.h"
#include "bloomery/kind.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

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

}  // namespace BLOOMERY_NAMESPACE
