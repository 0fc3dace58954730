// The rate of a small filter with the indexes of classic, by trying every key there can be.
#pragma once

#include <cstdint>

#include "bloomery/geometry/classic.h"

namespace BLOOMERY_NAMESPACE::detail {

inline constexpr std::uint64_t kExactUpToM = 1024;  // m^2 lookups: a millisecond

// The share of all pairs of residues (start, stride) whose k cells are set. Exact, because for so small an m the
// residues of 32-bit halves are uniform.
template <class Cell>
double exact_fpr(const std::uint8_t* bytes, const ClassicGeometry& geometry) {
  const auto [m, k] = geometry;
  std::uint64_t hits = 0;
  for (std::uint64_t start = 0; start < m; ++start) {
    if (Cell::is_set(bytes, start) == 0) continue;
    for (std::uint64_t stride = 0; stride < m; ++stride) {
      std::uint64_t at = start;
      std::uint32_t left = k - 1;
      for (; left > 0; --left) {
        at += stride;
        if (at >= m) at -= m;
        if (Cell::is_set(bytes, at) == 0) break;
      }
      hits += left == 0;
    }
  }
  return static_cast<double>(hits) / static_cast<double>(m * m);
}

}  // namespace BLOOMERY_NAMESPACE::detail
