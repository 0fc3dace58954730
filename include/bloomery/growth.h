// Plans capacity for a set of keys that grows: how many keys a filter must be sized for to last until it is rebuilt.
// Most filters cannot be enlarged, so the room has to be there from the start.
//
//   auto plan = bloomery::plan_growth({.current = 10'000'000, .growth = 0.3});  // 30 % a year, rebuilt each month
//   auto filter = bloomery::BlockFilter::with_capacity(plan->n, 0.001);         // for 20.4 million keys
//
// plan_growth_size (any.h) says how much memory that takes in each kind.
#pragma once

#include <cstdint>
#include <optional>

#include "bloomery/export.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

// What the caller knows or expects of the keys. The formulas are in spec/sizing.md.
struct Growth {
  // In years.
  static constexpr double kDay = 1 / 365.25, kWeek = 7 / 365.25, kMonth = 1.0 / 12, kYear = 1;

  std::uint64_t current = 0;  // keys now
  double growth = 0;          // how much they grow in growth_years, compounding: 0.3 is 30 %; above -1
  double growth_years = kYear;
  double rebuild_years = kMonth;  // between two rebuilds
  double headroom = 2;            // the filter is sized for this many times the expected keys; at least 1
  double volatility = 0;          // how far the keys may swing above their trend between two rebuilds: 0.2 is 20 %
};

struct GrowthPlan {
  std::uint64_t n = 0;                     // keys to size the filter for
  std::uint64_t n_at_rebuild = 0;          // keys it is expected to hold when it is rebuilt
  std::uint64_t next_n = 0;                // n of the filter that replaces it, planned the same way; at most 2^63
  std::optional<double> years_until_full;  // from now until it holds n keys if it is not rebuilt; nothing: never
};

// Refuses no keys, numbers outside the ranges above, NaN, and a plan for more than 2^63 keys.
BLOOMERY_API Result<GrowthPlan> plan_growth(const Growth& growth);

}  // namespace BLOOMERY_NAMESPACE
