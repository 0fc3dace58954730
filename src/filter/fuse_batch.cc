// Batches of a fuse filter: the slots of a key are worked out and their lines fetched some keys before it is looked at.
#include <algorithm>
#include <array>

#include "bloomery/fuse.h"

namespace bloomery {
namespace {

// Keys in flight.
constexpr std::size_t kAhead = 16;

}  // namespace

void FuseLayout::contains_many(const std::uint8_t* bytes, std::span<const Hash> hashes, std::uint8_t* answers) const {
  detail::with_fuse_probe(arity_, bits_, [&]<class Probe>() {
    using Slot = typename Probe::Slot;
    std::array<std::array<const std::uint8_t*, kAhead>, Probe::kArity> slots;
    std::array<Slot, kAhead> fingerprints;
    const auto fetch = [&](std::size_t i) {
      const Located<Probe> key = locate<Probe>(bytes, hashes[i]);
      fingerprints[i % kAhead] = key.probe.fingerprint();
      unsigned j = 0;
      key.probe.for_each([&](std::uint64_t place) {
        const std::uint8_t* slot = key.slots + place * sizeof(Slot);
        __builtin_prefetch(slot);
        slots[j++][i % kAhead] = slot;
      });
    };
    const auto answer = [&](std::size_t i) {
      Slot found = fingerprints[i % kAhead];
      for (unsigned j = 0; j < Probe::kArity; ++j)
        found = static_cast<Slot>(found ^ detail::load_le<Slot>(slots[j][i % kAhead]));
      answers[i] = (found | no_keys_) == 0 ? 1 : 0;
    };
    const std::size_t at_once = std::min(kAhead, hashes.size());
    for (std::size_t i = 0; i < at_once; ++i) fetch(i);
    std::size_t i = 0;
    for (; i + at_once < hashes.size(); ++i) {
      answer(i);
      fetch(i + at_once);
    }
    for (; i < hashes.size(); ++i) answer(i);
  });
}

}  // namespace bloomery
