// Orders some keys by length, for hashes whose branches depend on the length. Keys that are hashed together then end
// together; in disorder the end of almost every key is mispredicted, which takes as long as a short hash.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::detail {

inline constexpr std::size_t kMostByLength = 255;  // keys that are put in order at once

// Fills `order` with the numbers 0 up to count - 1, those of shorter keys first. size_of(i) is the length of key i.
template <class SizeOf>
void order_by_length(std::size_t count, SizeOf size_of, std::uint8_t* order) {
  constexpr std::size_t kLongest = 63;  // longer keys share a place
  std::array<std::uint8_t, kLongest + 2> place{};
  for (std::size_t i = 0; i < count; ++i) ++place[std::min(size_of(i), kLongest) + 1];
  for (std::size_t length = 1; length <= kLongest; ++length)
    place[length] = static_cast<std::uint8_t>(place[length] + place[length - 1]);
  for (std::size_t i = 0; i < count; ++i) order[place[std::min(size_of(i), kLongest)]++] = static_cast<std::uint8_t>(i);
}

}  // namespace BLOOMERY_NAMESPACE::detail
