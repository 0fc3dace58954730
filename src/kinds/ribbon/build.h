// A layer of a ribbon filter, from the keys that come to it to those that it bumps. spec/ribbon.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bloomery/detail/ribbon_probe.h"
#include "bloomery/hash.h"

namespace BLOOMERY_NAMESPACE::detail {

// One layer, solved.
struct RibbonSolved {
  std::vector<std::uint8_t> bytes;
  std::vector<Hash> bumped;  // places, in the next layer, of the keys that are bumped; sorted
};

// Solves a layer for these places, which are sorted and differ. Returns nothing when some segment bumped far more keys
// than it would with random places, unless `at_any_cost` is true.
std::optional<RibbonSolved> solve_ribbon_layer(const RibbonLayer& layer, std::uint32_t columns,
                                               std::span<const Hash> places, unsigned threads, bool at_any_cost);

// Sorts places, which all differ.
void sort_places(std::vector<Hash>& places, unsigned threads);

}  // namespace BLOOMERY_NAMESPACE::detail
