// The sizing of partitioned filters. Slices are independent and each takes one bit per key, so the formulas of
// spec/partitioned.md are exact for every n.
#include <algorithm>
#include <cmath>

#include "bloomery/geometry/partitioned.h"
#include "core/base/error.h"
#include "kinds/common/target.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using sizing::as_double;
using sizing::smallest;

// The chance that a bit of a slice is set after n keys.
double fill_after(double n, double slice_bits) {
  if (slice_bits == 1) return n > 0 ? 1 : 0;
  return -std::expm1(n * std::log1p(-1 / slice_bits));
}

double fpr_after(double n, double slice_bits, std::uint32_t k) { return std::pow(fill_after(n, slice_bits), k); }

Error too_large() {
  return invalid_argument(
      "slice_bits",
      "the filter would need more than 2^58 bits a slice: ask for fewer keys or a higher false-positive rate");
}

}  // namespace

Result<PartitionedGeometry> PartitionedGeometry::make(std::uint64_t slice_bits, std::uint64_t k) {
  return guarded([&]() -> Result<PartitionedGeometry> {
    if (slice_bits < 1 || slice_bits > kMaxSliceBits)
      return invalid_argument("slice_bits", "slice_bits is " + std::to_string(slice_bits) +
                                                ": a slice of a partitioned filter has 1 to 2^58 bits");
    if (k < 1 || k > kMaxK)
      return invalid_argument("k", "k is " + std::to_string(k) + ": a partitioned filter has 1 to 30 slices");
    return PartitionedGeometry{slice_bits, static_cast<std::uint32_t>(k)};
  });
}

Result<PartitionedGeometry> PartitionedGeometry::for_capacity(std::uint64_t n, double fpr) {
  return guarded([&]() -> Result<PartitionedGeometry> {
    BLOOMERY_TRY(sizing::check_target(n, fpr));
    PartitionedGeometry best{0, 0};
    for (std::uint32_t k = 1; k <= kMaxK; ++k) {
      const auto good = [&](std::uint64_t bits) { return fpr_after(as_double(n), as_double(bits), k) <= fpr; };
      // Only a k that can do with fewer bits than the best so far is worth a search.
      const std::uint64_t limit = best.k == 0 ? kMaxSliceBits : (best.bits() - 1) / k;
      if (limit >= 1 && good(limit)) best = {smallest(1, limit, good), k};
    }
    if (best.k == 0) return too_large();
    return best;
  });
}

Result<PartitionedGeometry> PartitionedGeometry::for_bits_per_key(std::uint64_t n, double bits_per_key) {
  return guarded([&]() -> Result<PartitionedGeometry> {
    BLOOMERY_TRY(sizing::check_bits_per_key(n, bits_per_key));
    const double m = std::max(1.0, std::ceil(as_double(n) * bits_per_key));
    double best = 2;
    std::uint32_t best_k = 1;
    for (std::uint32_t k = 1; k <= kMaxK && k <= m; ++k) {
      const double rate = fpr_after(as_double(n), std::floor(m / k), k);
      if (rate < best) best = rate, best_k = k;
    }
    const double slice = std::floor(m / best_k);
    if (slice > as_double(kMaxSliceBits)) return too_large();
    return PartitionedGeometry{static_cast<std::uint64_t>(slice), best_k};
  });
}

double PartitionedGeometry::expected_fill(std::uint64_t n) const {
  return fill_after(as_double(n), as_double(slice_bits));
}

double PartitionedGeometry::predicted_fpr_after(std::uint64_t n) const {
  return fpr_after(as_double(n), as_double(slice_bits), k);
}

double PartitionedGeometry::predicted_fpr_at(std::uint64_t bits_set) const {
  return std::pow(as_double(bits_set) / as_double(bits()), k);
}

std::optional<std::uint64_t> PartitionedGeometry::estimated_count(std::uint64_t bits_set) const {
  if (bits_set >= bits()) return std::nullopt;
  if (slice_bits == 1) return bits_set == 0 ? 0 : 1;
  const double fill = as_double(bits_set) / as_double(bits());
  return static_cast<std::uint64_t>(std::llround(std::log1p(-fill) / std::log1p(-1 / as_double(slice_bits))));
}

}  // namespace BLOOMERY_NAMESPACE
