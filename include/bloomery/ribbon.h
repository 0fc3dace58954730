// The ribbon filter takes the fewest bits of all kinds, at any rate from 50 % to 2^-32, and is built once of all its
// keys (spec/ribbon.md). At 1 % it takes 6.75 bits a key, where the least possible is 6.64. A build takes memory for
// the sorted hashes (8 bytes a key), twice the bytes of the filter, 1 byte a key, and 3.5 MB a thread.
//
//   auto filter = bloomery::RibbonFilter::build(keys, 0.01);
//   filter->contains("a key");
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "bloomery/detail/ribbon_probe.h"
#include "bloomery/filter.h"
#include "bloomery/geometry/ribbon.h"

namespace BLOOMERY_NAMESPACE {

class BLOOMERY_API RibbonLayout {
 public:
  using Geometry = RibbonGeometry;
  static constexpr const char* kPickFor = "a set that is known and stays: the fewest bits there are, at any rate";
  static constexpr const char* kCells = "slots";

  BLOOMERY_PER_ISA explicit RibbonLayout(const Geometry& geometry)
      : geometry_(geometry), first_(detail::ribbon_layer(geometry, 0)) {}
  BLOOMERY_PER_ISA Geometry geometry() const { return geometry_; }
  static constexpr Hasher default_hasher() { return Hasher::xxh3(); }

  BLOOMERY_PER_ISA bool contains(const std::uint8_t* bytes, Hash hash) const {
    const detail::RibbonWindow found = window(bytes, hash);
    return found.columns > 0 ? detail::ribbon_matches(found) : contains_deeper(bytes, found.coefficients);
  }
  void contains_many(const std::uint8_t* bytes, std::span<const Hash> hashes, std::uint8_t* answers) const;
  void contains_run(const std::uint8_t* bytes, const KeyRun& keys, std::uint8_t* answers) const;

  // Builds the filter of sorted, distinct hashes. Of `target` only the rate counts.
  static Result<BasicFilter<RibbonLayout>> build(std::span<const Hash> keys, const Geometry& target,
                                                 const FilterOptions& options, unsigned threads);
  // Returns how many attempts failed because too many keys fell into too few places.
  std::uint64_t retries(const std::uint8_t*) const { return geometry_.seed; }

  std::uint64_t cells_set(std::span<const std::uint8_t>) const { return geometry_.keys; }
  BLOOMERY_PER_ISA static Result<Geometry> plan(std::uint64_t n, double fpr) { return Geometry::for_capacity(n, fpr); }
  // Refuses padding that is not 0. The rest may be anything.
  Status check_payload(std::span<const std::uint8_t> bytes) const;
  double predicted_fpr(std::span<const std::uint8_t>, std::uint64_t slots_taken) const {
    return geometry_.predicted_fpr_at(slots_taken);
  }

 private:
  // Returns the window of a key in the first layer.
  BLOOMERY_PER_ISA detail::RibbonWindow window(const std::uint8_t* bytes, Hash hash) const {
    return detail::ribbon_window(bytes, first_, geometry_.columns, detail::ribbon_place(hash, geometry_.seed));
  }
  // Looks up a key that the first layer bumped; `place` is its place in the second layer.
  bool contains_deeper(const std::uint8_t* bytes, std::uint64_t place) const;

  Geometry geometry_;
  detail::RibbonLayer first_;
};

using RibbonView = BasicView<RibbonLayout>;
using RibbonFilter = BasicFilter<RibbonLayout>;
static_assert(std::is_trivially_copyable_v<RibbonView>);
static_assert(sizeof(RibbonView) <= 112);

}  // namespace BLOOMERY_NAMESPACE
