#include "bloomery/metrics.h"

namespace BLOOMERY_NAMESPACE {
namespace {

std::uint64_t upper_edge(std::size_t bucket) {
  return bucket >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bucket) - 1;
}

}  // namespace

std::uint64_t Histogram::count() const noexcept {
  std::uint64_t total = 0;
  for (std::size_t b = 0; b < kBuckets; ++b) total += bucket(b);
  return total;
}

std::uint64_t Histogram::quantile(double q) const noexcept {
  const std::uint64_t total = count();
  std::uint64_t seen = 0;
  for (std::size_t b = 0; b < kBuckets; ++b) {
    seen += bucket(b);
    if (seen > 0 && static_cast<double>(seen) >= q * static_cast<double>(total)) return upper_edge(b);
  }
  return 0;
}

}  // namespace BLOOMERY_NAMESPACE
