// The rate of a split or block filter by its own bits, counted block by block. Keys fall into blocks by chance, so the
// fill of a small filter does not tell how full the blocks are that most false positives come from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/detail/bits.h"
#include "bloomery/geometry/block.h"
#include "bloomery/geometry/split.h"

namespace BLOOMERY_NAMESPACE::detail {

// How many bits are set in each 32-bit half of a word. Without the instruction for it, which not every machine has.
inline std::uint64_t set_in_halves(std::uint64_t word) {
  word -= (word >> 1) & 0x5555555555555555;
  word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
  word += word >> 8;
  word += word >> 16;
  return word & 0x0000003f0000003f;
}

inline double rate_at_hand(std::span<const std::uint8_t> bytes, const SplitGeometry& geometry) {
  double products = 0;
  std::uint64_t set = 0;
  for (std::size_t block = 0; block < bytes.size(); block += SplitGeometry::kBlockBytes) {
    std::uint64_t product = 1, counts = 0;
    for (std::size_t at = block; at < block + SplitGeometry::kBlockBytes; at += 8) {
      const std::uint64_t halves = set_in_halves(load_le<std::uint64_t>(&bytes[at]));
      product *= (halves >> 32) * (halves & 0xffffffff);
      counts += halves;
    }
    products += static_cast<double>(product);
    set += (counts >> 32) + (counts & 0xffffffff);
  }
  return geometry.predicted_fpr_of(products, set);
}

inline double rate_at_hand(std::span<const std::uint8_t> bytes, const BlockGeometry& geometry) {
  std::array<std::uint64_t, BlockGeometry::kBitsPerBlock + 1> blocks_with{};
  for (std::size_t block = 0; block < bytes.size(); block += BlockGeometry::kBlockBytes) {
    std::uint64_t counts = 0;
    for (std::size_t at = block; at < block + BlockGeometry::kBlockBytes; at += 8)
      counts += set_in_halves(load_le<std::uint64_t>(&bytes[at]));
    ++blocks_with[(counts >> 32) + (counts & 0xffffffff)];
  }
  return geometry.predicted_fpr_of(blocks_with);
}

}  // namespace BLOOMERY_NAMESPACE::detail
