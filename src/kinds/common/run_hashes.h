// A run of keys, as the loops of batches take it: some hashes at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "bloomery/keys.h"

namespace BLOOMERY_NAMESPACE::detail {

inline KeyRun run_of(std::span<const Hash> hashes) {
  KeyRun run;
  run.count = hashes.size();
  run.hashes = hashes.data();
  return run;
}

// The hashes of the keys from `first` on, at most as many as `room` takes, none behind the last key: where they lie
// already, or made in `room`.
inline std::span<const Hash> hashes_of(const KeyRun& keys, std::size_t first, std::span<Hash> room) {
  if (first >= keys.count) return {};
  const std::size_t count = std::min(room.size(), keys.count - first);
  if (keys.hashes != nullptr) return {keys.hashes + first, count};
  keys.hash(keys, first, room.first(count));
  return room.first(count);
}

}  // namespace BLOOMERY_NAMESPACE::detail
