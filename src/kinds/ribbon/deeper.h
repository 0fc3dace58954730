// The layers of a ribbon filter behind the first, which few lookups reach.
#pragma once

#include <cstdint>

#include "bloomery/detail/ribbon_probe.h"

namespace BLOOMERY_NAMESPACE::detail {

// The window of a key with this place in the second layer; with 0 columns, the list.
RibbonWindow deeper_window(const std::uint8_t* bytes, const RibbonMap& map, std::uint32_t columns, std::uint64_t place);

}  // namespace BLOOMERY_NAMESPACE::detail
