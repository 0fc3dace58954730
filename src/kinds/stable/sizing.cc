// The sizing of stable filters. A cell is in use when a key has set it since the hand came by for the third last time,
// so a line holds the keys of a window of adds, whose length depends on where the hand is; the rate is the mean over
// that. spec/stable.md derives it.
#include <algorithm>
#include <cmath>
#include <string>

#include "bloomery/detail/bits.h"
#include "bloomery/geometry/stable.h"
#include "core/base/error.h"
#include "kinds/common/instead.h"
#include "kinds/common/line_fpr.h"
#include "kinds/common/target.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using sizing::as_double;
using sizing::line_fpr;

constexpr double kCells = 256;
constexpr int kPhases = 32;       // midpoints of a mean over the way of the hand
constexpr double kMany = 0x1p40;  // lines, when only the adds per line matter

// The mean of f(u) over u in [0, end].
template <class F>
double mean(double end, F f) {
  double sum = 0;
  for (int i = 0; i < kPhases; ++i) sum += f(end * (i + 0.5) / kPhases);
  return sum / kPhases;
}

// Adds that take the hand around once.
double round_of(const StableGeometry& g) { return as_double(g.cells()) / g.decrement; }
// Adds whose keys are in a line, u rounds after the hand left it.
double window(double round, double u) { return (2 + u) * round + 0.5; }

// The plateau of a filter of any size.
double plateau(std::uint32_t k, std::uint32_t decrement) {
  return mean(1, [&](double u) { return line_fpr((2 + u) * kCells / decrement * kMany, kMany, k, kCells); });
}

double fill_of(double adds, double lines, std::uint32_t k) {
  return 1 - sizing::untouched(adds, lines, std::pow(1 - 1 / kCells, k));
}

Result<StableGeometry> remembering(std::uint64_t n, std::uint32_t k, std::uint32_t decrement) {
  const std::optional<std::uint64_t> cells = detail::checked_mul(n, decrement);  // twice as many
  const std::uint64_t lines = cells.value_or(~std::uint64_t{0}) / (2 * StableGeometry::kCellsPerLine) + 1;
  if (!cells || lines > StableGeometry::kMaxLines)
    return invalid_argument("n",
                            "a stable filter has at most 2^54 lines: ask for fewer keys or a higher "
                            "false-positive rate");
  const bool even = *cells % (2 * StableGeometry::kCellsPerLine) == 0;
  return StableGeometry{lines - (even ? 1 : 0), k, decrement};
}

}  // namespace

Result<StableGeometry> StableGeometry::from_values(const std::array<std::uint64_t, 3>& values) {
  return guarded([&]() -> Result<StableGeometry> {
    const auto [lines, k, decrement] = values;
    if (lines < 1 || lines > kMaxLines)
      return invalid_argument(
          "lines", "lines is " + std::to_string(lines) + ": a stable filter has 1 to 2^54 lines of 64 bytes");
    if (k < 1 || k > kMaxK)
      return invalid_argument("k", "k is " + std::to_string(k) + ": a stable filter sets 1 to 16 cells per key");
    if (decrement < 1 || decrement > kMaxDecrement)
      return invalid_argument("decrement", "decrement is " + std::to_string(decrement) +
                                               ": an add to a stable filter makes 1 to 256 cells older");
    return StableGeometry{lines, static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(decrement)};
  });
}

Result<StableGeometry> StableGeometry::for_capacity(std::uint64_t n, double fpr) {
  return guarded([&]() -> Result<StableGeometry> {
    BLOOMERY_TRY(sizing::check_target(n, fpr));
    if (fpr < kLowestFpr)
      return invalid_argument(
          "fpr", std::string("the kind 'stable' does not go below a false-positive rate of 1e-06: ") +
                     (sizing::kBlock.can(n, fpr) ? "use two filters of the kind 'block' in turn (RotatingFilter)"
                                                 : "ask for a higher rate"));
    std::uint32_t best = kMaxDecrement + 1, best_k = 0;
    for (std::uint32_t k = 1; k <= kMaxK; ++k) {
      const auto good = [&](std::uint64_t d) { return plateau(k, static_cast<std::uint32_t>(d)) <= fpr; };
      // Only a k that can do with fewer bits than the best so far is worth a search.
      if (best > 1 && good(best - 1))
        best = static_cast<std::uint32_t>(sizing::smallest(1, best - 1, good)), best_k = k;
    }
    return remembering(n, best_k, best);
  });
}

Result<StableGeometry> StableGeometry::for_bits_per_key(std::uint64_t n, double bits_per_key) {
  return guarded([&]() -> Result<StableGeometry> {
    BLOOMERY_TRY(sizing::check_bits_per_key(n, bits_per_key));
    if (bits_per_key < 1)
      return invalid_argument("bits_per_key", "a stable filter has at least 1 bit per key, and is of use from 10 on");
    const auto decrement = static_cast<std::uint32_t>(std::min<double>(bits_per_key, kMaxDecrement));
    std::uint32_t best = 1;
    for (std::uint32_t k = 2; k <= kMaxK; ++k)
      if (plateau(k, decrement) < plateau(best, decrement)) best = k;
    return remembering(n, best, decrement);
  });
}

double StableGeometry::found_after(std::uint64_t further_adds) const {
  const double round = round_of(*this);
  const double gone = std::clamp((as_double(further_adds) - 0.5) / round - 2, 0.0, 1.0);
  if (gone == 0) return 1;
  return 1 - gone +
         gone * mean(gone, [&](double u) { return line_fpr(window(round, u), as_double(lines), k, kCells); });
}

double StableGeometry::expected_fill(std::uint64_t n) const {
  const double round = round_of(*this);
  return mean(1, [&](double u) { return fill_of(std::min(as_double(n), window(round, u)), as_double(lines), k); });
}

double StableGeometry::predicted_fpr_after(std::uint64_t n) const {
  const double round = round_of(*this);
  return mean(
      1, [&](double u) { return line_fpr(std::min(as_double(n), window(round, u)), as_double(lines), k, kCells); });
}

// As if on the plateau of a filter whose hand is so fast, or so slow, that this many cells are in use.
double StableGeometry::predicted_fpr_at(std::uint64_t cells_set) const {
  if (cells_set >= cells()) return 1;
  if (cells_set == 0) return 0;
  const double fill = as_double(cells_set) / as_double(cells()), all = as_double(lines);
  const auto fill_at = [&](double round) {
    return mean(1, [&](double u) { return fill_of((2 + u) * round, all, k); });
  };
  double low = 0, high = all * kCells * 64;
  for (int i = 0; i < 100; ++i) {
    const double middle = low + (high - low) / 2;
    if (fill_at(middle) < fill) low = middle;
    else high = middle;
  }
  return mean(1, [&](double u) { return line_fpr((2 + u) * low, all, k, kCells); });
}

double StableGeometry::predicted_fpr_of(std::span<const std::uint64_t, kCellsPerLine + 1> lines_with) const {
  double sum = 0;
  for (std::size_t c = 1; c < lines_with.size(); ++c)
    sum += as_double(lines_with[c]) * std::pow(as_double(c) / kCells, k);
  return sum / as_double(lines);
}

}  // namespace BLOOMERY_NAMESPACE
