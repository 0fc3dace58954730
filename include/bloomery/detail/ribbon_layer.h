// Where everything lies in a ribbon filter (spec/ribbon.md). The unit is a group of 8 slots, a byte for each column of
// the solution; the window of a key is 8 groups in a row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bloomery/detail/bits.h"
#include "bloomery/detail/compiled_for.h"
#include "bloomery/geometry/ribbon.h"

namespace BLOOMERY_NAMESPACE::detail {

inline constexpr std::uint64_t kRibbonWindow = 8;    // groups
inline constexpr std::uint64_t kRibbonSlots = 8;     // of a group
inline constexpr std::uint64_t kRibbonBucket = 16;   // starts that share a code of two bits,
inline constexpr std::uint64_t kRibbonCutUnit = 64;  // and those that share a byte of codes
inline constexpr std::uint64_t kRibbonLeastCut = 256;
inline constexpr unsigned kRibbonSegmentShift = 13;  // starts of a segment, as a power of two
inline constexpr std::uint64_t kRibbonPadding = 8;   // bytes at the end, so that each load of 8 is inside

// By the code of a bucket: how many of its starts, from the first, hold no keys of this layer.
BLOOMERY_PER_ISA inline std::uint64_t ribbon_bumped_starts(std::uint64_t code) {
  return (0x10050200u >> (8 * code)) & 0xff;
}

// Where the parts of a layer lie, from its first byte: the codes, the groups below the cut, the others.
struct RibbonLayer {
  std::uint64_t starts = 0;
  std::uint64_t cut = 0;   // starts below it have one column less
  std::uint64_t high = 0;  // where the groups from the cut on would begin if all had as many columns as they

  RibbonLayer() = default;
  BLOOMERY_PER_ISA RibbonLayer(std::uint64_t starts_in_layer, std::uint32_t columns, std::uint32_t low_share)
      : starts(starts_in_layer) {
    if (starts >= kRibbonLeastCut) cut = starts * low_share / RibbonGeometry::kShares / kRibbonCutUnit * kRibbonCutUnit;
    high = codes_bytes();
    if (cut > 0) high += (group(cut) + kRibbonWindow - 1) * (columns - 1) - group(cut) * columns;
  }

  BLOOMERY_PER_ISA std::uint64_t codes_bytes() const { return (starts + kRibbonCutUnit - 1) / kRibbonCutUnit; }
  // The number of the group a start is. Every segment ends in groups where no key starts.
  BLOOMERY_PER_ISA static std::uint64_t group(std::uint64_t start) {
    return start + (kRibbonWindow - 1) * (start >> kRibbonSegmentShift);
  }
  BLOOMERY_PER_ISA std::uint64_t bytes(std::uint32_t columns) const {
    return starts == 0 ? 0 : high + (group(starts - 1) + kRibbonWindow) * columns;
  }
  BLOOMERY_PER_ISA std::uint64_t slots() const {
    if (starts == 0) return 0;
    return kRibbonSlots * (group(starts - 1) + kRibbonWindow + (cut > 0 ? kRibbonWindow - 1 : 0));
  }

  BLOOMERY_PER_ISA std::uint64_t start_of(std::uint64_t place) const { return mulhi64(place, starts); }
  BLOOMERY_PER_ISA std::uint32_t columns_at(std::uint64_t start, std::uint32_t columns) const {
    return columns - is_low(start);
  }
  BLOOMERY_PER_ISA std::uint64_t offset(std::uint64_t start, std::uint32_t columns_there) const {
    // By a mask: which side of the cut a key is on cannot be foretold, and a wrong guess costs more than all of this.
    const std::uint64_t side = std::uint64_t{0} - is_low(start);
    return high + ((codes_bytes() - high) & side) + group(start) * columns_there;
  }
  BLOOMERY_PER_ISA std::uint32_t is_low(std::uint64_t start) const { return start < cut ? 1 : 0; }
  BLOOMERY_PER_ISA bool bumped(const std::uint8_t* layer, std::uint64_t start) const {
    const std::uint64_t bucket = start / kRibbonBucket;
    const std::uint64_t code = (layer[bucket / 4] >> (2 * (bucket % 4))) & 3;
    return start % kRibbonBucket < ribbon_bumped_starts(code);
  }
};

BLOOMERY_PER_ISA inline RibbonLayer ribbon_layer(const RibbonGeometry& geometry, std::size_t number) {
  return {geometry.starts_of(number), geometry.columns, geometry.low_share};
}

// All layers of a filter, where each begins, and where the list behind them does.
struct RibbonMap {
  std::array<RibbonLayer, RibbonGeometry::kLayers> layers;
  std::array<std::uint64_t, RibbonGeometry::kLayers> offsets{};
  std::uint64_t list = 0;

  BLOOMERY_PER_ISA explicit RibbonMap(const RibbonGeometry& geometry) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      layers[i] = ribbon_layer(geometry, i);
      offsets[i] = list;
      list += layers[i].bytes(geometry.columns);
    }
  }
};

}  // namespace BLOOMERY_NAMESPACE::detail
