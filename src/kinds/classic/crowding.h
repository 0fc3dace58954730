// What a classic filter of 2^30 bits and more does, where the 32 bits of each half hash begin to show: index i is
// h1 + i*h2 with both below 2^32, so low bits are hit more often than high ones. See spec/sizing.md, "the halves have
// 32 bits".
#pragma once

#include <cstdint>
#include <vector>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::sizing {

// m bits and k indexes whose half hashes are uniform below half_range (2^32 for real filters; tests simulate less).
class HalfHashModel {
 public:
  HalfHashModel(double m, std::uint32_t k, double half_range);

  double mean_fill(double n) const;
  double fpr(double n) const;
  // The n at which the mean fill is that, at most 64 m.
  double count_at_fill(double fill) const;

 private:
  double m_;
  std::uint32_t k_;
  double ratio_;                 // half_range / m
  double span_;                  // the share of the filter that any index reaches
  std::vector<double> density_;  // how often bin j is hit per key, in units of 1/m
};

}  // namespace BLOOMERY_NAMESPACE::sizing
