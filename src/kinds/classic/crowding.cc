#include "kinds/classic/crowding.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace BLOOMERY_NAMESPACE::sizing {
namespace {

constexpr std::size_t kBins = 4096;
constexpr std::size_t kGrid = 256;

// The density of U + i*V for U, V uniform in [0, 1): a box for i = 0, a trapezoid above.
double trapezoid(std::uint32_t i, double t) {
  const double di = i;
  if (t < 0 || t >= di + 1) return 0;
  if (i == 0) return 1;
  if (t < 1) return t / di;
  if (t < di) return 1 / di;
  return (di + 1 - t) / di;
}

}  // namespace

HalfHashModel::HalfHashModel(double m, std::uint32_t k, double half_range)
    : m_(m), k_(k), ratio_(half_range / m), span_(std::min(1.0, k * ratio_)), density_(kBins, 0.0) {
  for (std::size_t j = 0; j < kBins; ++j) {
    const double x = span_ * (static_cast<double>(j) + 0.5) / kBins;
    for (std::uint32_t i = 0; i < k; ++i)
      for (double wrapped = x; wrapped / ratio_ < i + 1.0; wrapped += 1)
        density_[j] += trapezoid(i, wrapped / ratio_) / ratio_;
  }
}

double HalfHashModel::mean_fill(double n) const {
  double sum = 0;
  for (double density : density_) sum += -std::expm1(-(n / m_) * density);
  return span_ * sum / kBins;
}

double HalfHashModel::count_at_fill(double fill) const {
  double low = 0, high = 64 * m_;
  for (int step = 0; step < 100; ++step) {
    const double middle = (low + high) / 2;
    (mean_fill(middle) < fill ? low : high) = middle;
  }
  return high;
}

double HalfHashModel::fpr(double n) const {
  std::vector<double> fill(kBins);
  for (std::size_t j = 0; j < kBins; ++j) fill[j] = -std::expm1(-(n / m_) * density_[j]);
  double sum = 0;
  for (std::size_t a = 0; a < kGrid; ++a) {
    for (std::size_t b = 0; b < kGrid; ++b) {
      const double u = (static_cast<double>(a) + 0.5) / kGrid, v = (static_cast<double>(b) + 0.5) / kGrid;
      double all_set = 1;
      for (std::uint32_t i = 0; i < k_; ++i) {
        const double x = (u + i * v) * ratio_;
        all_set *= fill[std::min(kBins - 1, static_cast<std::size_t>((x - std::floor(x)) * kBins / span_))];
      }
      sum += all_set;
    }
  }
  return sum / (kGrid * kGrid);
}

}  // namespace BLOOMERY_NAMESPACE::sizing
