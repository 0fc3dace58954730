// Moving many items into ranges, each to the next place of its own.
#pragma once

#include <cstddef>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::detail {

// Fetches the line that the range writes to next: stores wait for each other in order, so that one that misses the
// cache holds up all that follow. Many ranges have more lines than the first cache.
template <class Item>
void move_to_range(Item* into, std::size_t& place, Item item) {
  constexpr std::size_t kNextLine = 64 / sizeof(Item);
  __builtin_prefetch(into + place + kNextLine, 1);
  into[place++] = item;
}

}  // namespace BLOOMERY_NAMESPACE::detail
