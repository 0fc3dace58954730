// Where the slots of a key are in a fuse filter, and what they are compared with. A Probe stands for an arity and a
// width of the fingerprints; used by lookups, batches and the build.
#pragma once

#include <array>
#include <cstdint>

#include "bloomery/detail/bits.h"
#include "bloomery/detail/fuse_geometry.h"
#include "bloomery/hash.h"

namespace bloomery::detail {

inline constexpr std::uint64_t kFuseSeedStep = 0x9e3779b97f4a7c14;  // 2^64 over the golden ratio, made even
inline constexpr std::uint64_t kFuseSpread = 0xbf58476d1ce4e5b9;    // of splitmix64 (Steele, Lea and Flood, 2014)

// A part as its keys see it.
struct FuseRing {
  explicit FuseRing(const FuseGeometry& geometry)
      : slots(geometry.slots), begins(geometry.slots - geometry.gap()), mask(geometry.window - 1) {}

  std::uint64_t slots;
  std::uint64_t begins;  // slots a key may begin in
  std::uint64_t mask;
};

// Of a key with this seed: all that its places and its fingerprint come from. One to one within a part.
inline std::uint64_t fuse_mixed(std::uint64_t hash_times_parts, std::uint64_t seed) {
  const std::uint64_t y = hash_times_parts * (1 + seed * kFuseSeedStep);
  return y ^ (y >> 32);
}

template <unsigned kSlotsOfKey, class Value>
struct FuseProbe {
  using Slot = Value;
  static constexpr unsigned kArity = kSlotsOfKey;

  explicit FuseProbe(const FuseRing& ring, std::uint64_t mixed) {
    const std::uint64_t spread = mixed * kFuseSpread;
    std::uint64_t place = mulhi64(mixed, ring.begins);
    places[0] = place;
    for (unsigned j = 1; j < kArity; ++j) {
      place += 1 + ((spread >> (48 - 16 * j)) & ring.mask);
      places[j] = place >= ring.slots ? place - ring.slots : place;
    }
    fingerprint = static_cast<Slot>(spread >> (64 - 8 * sizeof(Slot)));
  }

  static Slot get(const std::uint8_t* slots, std::uint64_t i) { return load_le<Slot>(slots + i * sizeof(Slot)); }
  // 0 where the slots of the key hold it.
  Slot difference(const std::uint8_t* slots) const {
    Slot found = fingerprint;
    for (std::uint64_t place : places) found = static_cast<Slot>(found ^ get(slots, place));
    return found;
  }

  std::array<std::uint64_t, kArity> places;
  Slot fingerprint;
};

// use(std::type_identity-like tag of the Probe): Use has a template operator()<Probe>.
template <class Use>
decltype(auto) with_fuse_probe(std::uint32_t arity, std::uint32_t bits, Use use) {
  if (arity == 3)
    return bits == 8 ? use.template operator()<FuseProbe<3, std::uint8_t>>()
                     : use.template operator()<FuseProbe<3, std::uint16_t>>();
  return bits == 8 ? use.template operator()<FuseProbe<4, std::uint8_t>>()
                   : use.template operator()<FuseProbe<4, std::uint16_t>>();
}

}  // namespace bloomery::detail
