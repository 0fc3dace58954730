// One lookup of a ribbon filter: where the window of a key lies, and whether its equations hold (spec/ribbon.md). A key
// has a byte of coefficients for each of the 8 groups of its window.
#pragma once

#include <array>
#include <cstdint>

#include "bloomery/detail/bits.h"
#include "bloomery/detail/fnv.h"
#include "bloomery/detail/ribbon_layer.h"
#include "bloomery/export.h"
#include "bloomery/hash.h"

namespace BLOOMERY_NAMESPACE::detail {

// A 1 for each of the 8 columns of a word.
inline constexpr std::uint64_t kRibbonOnes = 0x0101010101010101;
// Every byte eight times. It is a table because the multiplier is busier than the load ports.
inline constexpr std::array<std::uint64_t, 256> kRibbonRepeated = [] {
  std::array<std::uint64_t, 256> repeated{};
  for (std::uint64_t byte = 0; byte < repeated.size(); ++byte) repeated[byte] = byte * kRibbonOnes;
  return repeated;
}();

BLOOMERY_PER_ISA inline std::uint64_t ribbon_place(Hash hash, std::uint64_t seed) {
  return seed == 0 ? hash.bits : splitmix64(hash.bits ^ splitmix64(seed));
}

// The bits a fingerprint is made of: column i has bit 8 * (i % 8) + i / 8. Both halves of the product: a fingerprint
// that is a sum of coefficients would be right of every key, and the lowest bit of the lower half is one.
BLOOMERY_PER_ISA inline std::uint64_t ribbon_fingerprint(std::uint64_t coefficients) {
  const Uint128 product = static_cast<Uint128>(coefficients) * 0x9fb21c651e98df25;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Returns the sums of up to 8 columns: bit 0 of each byte is the sum, in GF(2), of the slots that the coefficients
// choose.
template <class Load, unsigned kIsa = kCompiledFor>
inline std::uint64_t ribbon_sums(std::uint64_t coefficients, std::uint64_t sums, Load load) {
  for (std::uint64_t k = 0; k < kRibbonWindow; ++k) sums ^= load(k) & kRibbonRepeated[(coefficients >> (8 * k)) & 0xff];
  sums ^= sums >> 4;
  sums ^= sums >> 2;
  sums ^= sums >> 1;
  return sums & kRibbonOnes;
}

// Where to look for a key. 0 columns mean that this layer does not hold it; its coefficients are then its place in the
// next layer.
struct RibbonWindow {
  const std::uint8_t* from = nullptr;
  std::uint64_t coefficients = 0;
  std::uint32_t columns = 0;
};

// Returns the window of a key with this place in the layer that lies at `layer`.
BLOOMERY_PER_ISA inline RibbonWindow ribbon_window(const std::uint8_t* layer, const RibbonLayer& shape,
                                                   std::uint32_t columns, std::uint64_t place) {
  const std::uint64_t start = shape.start_of(place);
  RibbonWindow window{layer, splitmix64(place), 0};
  if (shape.starts == 0 || shape.bumped(layer, start)) return window;
  window.columns = shape.columns_at(start, columns);
  window.from += shape.offset(start, window.columns);
  return window;
}

// The sums of the columns from 8 * word on, with the fingerprint: 0 where an equation holds.
BLOOMERY_PER_ISA inline std::uint64_t ribbon_misses(const RibbonWindow& window, std::uint64_t fingerprint,
                                                    std::uint32_t word) {
  const std::uint8_t* from = window.from + std::size_t{8} * word;
  return ribbon_sums(window.coefficients, (fingerprint >> word) & kRibbonOnes,
                     [&](std::uint64_t k) { return load_le<std::uint64_t>(from + k * window.columns); });
}

// Whether the equations of the columns from the ninth on hold. Not inline, which keeps the code of the first eight
// short.
BLOOMERY_API bool ribbon_matches_more(const RibbonWindow& window, std::uint64_t fingerprint);

// Whether all equations of the key hold there. Most absent keys miss one of the first eight.
BLOOMERY_PER_ISA inline bool ribbon_matches(const RibbonWindow& window) {
  const std::uint64_t fingerprint = ribbon_fingerprint(window.coefficients);
  const std::uint64_t misses = ribbon_misses(window, fingerprint, 0);
  if (window.columns <= 8) return misses << (64 - 8 * window.columns) == 0;
  return misses == 0 && ribbon_matches_more(window, fingerprint);
}

// Returns whether `place` is one of the `count` places that lie at `from` in ascending order.
BLOOMERY_PER_ISA inline bool ribbon_lists(const std::uint8_t* from, std::uint64_t count, std::uint64_t place) {
  while (count > 0) {
    const std::uint64_t middle = load_le<std::uint64_t>(from + count / 2 * 8);
    if (middle == place) return true;
    if (middle < place) {
      from += (count / 2 + 1) * 8;
      count -= count / 2 + 1;
    } else {
      count /= 2;
    }
  }
  return false;
}

}  // namespace BLOOMERY_NAMESPACE::detail
