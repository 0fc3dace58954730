// Batches of a ribbon filter: the layer and the window of a key are found, and its lines fetched, some keys before its
// equations are looked at.
#include <algorithm>
#include <array>

#include "bloomery/ribbon.h"

namespace bloomery {
namespace {

using detail::RibbonLayer;
using detail::RibbonMap;

// Keys in flight.
constexpr std::size_t kAhead = 16;

// Where to look for a key. One array each, as in cuckoo_batch.cc.
class InFlight {
 public:
  InFlight(const std::uint8_t* bytes, const RibbonGeometry& geometry)
      : bytes_(bytes), geometry_(geometry), map_(geometry) {}

  [[gnu::always_inline]] void fetch(std::size_t number, Hash hash) {
    std::uint64_t place = detail::ribbon_place(hash, geometry_.seed);
    std::uint32_t columns = 0;
    const std::uint8_t* from = bytes_;
    for (std::size_t i = 0; i < map_.layers.size(); ++i) {
      const RibbonLayer& layer = map_.layers[i];
      const std::uint64_t start = layer.start_of(place);
      place = detail::splitmix64(place);
      if (layer.starts == 0 || layer.bumped(bytes_ + map_.offsets[i], start)) continue;
      columns = layer.columns_at(start, geometry_.columns);
      from = bytes_ + map_.offsets[i] + layer.offset(start, columns);
      break;
    }
    __builtin_prefetch(from);
    __builtin_prefetch(from + 8 * columns - 1);
    from_[number % kAhead] = from;
    columns_[number % kAhead] = columns;
    place_[number % kAhead] = place;
  }
  bool matches(std::size_t i) const {
    const std::uint32_t columns = columns_[i % kAhead];
    if (columns > 0) return detail::ribbon_matches(from_[i % kAhead], columns, place_[i % kAhead]);
    return detail::ribbon_lists(bytes_ + map_.list, geometry_.bumped.back(), place_[i % kAhead]);
  }

 private:
  const std::uint8_t* bytes_;
  RibbonGeometry geometry_;
  RibbonMap map_;
  std::array<const std::uint8_t*, kAhead> from_;
  std::array<std::uint64_t, kAhead> place_;
  std::array<std::uint32_t, kAhead> columns_;
};

}  // namespace

void RibbonLayout::contains_many(const std::uint8_t* bytes, std::span<const Hash> hashes, std::uint8_t* answers) const {
  InFlight in_flight(bytes, geometry_);
  const std::size_t at_once = std::min(kAhead, hashes.size());
  for (std::size_t i = 0; i < at_once; ++i) in_flight.fetch(i, hashes[i]);
  std::size_t i = 0;
  for (; i + at_once < hashes.size(); ++i) {
    answers[i] = in_flight.matches(i) ? 1 : 0;
    in_flight.fetch(i + at_once, hashes[i + at_once]);
  }
  for (; i < hashes.size(); ++i) answers[i] = in_flight.matches(i) ? 1 : 0;
}

}  // namespace bloomery
