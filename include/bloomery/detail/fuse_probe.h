// Where the slots of a key are in a fuse filter, and what they are compared with. There is a Probe for each arity and
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

  std::uint64_t wrapped(std::uint64_t slot) const { return slot >= slots ? slot - slots : slot; }

  std::uint64_t slots;
  std::uint64_t begins;  // slots a key may begin in
  std::uint64_t mask;
};

// What a hash is multiplied by with this seed, beside the number of parts. A table, because a load is less work for a
// lookup than the formula.
inline constexpr std::array<std::uint64_t, 256> kFuseFactors = [] {
  std::array<std::uint64_t, 256> factors{};
  for (std::uint64_t seed = 0; seed < factors.size(); ++seed) factors[seed] = 1 + seed * kFuseSeedStep;
  return factors;
}();

// All that the places and the fingerprint of a key come from. One to one within a part.
inline std::uint64_t fuse_mixed(std::uint64_t product) { return product ^ (product >> 32); }

template <unsigned kSlotsOfKey, class Value>
struct FuseProbe {
  using Slot = Value;
  static constexpr unsigned kArity = kSlotsOfKey;

  FuseProbe(const FuseRing& ring, std::uint64_t mixed)
      : spread(mixed * kFuseSpread), first(mulhi64(mixed, ring.begins)) {
    second = first + 1 + step(ring, 1);
    third = second + 1 + step(ring, 2);
    last = kArity == 3 ? third : third + 1 + step(ring, 3);
    // One comparison instead of two or three: of a hundred keys one or two reach beyond the end.
    if (last >= ring.slots) [[unlikely]] {
      second = ring.wrapped(second);
      third = ring.wrapped(third);
      last -= ring.slots;
    }
  }
  Slot fingerprint() const { return static_cast<Slot>(spread >> (64 - 8 * sizeof(Slot))); }

  // use(slot) of each, in order. No loop and no array: g++ -O2 would keep one in memory.
  template <class Use>
  void for_each(Use use) const {
    use(first), use(second), use(kArity == 3 ? last : third);
    if constexpr (kArity == 4) use(last);
  }
  // 0 where the slots of the key hold it.
  Slot difference(const std::uint8_t* slots) const {
    Slot found = fingerprint();
    for_each([&](std::uint64_t i) { found = static_cast<Slot>(found ^ load_le<Slot>(slots + i * sizeof(Slot))); });
    return found;
  }

 private:
  std::uint64_t step(const FuseRing& ring, unsigned j) const { return (spread >> (48 - 16 * j)) & ring.mask; }

  std::uint64_t spread, first, second, third, last;
};

// use.operator()<Probe>(), of the Probe that fits.
template <class Use>
decltype(auto) with_fuse_probe(std::uint32_t arity, std::uint32_t bits, Use use) {
  if (arity == 3)
    return bits == 8 ? use.template operator()<FuseProbe<3, std::uint8_t>>()
                     : use.template operator()<FuseProbe<3, std::uint16_t>>();
  return bits == 8 ? use.template operator()<FuseProbe<4, std::uint8_t>>()
                   : use.template operator()<FuseProbe<4, std::uint16_t>>();
}

}  // namespace bloomery::detail
