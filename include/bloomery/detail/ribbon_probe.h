// One lookup of a ribbon filter: where the window of a key lies, and whether its equations hold (spec/ribbon.md). The
// unit is a group of 8 slots, a byte for each column of the solution; a key has a byte of coefficients for each of 8
// groups in a row.
#pragma once

#include <array>
#include <cstdint>

#include "bloomery/detail/bits.h"
#include "bloomery/detail/fnv.h"
#include "bloomery/detail/ribbon_geometry.h"
#include "bloomery/hash.h"

namespace bloomery::detail {

inline constexpr std::uint64_t kRibbonWindow = 8;    // groups
inline constexpr std::uint64_t kRibbonSlots = 8;     // of a group
inline constexpr std::uint64_t kRibbonBucket = 16;   // starts that share a code of two bits,
inline constexpr std::uint64_t kRibbonCutUnit = 64;  // and those that share a byte of codes
inline constexpr std::uint64_t kRibbonLeastCut = 256;
inline constexpr unsigned kRibbonSegmentShift = 13;  // starts of a segment, as a power of two
inline constexpr std::uint64_t kRibbonPadding = 8;   // bytes at the end, so that each load of 8 is inside
inline constexpr std::uint64_t kRibbonOnes = 0x0101010101010101;

// By the code of a bucket: how many of its starts, from the first, hold no keys of this layer.
inline std::uint64_t ribbon_bumped_starts(std::uint64_t code) { return (0x10040200u >> (8 * code)) & 0xff; }

inline std::uint64_t ribbon_place(Hash hash, std::uint64_t seed) {
  return seed == 0 ? hash.bits : splitmix64(hash.bits ^ splitmix64(seed));
}

// The bits a fingerprint is made of: column i has bit 8 * (i % 8) + i / 8. Both halves of the product: a fingerprint
// that is a sum of coefficients would be right of every key, and the lowest bit of the lower half is one.
inline std::uint64_t ribbon_fingerprint(std::uint64_t coefficients) {
  const Uint128 product = static_cast<Uint128>(coefficients) * 0x9fb21c651e98df25;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Where the parts of a layer lie, from its first byte: the codes, the groups below the cut, the others.
struct RibbonLayer {
  std::uint64_t starts = 0;
  std::uint64_t cut = 0;   // starts below it have one column less
  std::uint64_t high = 0;  // where the groups from the cut on would begin if all had as many columns as they

  RibbonLayer() = default;
  RibbonLayer(std::uint64_t starts_in_layer, std::uint32_t columns, std::uint32_t low_share) : starts(starts_in_layer) {
    if (starts >= kRibbonLeastCut) cut = starts * low_share / RibbonGeometry::kShares / kRibbonCutUnit * kRibbonCutUnit;
    high = codes_bytes();
    if (cut > 0) high += (group(cut) + kRibbonWindow - 1) * (columns - 1) - group(cut) * columns;
  }

  std::uint64_t codes_bytes() const { return (starts + kRibbonCutUnit - 1) / kRibbonCutUnit; }
  // The number of the group a start is. Every segment ends in groups where no key starts.
  static std::uint64_t group(std::uint64_t start) {
    return start + (kRibbonWindow - 1) * (start >> kRibbonSegmentShift);
  }
  std::uint64_t bytes(std::uint32_t columns) const {
    return starts == 0 ? 0 : high + (group(starts - 1) + kRibbonWindow) * columns;
  }
  std::uint64_t slots() const {
    if (starts == 0) return 0;
    return kRibbonSlots * (group(starts - 1) + kRibbonWindow + (cut > 0 ? kRibbonWindow - 1 : 0));
  }

  std::uint64_t start_of(std::uint64_t place) const { return mulhi64(place, starts); }
  std::uint32_t columns_at(std::uint64_t start, std::uint32_t columns) const { return columns - is_low(start); }
  std::uint64_t offset(std::uint64_t start, std::uint32_t columns_there) const {
    // By a mask: which side of the cut a key is on cannot be foretold, and a wrong guess costs more than all of this.
    const std::uint64_t side = std::uint64_t{0} - is_low(start);
    return high + ((codes_bytes() - high) & side) + group(start) * columns_there;
  }
  std::uint32_t is_low(std::uint64_t start) const { return start < cut ? 1 : 0; }
  bool bumped(const std::uint8_t* layer, std::uint64_t start) const {
    const std::uint64_t bucket = start / kRibbonBucket;
    const std::uint64_t code = (layer[bucket / 4] >> (2 * (bucket % 4))) & 3;
    return start % kRibbonBucket < ribbon_bumped_starts(code);
  }
};

// All layers of a filter, where each begins, and where the list behind them does.
struct RibbonMap {
  std::array<RibbonLayer, RibbonGeometry::kLayers> layers;
  std::array<std::uint64_t, RibbonGeometry::kLayers> offsets{};
  std::uint64_t list = 0;

  explicit RibbonMap(const RibbonGeometry& geometry) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      layers[i] = RibbonLayer(geometry.starts_of(i), geometry.columns, geometry.low_share);
      offsets[i] = list;
      list += layers[i].bytes(geometry.columns);
    }
  }
};

// Of up to 8 columns: bit 0 of each byte is the sum, in GF(2), of the slots that the coefficients choose.
template <class Load>
inline std::uint64_t ribbon_sums(std::uint64_t coefficients, std::uint64_t sums, Load load) {
  for (std::uint64_t k = 0; k < kRibbonWindow; ++k)
    sums ^= load(k) & (((coefficients >> (8 * k)) & 0xff) * kRibbonOnes);
  sums ^= sums >> 4;
  sums ^= sums >> 2;
  sums ^= sums >> 1;
  return sums & kRibbonOnes;
}

// Where to look for a key. With 0 columns not here: its coefficients are its place in the layer behind.
struct RibbonWindow {
  const std::uint8_t* from = nullptr;
  std::uint64_t coefficients = 0;
  std::uint32_t columns = 0;
};

// Of a key with this place in the layer that lies at `layer`.
inline RibbonWindow ribbon_window(const std::uint8_t* layer, const RibbonLayer& shape, std::uint32_t columns,
                                  std::uint64_t place) {
  const std::uint64_t start = shape.start_of(place);
  RibbonWindow window{layer, splitmix64(place), 0};
  if (shape.starts == 0 || shape.bumped(layer, start)) return window;
  window.columns = shape.columns_at(start, columns);
  window.from += shape.offset(start, window.columns);
  return window;
}

// The sums of the columns from 8 * word on, with the fingerprint: 0 where an equation holds.
inline std::uint64_t ribbon_misses(const RibbonWindow& window, std::uint64_t fingerprint, std::uint32_t word) {
  const std::uint8_t* from = window.from + 8 * word;
  return ribbon_sums(window.coefficients, (fingerprint >> word) & kRibbonOnes,
                     [&](std::uint64_t k) { return load_le<std::uint64_t>(from + k * window.columns); });
}

// Whether the equations of the columns from the ninth on hold. Not inline, which keeps the code of the first eight
// short.
BLOOMERY_API bool ribbon_matches_more(const RibbonWindow& window, std::uint64_t fingerprint);

// Whether all equations of the key hold there. Most absent keys miss one of the first eight.
inline bool ribbon_matches(const RibbonWindow& window) {
  const std::uint64_t fingerprint = ribbon_fingerprint(window.coefficients);
  const std::uint64_t misses = ribbon_misses(window, fingerprint, 0);
  if (window.columns <= 8) return misses << (64 - 8 * window.columns) == 0;
  return misses == 0 && ribbon_matches_more(window, fingerprint);
}

// Whether the place is one of so many, which lie there in order.
inline bool ribbon_lists(const std::uint8_t* from, std::uint64_t count, std::uint64_t place) {
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

}  // namespace bloomery::detail
