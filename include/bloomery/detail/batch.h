// Batches: any contiguous range of keys, handed on as groups of hashes small enough for the stack and large enough to
// keep many cache misses in flight.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <span>

#include "bloomery/hash.h"

namespace bloomery::detail {

inline constexpr std::size_t kHashGroup = 128;

template <class Range>
concept KeyRange = std::ranges::contiguous_range<const Range> && std::ranges::sized_range<const Range> &&
    Key<std::ranges::range_value_t<const Range>>;

// A range that would be one of keys, were there a hash of its elements.
template <class Range>
concept RangeWithoutHash = std::ranges::contiguous_range<const Range> && !Key<std::ranges::range_value_t<const Range>>;

// A pair of pointers or iterators into keys that lie side by side.
template <class Iterator>
concept KeyIterator = std::contiguous_iterator<Iterator> && Key<std::iter_value_t<Iterator>>;

// Calls use(index of the first key, hashes) for each group in order.
template <KeyRange Range, class Use>
void for_hash_groups(const Hasher& hasher, const Range& range, Use use) {
  using T = std::ranges::range_value_t<const Range>;
  const std::span<const T> keys(std::ranges::data(range), std::ranges::size(range));
  if constexpr (std::same_as<T, Hash>) {
    if (!keys.empty()) use(std::size_t{0}, keys);
  } else {
    std::array<Hash, kHashGroup> hashes;
    for (std::size_t first = 0; first < keys.size(); first += kHashGroup) {
      const std::size_t count = std::min(kHashGroup, keys.size() - first);
      hash_keys(hasher, keys.subspan(first, count), std::span(hashes).first(count));
      use(first, std::span<const Hash>(hashes).first(count));
    }
  }
}

}  // namespace bloomery::detail
