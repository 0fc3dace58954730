// False-positive rates: the fewest bits that a rate takes, and rates measured by a sample.
#pragma once

#include <cstdint>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE {

// Returns log2(1 / fpr), the information limit: no filter of that rate takes fewer bits a key. It is 0 from a rate of 1
// on.
BLOOMERY_API double least_bits_per_key(double fpr);

// A rate estimated from hits in a sample, with Wilson's 95 % interval. Of no samples it is 0, between 0 and 1; hits
// beyond the samples do not count.
struct SampledRate {
  double rate, low, high;
};
BLOOMERY_API SampledRate sampled_rate(std::uint64_t hits, std::uint64_t samples);

}  // namespace BLOOMERY_NAMESPACE
