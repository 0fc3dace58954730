// Says how far the rates of small filters lie apart. Keys fall into blocks and onto bits by chance, so among many
// filters of one size, each with n keys, some let twice as many absent keys pass as others. The predicted_fpr of a plan
// is their mean.
#pragma once

#include <cstdint>
#include <optional>

#include "bloomery/any.h"
#include "bloomery/export.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

// Among 100 filters with other keys, 5 have a rate below low and 5 a rate above high.
struct RateSpread {
  double low = 0, high = 0;
};

// With more keys than this the rates lie close together, and rate_spread returns nothing.
inline constexpr std::uint64_t kMostKeysOfSpread = 4096;

// Builds some hundred filters of n pseudo-random hashes, always the same ones, and reads the rates off their bits,
// which takes longest for classic and counting filters. Returns nothing for more than kMostKeysOfSpread keys, and for
// kinds whose rate does not depend on chance (fuse, ribbon, quotient, cuckoo), grows (scalable) or settles (stable).
// Refuses what plan_size refuses.
BLOOMERY_API Result<std::optional<RateSpread>> rate_spread(Kind kind, std::uint64_t n, const SizeSpec& spec);

}  // namespace BLOOMERY_NAMESPACE
