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
  static constexpr std::uint64_t kMaxBlocks = std::uint64_t{1} << 56;  // their bytes fit in 64 bits
  static constexpr std::uint32_t kMaxK = 16;
  static constexpr double kLowestFpr = 5e-8;

  std::uint64_t blocks = 1;
  std::uint32_t k = 1;

  BLOOMERY_API static Result<BlockGeometry> make(std::uint64_t blocks, std::uint64_t k);
  // Returns the fewest blocks that meet fpr for n keys, and their k.
  BLOOMERY_API static Result<BlockGeometry> for_capacity(std::uint64_t n, double fpr);
  // Returns the blocks of so many bits, and the k that gives them the lowest rate.
  BLOOMERY_API static Result<BlockGeometry> for_bits_per_key(std::uint64_t n, double bits_per_key);
  // Returns as many blocks as fit, and the k that gives n keys the lowest rate.
  BLOOMERY_API static Result<BlockGeometry> for_bytes(std::uint64_t bytes, std::uint64_t n);

  std::array<std::uint64_t, 2> values() const { return {blocks, k}; }
  static Result<BlockGeometry> from_values(const std::array<std::uint64_t, 2>& v) { return make(v[0], v[1]); }

  std::uint64_t bits() const { return 8 * payload_bytes(); }
  std::uint64_t cells() const { return bits(); }
  std::uint64_t payload_bytes() const { return blocks * kBlockBytes; }
  BLOOMERY_API double expected_fill(std::uint64_t n) const;
  BLOOMERY_API double predicted_fpr_after(std::uint64_t n) const;
  BLOOMERY_API double predicted_fpr_at(std::uint64_t bits_set) const;
  // The rate of a filter in which blocks_with[c] blocks have c bits set.
  BLOOMERY_API double predicted_fpr_of(std::span<const std::uint64_t, kBitsPerBlock + 1> blocks_with) const;
  BLOOMERY_API std::optional<std::uint64_t> estimated_count(std::uint64_t bits_set) const;

  friend bool operator==(const BlockGeometry&, const BlockGeometry&) = default;
};

}  // namespace BLOOMERY_NAMESPACE
