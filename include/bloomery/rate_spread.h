// How far the rates of small filters lie apart. Keys fall into blocks and onto bits by chance, so of many filters of
// one size, each with n keys, some let twice as many absent keys pass as others. predicted_fpr of a plan is their mean.
#pragma once

#include <cstdint>
#include <optional>

#include "bloomery/any.h"
#include "bloomery/export.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

// Of 100 filters with other keys, 5 have a lower rate than low and 5 a higher one than high.
struct RateSpread {
  double low = 0, high = 0;
};

// Beyond so many keys the rates lie close together (within 6 % of their mean at 1 %), and rate_spread says nothing.
inline constexpr std::uint64_t kMostKeysOfSpread = 4096;

// Makes some hundred filters of n pseudo-random hashes, always the same, and takes the rates from their bits, which
// takes longest for classic and counting filters. Nothing for more than kMostKeysOfSpread keys, and
// for kinds whose rate does not depend on chance (fuse, ribbon, quotient, cuckoo), grows or settles (scalable, stable).
// Refuses what plan_size refuses.
BLOOMERY_API Result<std::optional<RateSpread>> rate_spread(Kind kind, std::uint64_t n, const SizeSpec& spec);

}  // namespace BLOOMERY_NAMESPACE
