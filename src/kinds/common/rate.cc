#include "bloomery/rate.h"

#include <algorithm>
#include <cmath>

namespace BLOOMERY_NAMESPACE {

double least_bits_per_key(double fpr) { return fpr < 1 ? -std::log2(fpr) : 0; }

SampledRate sampled_rate(std::uint64_t hits, std::uint64_t samples) {
  if (samples == 0) return {0, 0, 1};
  hits = std::min(hits, samples);
  const double count = static_cast<double>(samples), p = static_cast<double>(hits) / count, z = 1.959963984540054;
  const double scale = 1 + z * z / count;
  const double centre = (p + z * z / (2 * count)) / scale;
  const double half = z * std::sqrt(p * (1 - p) / count + z * z / (4 * count * count)) / scale;
  return {p, hits == 0 ? 0 : centre - half, hits == samples ? 1 : centre + half};
}

}  // namespace BLOOMERY_NAMESPACE
