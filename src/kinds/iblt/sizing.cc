// The sizing of IBLTs: from the number of differences to cells, by the table of a simulation and in whole numbers; and
// from the counts of cells back to the number of differences. spec/iblt.md derives both.
#include <algorithm>
#include <cmath>
#include <string>

#include "bloomery/geometry/iblt.h"
#include "core/base/error.h"
#include "kinds/common/target.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using sizing::as_double;

struct Row {
  std::uint32_t differences, cells;
};

// How many cells list how many differences, but for one try in 1,000; from tools/iblt_cells.cc.
constexpr Row kRows[] = {
    {1, 4},       {2, 28},       {3, 32},        {4, 40},        {5, 44},        {6, 48},      {8, 56},
    {10, 64},     {13, 72},      {16, 80},       {20, 92},       {25, 100},      {32, 112},    {40, 128},
    {50, 144},    {64, 156},     {80, 180},      {100, 200},     {130, 232},     {160, 256},   {200, 304},
    {250, 368},   {320, 460},    {400, 568},     {500, 704},     {640, 892},     {800, 1104},  {1000, 1372},
    {1300, 1768}, {1600, 2168},  {2000, 2708},   {2500, 3360},   {3200, 4276},   {4000, 5328}, {5000, 6656},
    {6400, 8476}, {8000, 10572}, {10000, 13188}, {16000, 21020}, {25000, 32716},
};

std::uint64_t as_count(double x) { return x < 1 ? 0 : static_cast<std::uint64_t>(std::min(x, 1.8e19)); }

IbltEstimate around(double count, double deviation) {
  const double low = std::floor(count - 1.96 * deviation), high = std::ceil(count + 1.96 * deviation);
  return {as_count(count + 0.5), as_count(low), as_count(high)};
}

Status check_widths(std::uint64_t key_bytes, std::uint64_t value_bytes, bool variable) {
  const std::uint64_t least = variable ? 2 : 1;
  if (key_bytes < least || key_bytes > IbltGeometry::kMaxKeyBytes)
    return invalid_argument("key_bytes", "the keys of an iblt have " + std::to_string(least) + " to 64 bytes, not " +
                                             std::to_string(key_bytes) + ": of longer ones take a hash");
  if (value_bytes > IbltGeometry::kMaxValueBytes)
    return invalid_argument("value_bytes",
                            "the values of an iblt have 0 to 64 bytes, not " + std::to_string(value_bytes));
  return {};
}

Status check_cells(std::uint64_t cells) {
  if (cells != 0 && cells % IbltGeometry::kHashes == 0 && cells <= IbltGeometry::kMaxCells) return {};
  return invalid_argument("cells",
                          "the cells of an iblt are a multiple of 4, up to 2^40, not " + std::to_string(cells));
}

}  // namespace

Result<IbltGeometry> IbltGeometry::from_values(const std::array<std::uint64_t, 5>& values) {
  return guarded([&]() -> Result<IbltGeometry> {
    const auto [cells, key_bytes, value_bytes, variable, strata] = values;
    BLOOMERY_TRY(check_cells(cells));
    if (variable > 1)
      return invalid_argument("variable", "variable is 0 or 1 of an iblt, not " + std::to_string(variable));
    BLOOMERY_TRY(check_widths(key_bytes, value_bytes, variable == 1));
    if (strata > kMaxStrata)
      return invalid_argument("strata", "an estimator has at most 64 strata, not " + std::to_string(strata));
    if (strata != 0 && (key_bytes != 8 || value_bytes != 0 || variable != 0))
      return invalid_argument("strata", "the strata of an estimator hold hashes: key_bytes has to be 8, the others 0");
    return IbltGeometry{cells, static_cast<std::uint32_t>(key_bytes), static_cast<std::uint32_t>(value_bytes),
                        variable == 1, static_cast<std::uint32_t>(strata)};
  });
}

Result<IbltGeometry> IbltGeometry::for_differences(std::uint64_t d, std::uint32_t key_bytes, std::uint32_t value_bytes,
                                                   bool variable) {
  return guarded([&]() -> Result<IbltGeometry> {
    if (d > kMaxDifferences)
      return invalid_argument("differences", "an iblt is sized for at most 2^38 differences, not " + std::to_string(d));
    BLOOMERY_TRY(check_widths(key_bytes, value_bytes, variable));
    return IbltGeometry{cells_for(d), key_bytes, value_bytes, variable, 0};
  });
}

// Between two rows it takes no more cells than the next row has, and no more per difference than the row before.
std::uint64_t IbltGeometry::cells_for(std::uint64_t d) {
  d = std::max<std::uint64_t>(d, 1);
  const Row* after = std::lower_bound(std::begin(kRows), std::end(kRows), d,
                                      [](const Row& row, std::uint64_t x) { return row.differences < x; });
  if (after != std::end(kRows) && after->differences == d) return after->cells;
  const Row& before = *(after - 1);
  std::uint64_t cells = d * before.cells / before.differences + 1;
  if (after != std::end(kRows)) cells = std::min<std::uint64_t>(cells, after->cells);
  return (cells + kHashes - 1) / kHashes * kHashes;
}

std::uint64_t IbltGeometry::capacity() const {
  return sizing::smallest(0, kMaxDifferences, [&](std::uint64_t d) { return cells_for(d + 1) > cells; });
}

namespace detail {

// Each item is in one cell of each hash. So the squares of the counts, less what their mean contributes, sum up to one
// per item on average. Pairs that share a cell make that sum vary: its variance is 2 d^2 / part for each hash.
IbltEstimate estimate_from_counts(std::span<const CountSums> sums, std::uint64_t part) {
  double squares = 0, most = 0;
  for (const CountSums& one : sums) {
    const double sum = static_cast<double>(one.sum);
    most = std::max(most, std::abs(sum));
    squares += std::max(0.0, static_cast<double>(one.squares) - sum * sum / as_double(part));
  }
  if (part == 1) return {as_count(most), as_count(most), ~std::uint64_t{0}};  // one count: no spread
  const double count = squares / as_double(sums.size()) * as_double(part) / (as_double(part) - 1);
  if (count == 0 && most == 0) return {0, 0, 0};
  return around(count, count * std::sqrt(2 / (as_double(part) * as_double(sums.size()))));
}

// What was listed is exact. Of the strata that were not, each foretells how many items all of them have, by its share
// of the keys; their mean is the best guess, because each is off by about as much.
IbltEstimate estimate_from_strata(std::span<const Stratum> strata, std::uint64_t cells) {
  double listed = 0, open_share = 0, means = 0, variance = 0, open = 0;
  const auto share = [&](std::size_t i) {
    return std::ldexp(1.0, -static_cast<int>(i + 1 < strata.size() ? i + 1 : i));
  };
  for (std::size_t i = 0; i < strata.size(); ++i) {
    if (strata[i].listed) listed += as_double(strata[i].estimate.count);
    else open_share += share(i), ++open;
  }
  if (open == 0) return {as_count(listed), as_count(listed), as_count(listed)};
  for (std::size_t i = 0; i < strata.size(); ++i) {
    if (strata[i].listed) continue;
    const double count = std::max(1.0, as_double(strata[i].estimate.count)), all = count * open_share / share(i);
    means += all / open;
    variance += all * all * (2 / as_double(cells) + (1 - share(i) / open_share) / count) / (open * open);
  }
  return around(listed + means, std::sqrt(variance));
}

}  // namespace detail
}  // namespace BLOOMERY_NAMESPACE
