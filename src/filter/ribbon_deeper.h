// The layers of a ribbon filter behind the first, which few lookups reach.
#pragma once

#include <cstdint>

#include "bloomery/detail/ribbon_probe.h"

namespace bloomery::detail {

// The window of a key with this place in the second layer; with 0 columns, the list.
RibbonWindow deeper_window(const std::uint8_t* bytes, const RibbonMap& map, std::uint32_t columns, std::uint64_t place);

// Whether the key of the window is in; `listed` is the length of the list.
inline bool ribbon_answer(const RibbonWindow& window, std::uint64_t listed) {
  if (window.columns > 0) return ribbon_matches(window);
  return ribbon_lists(window.from, listed, window.coefficients);
}

}  // namespace bloomery::detail
