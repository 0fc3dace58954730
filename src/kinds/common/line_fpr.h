// The rate of filters whose keys have k cells anywhere in one line: bits of a block, ages of a stable filter.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "bloomery/export.h"
#include "kinds/common/plain_math.h"

namespace BLOOMERY_NAMESPACE::sizing {

inline constexpr std::uint32_t kMostCellsPerKey = 16;

inline double binomial(std::uint32_t n, std::uint32_t k) {
  double result = 1;
  for (std::uint32_t i = 0; i < k; ++i) result = result * (n - i) / (i + 1);
  return result;
}

// The chance that none of n keys, each in a random one of so many lines, hits a set of cells in a given line, when a
// key in that line misses them with chance `miss`.
inline double untouched(double n, double lines, double miss) {
  return exp_of_minus(n * minus_log_of_rest((1 - miss) / lines));
}

// chance[d]: that k throws into so many cells hit d distinct ones.
inline std::array<double, kMostCellsPerKey + 1> distinct_chances(std::uint32_t k, double cells) {
  std::array<double, kMostCellsPerKey + 1> chance{};
  chance[0] = 1;
  for (std::uint32_t thrown = 0; thrown < k; ++thrown)
    for (std::uint32_t d = thrown + 1; d-- > 0;) {
      chance[d + 1] += chance[d] * (1 - d / cells);
      chance[d] *= d / cells;
    }
  return chance;
}

// An absent key with the low 32 hash bits of a present one in its line looks present whatever the cells.
inline double equal_low_bits(double n, double lines) { return n / lines / 4294967296.0; }

// The chance that an absent key finds all its cells in use, after n keys.
inline double line_fpr(double n, double lines, std::uint32_t k, double cells) {
  std::array<double, kMostCellsPerKey + 1> none{};  // none[s]: s given cells are all unused
  for (std::uint32_t s = 0; s <= k; ++s) none[s] = untouched(n, lines, power(1 - s / cells, k));
  const auto chance = distinct_chances(k, cells);
  double fpr = 0;
  for (std::uint32_t d = 0; d <= k; ++d) {
    double all_used = 0;
    for (std::uint32_t s = 0; s <= d; ++s) all_used += (s % 2 == 0 ? 1 : -1) * binomial(d, s) * none[s];
    fpr += chance[d] * all_used;
  }
  return std::clamp(fpr + equal_low_bits(n, lines), 0.0, 1.0);
}

}  // namespace BLOOMERY_NAMESPACE::sizing
