// How full a layer of a ribbon filter gets: the tables behind RibbonGeometry::starts_of (src/kinds/ribbon/sizing.cc),
// made by the library's own elimination of random keys.
//
//   g++ -std=c++20 -O2 -Iinclude -Isrc tools/ribbon_load.cc build/release/libbloomery.a -lpthread -o /tmp/ribbon_load
//   && /tmp/ribbon_load
//
// 1. A crowded layer of a million slots, by its load: what is bumped, what stays empty, and the bits it takes beyond
// one
//    column for each key that it keeps, codes included.
// 2. What the crowded layers of whole filters bump: mean, standard deviation and the highest of many, beside
//    what is planned.
// 3. The last layer: how many of many sets bump anything.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "bloomery/detail/fnv.h"
#include "bloomery/detail/ribbon_layer.h"
#include "bloomery/geometry/ribbon.h"
#include "kinds/ribbon/build.h"

namespace {

using namespace bloomery;

std::vector<Hash> random_places(std::uint64_t count) {
  static std::uint64_t next = 0;
  std::vector<Hash> places;
  for (std::uint64_t i = 0; i < count; ++i) places.emplace_back(detail::splitmix64(next++));
  std::sort(places.begin(), places.end(), [](Hash a, Hash b) { return a.bits < b.bits; });
  return places;
}

// Returns how many random keys a layer with one column bumps.
std::uint64_t bumped_of(std::uint64_t keys, std::uint64_t starts) {
  return detail::solve_ribbon_layer({starts, 1, 0}, 1, random_places(keys), 1, true)->bumped.size();
}

// The starts of the first layer of a filter, and what it is planned to bump.
RibbonGeometry planned(std::uint64_t keys) { return *RibbonGeometry::for_capacity(keys, 0.5); }

void crowded() {
  std::printf("keys a slot   bumped   empty   bits beyond 6.72, and 10, columns\n");
  for (int load = 94; load <= 110; load += load < 100 ? 2 : 1) {
    const std::uint64_t starts = std::uint64_t{1} << 17, keys = 8 * starts * static_cast<std::uint64_t>(load) / 100;
    const double slots = static_cast<double>(detail::RibbonLayer(starts, 1, 0).slots());
    const double kept = static_cast<double>(keys - bumped_of(keys, starts)), codes = static_cast<double>(starts) / 8;
    std::printf("%11.2f %7.2f%% %6.3f%% %8.3f%% %8.3f%%\n", load / 100.0, 100 * (1 - kept / static_cast<double>(keys)),
                100 * (1 - kept / slots), 100 * ((slots + codes / 6.72) / kept - 1),
                100 * ((slots + codes / 10) / kept - 1));
  }
}

void bumped() {
  std::printf("\n   keys   planned   mean  deviation  highest\n");
  for (const std::uint64_t keys : {501u, 700u, 1000u, 2000u, 4000u, 10'000u, 30'000u, 100'000u, 1'000'000u}) {
    const RibbonGeometry geometry = planned(keys);
    const int sets = static_cast<int>(std::clamp<std::uint64_t>(20'000'000 / keys, 10, 10'000));
    std::uint64_t sum = 0, squares = 0, most = 0;
    for (int i = 0; i < sets; ++i) {
      const std::uint64_t bumped = bumped_of(keys, geometry.starts_of(0));
      sum += bumped;
      squares += bumped * bumped;
      most = std::max(most, bumped);
    }
    const double mean = static_cast<double>(sum) / sets;
    std::printf("%7llu %9llu %6.0f %8.1f %9llu\n", static_cast<unsigned long long>(keys),
                static_cast<unsigned long long>(geometry.bumped[0]), mean,
                std::sqrt(static_cast<double>(squares) / sets - mean * mean), static_cast<unsigned long long>(most));
  }
}

void roomy() {
  std::printf("\n  keys   slots   sets of 10,000 that bump a key\n");
  for (std::uint64_t keys = 8; keys <= 400; keys += keys < 100 ? 4 : 25) {
    const std::uint64_t starts = planned(keys).starts_of(0);
    int bumping = 0;
    for (int i = 0; i < 10'000; ++i) bumping += bumped_of(keys, starts) > 0;
    std::printf("%6llu %7llu %7d\n", static_cast<unsigned long long>(keys),
                static_cast<unsigned long long>(8 * (starts + detail::kRibbonWindow - 1)), bumping);
  }
}

}  // namespace

int main() {
  crowded();
  bumped();
  roomy();
}
