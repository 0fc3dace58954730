// The sizing of ribbon filters: how many places each layer has, in whole numbers, and the columns that make a rate.
// spec/ribbon.md derives both; the constants are those of tools/ribbon_load.cc.
#include <algorithm>
#include <cmath>
#include <string>

#include "bloomery/detail/ribbon_layer.h"
#include "bloomery/geometry/ribbon.h"
#include "core/base/error.h"
#include "kinds/common/instead.h"
#include "kinds/common/target.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using sizing::as_double;
using sizing::short_number;

// Up to this many keys go into a layer that has a slot for each of them.
constexpr std::uint64_t kRoomy = 500;

bool is_roomy(std::uint64_t keys, std::size_t layer) { return keys <= kRoomy || layer + 1 == RibbonGeometry::kLayers; }

// Returns the starts of a segment with that many slots.
std::uint64_t starts_of_slots(std::uint64_t slots) {
  const std::uint64_t groups = (slots + detail::kRibbonSlots - 1) / detail::kRibbonSlots;
  return groups < detail::kRibbonWindow ? 1 : groups - (detail::kRibbonWindow - 1);
}

// Returns how many of its keys a layer bumps, in the mean.
std::uint64_t bumped_by(std::uint64_t keys, std::size_t layer) {
  if (keys <= RibbonGeometry::kFewKeys) return keys;
  return is_roomy(keys, layer) ? 0 : keys / 21 + std::min<std::uint64_t>(keys, 10'000) / 250 + 8;
}

Status check_n(std::uint64_t n) {
  if (n > RibbonGeometry::kMaxKeys)
    return invalid_argument("n", "a filter of the kind 'ribbon' has at most 2^48 keys: ask for fewer");
  return {};
}

RibbonGeometry for_keys(std::uint64_t n, std::uint64_t columns, std::uint64_t low_share) {
  RibbonGeometry geometry;
  geometry.keys = n;
  geometry.columns = static_cast<std::uint16_t>(columns);
  geometry.low_share = static_cast<std::uint16_t>(low_share);
  for (std::size_t i = 0; i < RibbonGeometry::kLayers; ++i) geometry.bumped[i] = bumped_by(geometry.keys_of(i), i);
  return geometry;
}

// Returns the geometry for a precision in 65536ths of a column: 65536 is one column.
RibbonGeometry of_precision(std::uint64_t n, std::uint64_t precision) {
  const std::uint64_t columns = (precision + RibbonGeometry::kShares - 1) / RibbonGeometry::kShares;
  return for_keys(n, columns, columns * RibbonGeometry::kShares - precision);
}

Error wrong(const char* field, const char* rule, std::uint64_t value) {
  std::string message = "a filter of the kind 'ribbon' has ";
  message += rule;
  message += ", not ";
  message += std::to_string(value);
  return invalid_argument(field, std::move(message));
}

}  // namespace

// A crowded layer has 21 keys for 20 slots, which leaves few of them empty; one key in 21 moves on. A roomy one has
// slots to spare, so that hardly a set of keys does not fit.
std::uint64_t RibbonGeometry::starts_of(std::size_t layer) const {
  const std::uint64_t n = keys_of(layer);
  if (n <= kFewKeys) return 0;
  return starts_of_slots(is_roomy(n, layer) ? n + n / 12 + 12 : n - n / 21);
}

std::uint64_t RibbonGeometry::payload_bytes() const {
  return detail::RibbonMap(*this).list + 8 * bumped.back() + detail::kRibbonPadding;
}

std::uint64_t RibbonGeometry::cells() const {
  std::uint64_t cells = bumped.back();
  for (const detail::RibbonLayer& layer : detail::RibbonMap(*this).layers) cells += layer.slots();
  return std::max<std::uint64_t>(cells, 1);
}

Result<RibbonGeometry> RibbonGeometry::from_values(const std::array<std::uint64_t, 8>& values) {
  return guarded([&]() -> Result<RibbonGeometry> {
    const auto [keys, columns_word, share_word, seed, bumped_1, bumped_2, bumped_3, listed] = values;
    if (keys > kMaxKeys) return wrong("keys", "at most 2^48 keys", keys);
    if (columns_word < 1 || columns_word > kMaxColumns) return wrong("columns", "1 to 32 columns", columns_word);
    if (share_word >= kShares || (columns_word == 1 && share_word != 0))
      return wrong("low_share", "less than 65536 65536ths of its keys with a column less, and none of one column",
                   share_word);
    if (seed > kMaxSeed) return wrong("seed", "a seed of at most 3", seed);
    RibbonGeometry geometry = for_keys(keys, columns_word, share_word);
    geometry.seed = static_cast<std::uint16_t>(seed);
    geometry.bumped = {bumped_1, bumped_2, bumped_3, listed};
    for (std::size_t i = 0; i < kLayers; ++i) {
      const std::uint64_t n = geometry.keys_of(i), kept = n - geometry.bumped[i];
      if (geometry.bumped[i] > n || kept > detail::ribbon_layer(geometry, i).slots())
        return wrong(kFields[4 + i],
                     "layers that bump all keys for which they have no slot, and no more than come to them",
                     geometry.bumped[i]);
    }
    return geometry;
  });
}

// fpr = 2^-columns (1 + share), by the digits of fpr itself: no logarithm decides a bit.
Result<RibbonGeometry> RibbonGeometry::for_capacity(std::uint64_t n, double fpr) {
  return guarded([&]() -> Result<RibbonGeometry> {
    BLOOMERY_TRY(sizing::check_target(n, fpr));
    BLOOMERY_TRY(check_n(n));
    if (fpr < std::ldexp(1, -static_cast<int>(kMaxColumns)))
      return invalid_argument("fpr", "the kind 'ribbon' does not go below a false-positive rate of 2^-32: " +
                                         sizing::use_first_that_can(n, fpr, {sizing::kQuotient}));
    if (fpr >= 0.5) return for_keys(n, 1, 0);
    int exponent = 0;
    const double digits = 2 * std::frexp(fpr, &exponent);  // 1 to 2
    return for_keys(n, static_cast<std::uint64_t>(1 - exponent), static_cast<std::uint64_t>((digits - 1) * kShares));
  });
}

Result<RibbonGeometry> RibbonGeometry::for_bits_per_key(std::uint64_t n, double bits_per_key) {
  return guarded([&]() -> Result<RibbonGeometry> {
    BLOOMERY_TRY(sizing::check_bits_per_key(n, bits_per_key));
    BLOOMERY_TRY(check_n(n));
    const double most = as_double(n) * bits_per_key;
    const std::uint64_t too_many = sizing::smallest(kShares, kMaxColumns * kShares + 1, [&](std::uint64_t precision) {
      return precision > kMaxColumns * kShares || as_double(of_precision(n, precision).bits()) > most;
    });
    if (too_many > kShares) return of_precision(n, too_many - 1);
    const double least = as_double(of_precision(n, kShares).bits());
    return invalid_argument("bits_per_key", "a ribbon filter for " + std::to_string(n) + " keys takes at least " +
                                                sizing::least_bits_per_key(n, least) + " bits per key: give it more");
  });
}

double RibbonGeometry::expected_fill(std::uint64_t n) const { return std::min(1.0, as_double(n) / as_double(cells())); }

// Each layer answers the share of all lookups that it has of the keys; the list is wrong by a chance of 64 bits alone.
double RibbonGeometry::predicted_fpr_after(std::uint64_t) const {
  if (keys == 0) return 0;
  const detail::RibbonMap map(*this);
  double rate = std::ldexp(as_double(bumped.back()), -64);
  for (std::size_t i = 0; i < kLayers; ++i) {
    if (map.layers[i].starts == 0) continue;
    const double low = as_double(map.layers[i].cut) / as_double(map.layers[i].starts);
    const double share = as_double(keys_of(i) - bumped[i]) / as_double(keys);
    rate += share * std::ldexp(1 + low, -static_cast<int>(columns));
  }
  return rate;
}

}  // namespace BLOOMERY_NAMESPACE
