#include "bloomery/ribbon.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kinds/common/basic_filter_impl.h"
#include "kinds/ribbon/build.h"
#include "kinds/ribbon/deeper.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using detail::RibbonLayer;
using detail::RibbonMap;
using detail::RibbonSolved;

std::vector<Hash> mixed_places(std::span<const Hash> keys, std::uint64_t seed, unsigned threads) {
  std::vector<Hash> places;
  places.reserve(keys.size());
  for (const Hash key : keys) places.emplace_back(detail::ribbon_place(key, seed));
  detail::sort_places(places, threads);
  return places;
}

using Layers = std::array<RibbonSolved, RibbonGeometry::kLayers>;

// Solves the layers one after another, each for what the one before bumps, and tells the geometry how many that are.
bool solve(RibbonGeometry& geometry, std::span<const Hash> places, unsigned threads, Layers& layers) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const RibbonLayer layer = detail::ribbon_layer(geometry, i);
    std::optional<RibbonSolved> solved =
        detail::solve_ribbon_layer(layer, geometry.columns, places, threads, geometry.seed == RibbonGeometry::kMaxSeed);
    if (!solved.has_value()) return false;
    layers[i] = *std::move(solved);
    places = layers[i].bumped;
    geometry.bumped[i] = places.size();
  }
  return true;
}

}  // namespace

detail::RibbonWindow detail::deeper_window(const std::uint8_t* bytes, const RibbonMap& map, std::uint32_t columns,
                                           std::uint64_t place) {
  RibbonWindow window;
  for (std::size_t i = 1; i < map.layers.size() && window.columns == 0; ++i) {
    window = ribbon_window(bytes + map.offsets[i], map.layers[i], columns, place);
    place = window.coefficients;
  }
  if (window.columns == 0) window.from = bytes + map.list;
  return window;
}

bool RibbonLayout::contains_deeper(const std::uint8_t* bytes, std::uint64_t place) const {
  const detail::RibbonWindow window = detail::deeper_window(bytes, RibbonMap(geometry_), geometry_.columns, place);
  if (window.columns > 0) return detail::ribbon_matches(window);
  return detail::ribbon_lists(window.from, geometry_.bumped.back(), window.coefficients);
}

// The keys themselves are the places of the first attempt: they are sorted, and hashes are random. Where they are not,
// as when a caller has numbered its keys, the next attempts mix them.
Result<RibbonFilter> RibbonLayout::build(std::span<const Hash> keys, const Geometry& target,
                                         const FilterOptions& options, unsigned threads) {
  // The other numbers follow from the keys.
  BLOOMERY_TRY(Geometry::from_values({0, target.columns, target.low_share, 0, 0, 0, 0, 0}));
  Geometry geometry = target;
  geometry.keys = keys.size();
  geometry.seed = 0;
  Layers layers;
  while (!solve(geometry, geometry.seed == 0 ? keys : mixed_places(keys, geometry.seed, threads), threads, layers))
    ++geometry.seed;
  Result<RibbonFilter> filter = RibbonFilter::create(geometry, options);
  BLOOMERY_TRY(filter);
  std::uint8_t* to = filter->mutable_payload().data();
  for (const RibbonSolved& layer : layers) to = std::copy(layer.bytes.begin(), layer.bytes.end(), to);
  for (const Hash place : layers.back().bumped) detail::store_le(std::exchange(to, to + 8), place.bits);
  filter->set_key_count(keys.size());
  return filter;
}

Status RibbonLayout::check_payload(std::span<const std::uint8_t> bytes) const {
  for (const std::uint8_t byte : bytes.last(detail::kRibbonPadding))
    if (byte != 0) return corrupt("payload", "a byte after the last key is not 0: the filter is damaged");
  return {};
}

template class BasicView<RibbonLayout>;
template class BasicFilter<RibbonLayout>;

}  // namespace BLOOMERY_NAMESPACE
