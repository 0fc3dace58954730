// The number of keys to size for, formula by formula as spec/sizing.md.
#include "bloomery/growth.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE {
namespace {

constexpr double kMostKeys = 9223372036854775808.0;  // 2^63

// False for NaN too.
bool from(double low, double x) { return x >= low && std::isfinite(x); }
bool above(double low, double x) { return x > low && std::isfinite(x); }

Status check(const Growth& g) {
  if (g.current == 0)
    return invalid_argument("current", "there are 0 keys now: a filter is sized for at least one key");
  if (!above(-1, g.growth)) return invalid_argument("growth", "growth must be a number above -100 %, as 30%/y");
  if (!above(0, g.growth_years))
    return invalid_argument("growth_years", "growth must be per a time above 0, as a year");
  if (!above(0, g.rebuild_years))
    return invalid_argument("rebuild_years", "the time between rebuilds must be above 0, as 1mo");
  if (!from(1, g.headroom)) return invalid_argument("headroom", "headroom must be a number not below 1, as 2");
  if (!from(0, g.volatility)) return invalid_argument("volatility", "volatility must be a number not below 0, as 20%");
  return {};
}

std::uint64_t whole(double keys) { return static_cast<std::uint64_t>(std::round(std::min(keys, kMostKeys))); }

}  // namespace

Result<GrowthPlan> plan_growth(const Growth& g) {
  return guarded([&]() -> Result<GrowthPlan> {
    BLOOMERY_TRY(check(g));
    // A filter keeps the keys that are no longer wanted until it is rebuilt: when they dwindle, it holds those of now.
    const double grown = std::max(1.0, std::pow(1 + g.growth, g.rebuild_years / g.growth_years));
    const double expected = static_cast<double>(g.current) * grown * (1 + g.volatility);
    const double n = expected * g.headroom;
    if (!(n <= kMostKeys))
      return invalid_argument(
          "n", "the filter would be for more than 2^63 keys: rebuild it more often, or plan for less growth");
    GrowthPlan plan{whole(n), whole(expected), whole(n * grown), {}};
    if (g.growth > 0) {
      const double spare = g.growth_years * std::log(g.headroom) / std::log1p(g.growth);
      if (std::isfinite(spare)) plan.years_until_full = g.rebuild_years + spare;
    }
    return plan;
  });
}

}  // namespace BLOOMERY_NAMESPACE
