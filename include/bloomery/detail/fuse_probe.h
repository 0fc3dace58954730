// Where the slots of a key are in a fuse filter, and what they are compared with. There is a Probe for each arity and
// width of the fingerprints; used by lookups, batches and the build.
#pragma once

#include <cstdint>

#include "bloomery/detail/bits.h"
#include "bloomery/geometry/fuse.h"
#include "bloomery/hash.h"

namespace BLOOMERY_NAMESPACE::detail {

inline constexpr std::uint64_t kFuseSpread = 0xbf58476d1ce4e5b9;  // of splitmix64 (Steele, Lea and Flood, 2014)

// A part as its keys see it.
struct FuseRing {
  BLOOMERY_PER_ISA explicit FuseRing(const FuseGeometry& geometry)
      : slots(geometry.slots), begins(geometry.slots - geometry.gap()), mask(geometry.window - 1) {}

  BLOOMERY_PER_ISA std::uint64_t wrapped(std::uint64_t slot) const { return slot >= slots ? slot - slots : slot; }

  std::uint64_t slots;
  std::uint64_t begins;  // slots a key may begin in
  std::uint64_t mask;
};

// The slots of a key as if the ring had no end. start: the hash times the factor of its part. What else a key has comes
// from the hash alone, so that a lookup need not wait for the factor.
template <unsigned kArity>
struct FuseSteps {
  BLOOMERY_PER_ISA FuseSteps(const FuseRing& ring, Hash hash, std::uint64_t start)
      : spread((hash.bits ^ (hash.bits >> 32)) * kFuseSpread), first(mulhi64(start, ring.begins)) {
    const auto step = [&](unsigned j) { return (spread >> (48 - 16 * j)) & ring.mask; };
    second = first + 1 + step(1);
    third = second + 1 + step(2);
    last = kArity == 3 ? third : third + 1 + step(3);
  }

  std::uint64_t spread, first, second, third, last;
};

template <unsigned kSlotsOfKey, class Value>
struct FuseProbe : private FuseSteps<kSlotsOfKey> {
  using Slot = Value;
  static constexpr unsigned kArity = kSlotsOfKey;

  BLOOMERY_PER_ISA FuseProbe(const FuseRing& ring, Hash hash, std::uint64_t start)
      : FuseSteps<kArity>(ring, hash, start) {
    // One comparison instead of two or three: of a hundred keys one or two reach beyond the end.
    if (last >= ring.slots) [[unlikely]] {
      second = ring.wrapped(second);
      third = ring.wrapped(third);
      last -= ring.slots;
    }
  }
  BLOOMERY_PER_ISA Slot fingerprint() const { return static_cast<Slot>(spread >> (64 - 8 * sizeof(Slot))); }

  // use(slot) of each, in order. No loop and no array: g++ -O2 would keep one in memory.
  template <class Use, unsigned kIsa = kCompiledFor>
  void for_each(Use use) const {
    use(first), use(second), use(kArity == 3 ? last : third);
    if constexpr (kArity == 4) use(last);
  }
  // 0 where the slots of the key hold it.
  BLOOMERY_PER_ISA Slot difference(const std::uint8_t* slots) const {
    Slot found = fingerprint();
    for_each([&](std::uint64_t i) { found = static_cast<Slot>(found ^ load_le<Slot>(slots + i * sizeof(Slot))); });
    return found;
  }

 private:
  using Steps = FuseSteps<kSlotsOfKey>;
  using Steps::first, Steps::second, Steps::third, Steps::last, Steps::spread;
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

}  // namespace BLOOMERY_NAMESPACE::detail
