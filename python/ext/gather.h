// Hashes of columns without their nulls, for what adds keys.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "column.h"
#include "errors.h"

namespace bloomery::python {

// Raises the error of a column whose hash() said false.
[[noreturn]] inline void raise_malformed() {
  raise_code(ErrorCode::corrupt, "the Arrow array is malformed: an offset or a place in its dictionary is impossible");
}

// The hashes of keys that are not null, in front.
inline std::span<const Hash> without_nulls(const Column& column, std::size_t first, std::span<const Hash> hashes,
                                           std::span<Hash> kept) {
  if (!column.has_nulls()) return hashes;
  std::size_t count = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i)
    if (!column.is_null(first + i)) kept[count++] = hashes[i];
  return kept.first(count);
}

// Appends the hashes of a column. False: it is malformed.
inline bool gather(const Column& column, const Hasher& hasher, std::vector<Hash>& out) {
  std::array<Hash, Column::kGroup> kept;
  return column.for_groups(hasher, [&](std::size_t first, std::span<const Hash> hashes) {
    const std::span<const Hash> good = without_nulls(column, first, hashes, kept);
    out.insert(out.end(), good.begin(), good.end());
  });
}

}  // namespace bloomery::python
