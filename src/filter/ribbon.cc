#include "bloomery/ribbon.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "filter/basic_filter_impl.h"
#include "filter/ribbon_build.h"

namespace bloomery {
namespace {

std::vector<Hash> mixed_places(std::span<const Hash> keys, std::uint32_t seed) {
  std::vector<Hash> places;
  places.reserve(keys.size());
  for (const Hash key : keys) places.emplace_back(detail::ribbon_place(key, seed));
  std::sort(places.begin(), places.end(), [](Hash a, Hash b) { return a.bits < b.bits; });
  return places;
}

}  // namespace

bool RibbonLayout::contains_deeper(const std::uint8_t* bytes, std::uint64_t place) const {
  const detail::RibbonMap map(geometry_);
  for (std::size_t i = 1; i < map.layers.size(); ++i) {
    const std::uint64_t coefficients = detail::splitmix64(place);
    const detail::RibbonLayer& layer = map.layers[i];
    if (layer.starts > 0) {
      const std::uint64_t start = layer.start_of(place);
      const std::uint32_t columns = layer.columns_at(start, geometry_.columns);
      if (!layer.bumped(bytes, start))
        return detail::ribbon_matches(bytes + layer.offset(start, columns), columns, coefficients);
    }
    place = coefficients;
  }
  return detail::ribbon_lists(bytes + map.list, geometry_.listed, place);
}

Result<RibbonFilter> RibbonLayout::built(std::span<const Hash> keys, const Geometry& wish, unsigned threads,
                                         const Hasher& hasher) {
  Geometry geometry = wish;
  geometry.keys = keys.size();
  geometry.seed = 0;
  geometry.listed = keys.size() <= Geometry::kFewKeys ? keys.size() : 0;
  Result<RibbonFilter> filter = RibbonFilter::with_geometry(geometry, hasher);
  if (!filter.ok()) return filter;
  const Geometry planned = geometry;
  std::uint8_t* bytes = filter->payload_to_write().data();
  std::optional<std::vector<Hash>> list = detail::solve_ribbon(geometry, keys, bytes, threads, false);
  while (!list.has_value()) {
    ++geometry.seed;
    std::memset(bytes, 0, filter->bytes());
    list = detail::solve_ribbon(geometry, mixed_places(keys, geometry.seed), bytes, threads,
                                geometry.seed == Geometry::kMaxSeed);
  }
  geometry.listed = list->size();
  if (geometry != planned) {
    Result<RibbonFilter> other = RibbonFilter::with_geometry(geometry, hasher);
    if (!other.ok()) return other;
    std::memcpy(other->payload_to_write().data(), bytes, detail::RibbonMap(geometry).list);
    filter = std::move(other);
  }
  std::uint8_t* to = filter->payload_to_write().data() + detail::RibbonMap(geometry).list;
  for (const Hash place : *list) detail::store_le(std::exchange(to, to + 8), place.bits);
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

}  // namespace bloomery
