// Batches of a fuse filter: the slots of a key are worked out and their lines fetched some keys before it is looked at.
#include <algorithm>
#include <array>

#include "bloomery/fuse.h"
#include "kernel/caches.h"

namespace BLOOMERY_NAMESPACE {
namespace {

// Keys in flight.
constexpr std::size_t kAhead = 32;

}  // namespace

// kOnePart: the filter has one part, whose factor is that of all keys. Small filters have one, unless they were made
// with more.
template <class Probe, bool kOnePart>
void FuseLayout::ask_one_by_one(const std::uint8_t* bytes, std::span<const Hash> hashes, std::uint8_t* answers) const {
  const FuseLayout layout = *this;
  const std::uint64_t factor_of_first = layout.factor(bytes, 0);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    bool found = false;
    if constexpr (Probe::kArity == 3) {
      const std::uint64_t part = kOnePart ? 0 : detail::mulhi64(hashes[i].bits, layout.parts_);
      const std::uint64_t factor = kOnePart ? factor_of_first : layout.factor(bytes, part);
      const detail::FuseSteps<3> steps(layout.ring_, hashes[i], hashes[i].bits * factor);
      found = steps.last < layout.end_of<typename Probe::Slot>()
                  ? layout.usual_holds<typename Probe::Slot>(bytes, part, steps)
                  : layout.contains_unusual(bytes, hashes[i]);
    } else {
      found = layout.holds<Probe>(bytes, hashes[i]);
    }
    answers[i] = found ? 1 : 0;
  }
}

void FuseLayout::contains_many(const std::uint8_t* bytes, std::span<const Hash> hashes, std::uint8_t* answers) const {
  const FuseLayout layout = *this;  // which no store of an answer can change
  if (layout.keys_ == 0) return void(std::fill_n(answers, hashes.size(), std::uint8_t{0}));
  detail::with_fuse_probe(arity_, bits_, [&]<class Probe>() {
    // What is near needs no fetching: the processor looks far enough ahead by itself.
    if (layout.geometry().payload_bytes() <= kernel::caches().l2)
      return layout.parts_ == 1 ? layout.ask_one_by_one<Probe, true>(bytes, hashes, answers)
                                : layout.ask_one_by_one<Probe, false>(bytes, hashes, answers);
    using Slot = typename Probe::Slot;
    std::array<std::array<const std::uint8_t*, kAhead>, Probe::kArity> slots;
    std::array<Slot, kAhead> fingerprints;
    const auto fetch = [&](std::size_t i) {
      const Located<Probe> key = layout.template locate<Probe>(bytes, hashes[i]);
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
      answers[i] = found == 0 ? 1 : 0;
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

}  // namespace BLOOMERY_NAMESPACE
