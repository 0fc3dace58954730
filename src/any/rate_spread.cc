#include "bloomery/rate_spread.h"

#include <algorithm>
#include <vector>

#include "bloomery/detail/fnv.h"
#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE {
namespace {

// The 5 % of a thousand filters are known to 0.7 %, those of a hundred to 2.2 %.
constexpr std::uint64_t kFewestFilters = 100, kMostFilters = 1000, kHashes = 400'000;
// The rate of a classic filter of so few bits is counted over all pairs of half hashes, which takes milliseconds.
constexpr std::uint64_t kMostPairedBits = 1024;
constexpr double kShare = 0.05;

// Whether the rate of a small filter depends on which bits its keys happen to share. It names every kind, so that the
// compiler asks for a new one.
bool by_chance(Kind kind) {
  switch (kind) {
    case Kind::classic:
    case Kind::split:
    case Kind::block:
    case Kind::counting:
    case Kind::partitioned: return true;
    case Kind::scalable:
    case Kind::stable:
    case Kind::cuckoo:
    case Kind::quotient:
    case Kind::fuse:
    case Kind::ribbon:
    case Kind::iblt: break;
  }
  return false;
}

std::uint64_t filters_for(Kind kind, std::uint64_t n, const SizePlan& plan) {
  const bool pairs = kind == Kind::classic || kind == Kind::counting;
  if (pairs && plan.geometry.front().second <= kMostPairedBits) return kFewestFilters;
  return std::clamp(kHashes / n, kFewestFilters, kMostFilters);
}

// Returns a quantile, interpolated between the two values next to it.
double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const double rest = at - static_cast<double>(below);
  return sorted[below] + rest * (sorted[std::min(below + 1, sorted.size() - 1)] - sorted[below]);
}

}  // namespace

Result<std::optional<RateSpread>> rate_spread(Kind kind, std::uint64_t n, const SizeSpec& spec) {
  return guarded([&]() -> Result<std::optional<RateSpread>> {
    const Result<SizePlan> plan = plan_size(kind, n, spec);
    BLOOMERY_TRY(plan);
    if (!by_chance(kind) || n > kMostKeysOfSpread) return std::optional<RateSpread>();
    SizeSpec exact;
    exact.numbers.assign(plan->geometry.begin(), plan->geometry.end());
    Result<AnyFilter> filter = AnyFilter::with_size(kind, n, exact);
    BLOOMERY_TRY(filter);
    std::vector<Hash> hashes(n);
    std::vector<double> rates(filters_for(kind, n, *plan));
    std::uint64_t number = 0;
    for (double& rate : rates) {
      for (Hash& hash : hashes) hash = Hash(detail::splitmix64(number++));
      BLOOMERY_TRY(filter->clear());
      BLOOMERY_TRY(filter->add_many(hashes));
      rate = filter->view().predicted_fpr();
    }
    std::sort(rates.begin(), rates.end());
    return std::optional(RateSpread{quantile(rates, kShare), quantile(rates, 1 - kShare)});
  });
}

}  // namespace BLOOMERY_NAMESPACE
