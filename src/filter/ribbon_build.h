// All layers of a ribbon filter, from the keys to the list of those that found no place in any.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bloomery/detail/ribbon_probe.h"
#include "bloomery/hash.h"

namespace bloomery::detail {

// Solves all layers for these places, which are sorted and differ, and writes them to bytes, which are 0; returns the
// list, sorted. Nothing: some segment bumped far more keys than it would of random places, and `at_any_cost` is false.
std::optional<std::vector<Hash>> solve_ribbon(const RibbonGeometry& geometry, std::span<const Hash> places,
                                              std::uint8_t* bytes, unsigned threads, bool at_any_cost);

}  // namespace bloomery::detail
