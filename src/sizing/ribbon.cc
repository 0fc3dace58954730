// The sizing of ribbon filters: how many places each layer has, in whole numbers, and the columns that make a rate.
// spec/ribbon.md derives both; the constants are those of tools/ribbon_load.cc.
#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"
#include "bloomery/detail/ribbon_geometry.h"
#include "bloomery/detail/ribbon_probe.h"
#include "sizing/target.h"

namespace bloomery {
namespace {

using sizing::as_double;
using sizing::short_number;

// Up to so many keys go into a layer that has a place for each of them.
constexpr std::uint64_t kRoomy = 400;

// A layer has 26 keys for 25 slots, which leaves few slots empty; about one key in 25 moves to the next layer.
std::uint64_t crowded_starts(std::uint64_t keys) { return (25 * keys + 207) / 208; }
std::uint64_t moving_on(std::uint64_t keys) { return keys / 25 + 8; }
// The last layer has room to spare, so that all but a few of many sets find a place in it.
std::uint64_t roomy_starts(std::uint64_t keys) { return keys <= 40 ? 1 : (5 * (keys - 40) + 35) / 36 + 1; }

Status check_n(std::uint64_t n) {
  if (n > RibbonGeometry::kMaxKeys)
    return invalid_argument("n", "a filter of the kind 'ribbon' has at most 2^48 keys: ask for fewer");
  return {};
}

RibbonGeometry for_keys(std::uint64_t n, std::uint32_t columns, std::uint32_t low_share) {
  RibbonGeometry geometry;
  geometry.keys = n;
  geometry.columns = columns;
  geometry.low_share = low_share;
  geometry.listed = n <= RibbonGeometry::kFewKeys ? n : 0;
  return geometry;
}

// From one column, 65536, to all of them, in 65536ths.
RibbonGeometry of_precision(std::uint64_t n, std::uint64_t precision) {
  const std::uint64_t columns = (precision + RibbonGeometry::kShares - 1) / RibbonGeometry::kShares;
  return for_keys(n, static_cast<std::uint32_t>(columns),
                  static_cast<std::uint32_t>(columns * RibbonGeometry::kShares - precision));
}

}  // namespace

RibbonGeometry::Layers RibbonGeometry::layers_for(std::uint64_t keys) {
  Layers layers;
  for (std::uint32_t i = 0; i < kMaxLayers && keys > kFewKeys; ++i) {
    const bool last = keys <= kRoomy || i + 1 == kMaxLayers;
    layers.keys[i] = keys;
    layers.starts[i] = last ? roomy_starts(keys) : crowded_starts(keys);
    keys = last ? 0 : moving_on(keys);
  }
  return layers;
}

std::uint64_t RibbonGeometry::payload_bytes() const {
  return detail::RibbonMap(*this).list + 8 * listed + detail::kRibbonPadding;
}

std::uint64_t RibbonGeometry::cells() const {
  std::uint64_t cells = listed;
  for (const detail::RibbonLayer& layer : detail::RibbonMap(*this).layers) cells += layer.slots();
  return std::max<std::uint64_t>(cells, 1);
}

Result<RibbonGeometry> RibbonGeometry::from_values(const std::array<std::uint64_t, 5>& values) {
  return guarded([&]() -> Result<RibbonGeometry> {
    const auto [keys, columns, low_share, seed, listed] = values;
    if (keys > kMaxKeys)
      return invalid_argument("keys",
                              "a filter of the kind 'ribbon' has at most 2^48 keys, not " + std::to_string(keys));
    if (columns < 1 || columns > kMaxColumns)
      return invalid_argument("columns",
                              "a filter of the kind 'ribbon' has 1 to 32 columns, not " + std::to_string(columns));
    if (low_share >= kShares || (columns == 1 && low_share != 0))
      return invalid_argument("low_share",
                              "the share of keys with a column less is below 65536, and 0 of a single column, not " +
                                  std::to_string(low_share));
    if (seed > kMaxSeed)
      return invalid_argument("seed", "the seed of a ribbon filter is at most 3, not " + std::to_string(seed));
    if (listed > keys || (keys <= kFewKeys && listed != keys))
      return invalid_argument("listed", "of " + std::to_string(keys) + " keys " + std::to_string(listed) +
                                            " cannot be those that are listed");
    RibbonGeometry geometry =
        for_keys(keys, static_cast<std::uint32_t>(columns), static_cast<std::uint32_t>(low_share));
    geometry.seed = static_cast<std::uint32_t>(seed);
    geometry.listed = listed;
    return geometry;
  });
}

// fpr = 2^-columns (1 + share), by the digits of fpr itself: no logarithm decides a bit.
Result<RibbonGeometry> RibbonGeometry::for_capacity(std::uint64_t n, double fpr) {
  return guarded([&]() -> Result<RibbonGeometry> {
    if (Status status = sizing::check_target(n, fpr); !status.ok()) return std::move(status).error();
    if (Status status = check_n(n); !status.ok()) return std::move(status).error();
    if (fpr < std::ldexp(1, -static_cast<int>(kMaxColumns)))
      return invalid_argument("fpr",
                              "the kind 'ribbon' does not go below a false-positive rate of 2^-32: use 'quotient'");
    if (fpr >= 0.5) return for_keys(n, 1, 0);
    int exponent = 0;
    const double digits = 2 * std::frexp(fpr, &exponent);  // 1 to 2
    return for_keys(n, static_cast<std::uint32_t>(1 - exponent), static_cast<std::uint32_t>((digits - 1) * kShares));
  });
}

Result<RibbonGeometry> RibbonGeometry::for_bits_per_key(std::uint64_t n, double bits_per_key) {
  return guarded([&]() -> Result<RibbonGeometry> {
    if (Status status = sizing::check_bits_per_key(n, bits_per_key); !status.ok()) return std::move(status).error();
    if (Status status = check_n(n); !status.ok()) return std::move(status).error();
    const double most = as_double(n) * bits_per_key;
    const std::uint64_t too_many = sizing::smallest(kShares, kMaxColumns * kShares + 1, [&](std::uint64_t precision) {
      return precision > kMaxColumns * kShares || as_double(of_precision(n, precision).bits()) > most;
    });
    if (too_many > kShares) return of_precision(n, too_many - 1);
    const double least = as_double(of_precision(n, kShares).bits()) / as_double(n);
    return invalid_argument("bits_per_key", "a ribbon filter for " + std::to_string(n) + " keys takes at least " +
                                                short_number(least) + " bits per key: give it more");
  });
}

double RibbonGeometry::expected_fill(std::uint64_t n) const { return std::min(1.0, as_double(n) / as_double(cells())); }

// Each layer has its share of all lookups; those of the list are hits by chance of 64 bits alone.
double RibbonGeometry::predicted_fpr_after(std::uint64_t) const {
  if (keys == 0) return 0;
  const Layers planned = layers_for(keys);
  const detail::RibbonMap map(*this);
  double rate = std::ldexp(as_double(listed), -64), reached = 1;
  for (std::uint32_t i = 0; i < kMaxLayers && planned.starts[i] > 0; ++i) {
    const double moved = i + 1 < kMaxLayers ? as_double(planned.keys[i + 1]) / as_double(planned.keys[i]) : 0;
    const double low = as_double(map.layers[i].cut) / as_double(map.layers[i].starts);
    rate += reached * (1 - moved) * std::ldexp(1 + low, -static_cast<int>(columns));
    reached *= moved;
  }
  return rate;
}

}  // namespace bloomery
