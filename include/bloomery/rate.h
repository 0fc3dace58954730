// False-positive rates: the limit that none beats, and rates seen in samples.
#pragma once

#include <cstdint>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE {

// log2(1 / fpr): fewer bits a key no filter of that rate takes, whatever it is made of; 0 from a rate of 1 on.
BLOOMERY_API double least_bits_per_key(double fpr);

// A rate estimated from hits in a sample, with Wilson's 95 % interval.
struct SampledRate {
  double rate, low, high;
};
BLOOMERY_API SampledRate sampled_rate(std::uint64_t hits, std::uint64_t samples);

}  // namespace BLOOMERY_NAMESPACE
