// Batches: any contiguous range of keys, handed on as groups of hashes small enough for the stack and large enough to
// keep many cache misses in flight.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <span>

#include "bloomery/hash.h"
#include "bloomery/keys.h"

namespace BLOOMERY_NAMESPACE::detail {

// 8 KB of hashes, which stay in the first-level cache. Each group begins with nothing in flight, so that small ones
// cost: with 256 keys, strings at 10M take a third longer (bench/results/2026-11-17-keys.md).
inline constexpr std::size_t kHashGroup = 1024;

template <KeyRange Range>
using KeyOf = typename decltype(std::span(std::declval<const Range&>()))::value_type;

template <KeyRange Range>
std::span<const KeyOf<Range>> span_of(const Range& range) {
  return std::span(range);
}

// Calls use(index of the first key, hashes) for each group in order.
template <KeyRange Range, class Use>
void for_hash_groups(const Hasher& hasher, const Range& range, Use use) {
  using T = KeyOf<Range>;
  const std::span<const T> keys = span_of(range);
  if constexpr (std::same_as<T, Hash>) {
    if (!keys.empty()) use(std::size_t{0}, keys);
  } else {
    std::array<Hash, kHashGroup> hashes;
    for (std::size_t first = 0; first < keys.size(); first += kHashGroup) {
      const std::size_t left = keys.size() - first, count = left < kHashGroup ? left : kHashGroup;
      hash_keys(hasher, keys.subspan(first, count), std::span(hashes).first(count));
      use(first, std::span<const Hash>(hashes).first(count));
    }
  }
}

// Any keys as a run of them.
template <KeyRange Range>
KeyRun key_run(const Hasher& hasher, const Range& range) {
  using T = KeyOf<Range>;
  const std::span<const T> keys = span_of(range);
  KeyRun run;
  run.count = keys.size();
  if constexpr (std::same_as<T, Hash>) {
    run.hashes = keys.data();
  } else {
    run.keys = keys.data();
    run.hasher = &hasher;
    run.hash = [](const KeyRun& self, std::size_t first, std::span<Hash> out) {
      hash_keys(*self.hasher, std::span(static_cast<const T*>(self.keys) + first, out.size()), out);
    };
  }
  return run;
}

}  // namespace BLOOMERY_NAMESPACE::detail
