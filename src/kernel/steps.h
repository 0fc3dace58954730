// What the AVX2 and AVX-512 kernels share: the walk over the keys in steps of sixteen. Internal to each file that
// includes it (see kernel.h), so nothing here may leave it.
//
// The work goes in groups of keys. What a group needs (the places of its blocks; for an add, its bits) is computed by
// vectors and stored one group before it is used: a narrow load right behind a wide store waits until that store has
// left the core (bench/results/2026-11-17-keys.md shows what such a wait costs). Meanwhile the blocks of the next group
// are prefetched, so the length of a group is the prefetch distance.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/kernel.h"

// Without it GCC takes a function that only prefetches for one without effect, and drops its calls. tests/prefetch
// looks at the machine code.
#define BLOOMERY_INLINE __attribute__((always_inline))

namespace {

constexpr std::size_t kStep = 16, kMostGroup = 64, kSlots = 2 * kMostGroup;

// A place is the offset of a block, or its address. These prefetch the block of the first place, or of all sixteen.
template <bool kWrite>
BLOOMERY_INLINE inline void prefetch_place(const std::uint8_t* bytes, const std::uint64_t* place) {
  __builtin_prefetch(bytes + *place, kWrite ? 1 : 0);
}
template <bool kWrite>
BLOOMERY_INLINE inline void prefetch_place(const std::uint8_t*, const std::uint8_t* const* place) {
  __builtin_prefetch(*place, kWrite ? 1 : 0);
}
template <bool kWrite, class Place>
BLOOMERY_INLINE inline void prefetch_step(const std::uint8_t* bytes, const Place* places) {
  for (std::size_t j = 0; j < kStep; ++j) prefetch_place<kWrite>(bytes, places + j);
}

// Walks over the keys; a rest of less than a step is not visited. prepare(i, slot, places, count) fills the places of
// `count` keys from i on, whole steps, and use(i, slot, places, soon) reads those of a step a group later. Both get the
// same `slot` for the same key, below kSlots: where they share more than the place of a key, they keep it in arrays of
// kSlots elements, at this index and those behind it. `soon` are the places of a step of the next group, which use
// prefetches, or nullptr. Returns how many keys were visited.
template <bool kWrite, class Place, class Prepare, class Use>
inline std::size_t walk_groups(const std::uint8_t* bytes, const bloomery::kernel::Batch& batch, Prepare prepare,
                               Use use) {
  alignas(64) Place places[kSlots];
  const std::size_t whole = batch.count / kStep * kStep, wanted = (batch.ahead + kStep - 1) / kStep * kStep;
  const std::size_t group = wanted == 0 || wanted > kMostGroup ? kMostGroup : wanted;
  const auto prepare_group = [&](std::size_t first, std::size_t slot) {
    const std::size_t left = whole - first, count = left < group ? left : group;
    prepare(first, slot, places + slot, count);
    return count;
  };
  std::size_t slot = 0, count = prepare_group(0, slot);
  for (std::size_t j = 0; j < count && batch.ahead > 0; j += kStep) prefetch_step<kWrite>(bytes, places + j);
  for (std::size_t first = 0; first < whole;) {
    const std::size_t next_slot = kMostGroup - slot, next = prepare_group(first + count, next_slot);
    for (std::size_t j = 0; j < count; j += kStep)
      use(first + j, slot + j, places + slot + j, j < next && batch.ahead > 0 ? places + next_slot + j : nullptr);
    first += count;
    count = next;
    slot = next_slot;
  }
  return whole;
}

// Walks over groups by the offsets of their blocks, and calls prepare(i, slot, places) for each step of a group.
template <bool kWrite, class Prepare, class Use>
inline std::size_t walk_steps(const std::uint8_t* bytes, const bloomery::kernel::Batch& batch, Prepare prepare,
                              Use use) {
  const auto prepare_steps = [&](std::size_t i, std::size_t slot, std::uint64_t* places, std::size_t count) {
    for (std::size_t j = 0; j < count; j += kStep) prepare(i + j, slot + j, places + j);
  };
  return walk_groups<kWrite, std::uint64_t>(bytes, batch, prepare_steps, use);
}

// Walks likewise and calls use(i, slot, places) for each step, after prefetching the blocks to come.
template <bool kWrite, class Prepare, class Use>
inline std::size_t for_each_step(const std::uint8_t* bytes, const bloomery::kernel::Batch& batch, Prepare prepare,
                                 Use use) {
  return walk_steps<kWrite>(bytes, batch, prepare,
                            [&](std::size_t i, std::size_t slot, const std::uint64_t* places, const std::uint64_t* soon)
                                BLOOMERY_INLINE {
                                  if (soon != nullptr) prefetch_step<kWrite>(bytes, soon);
                                  use(i, slot, places);
                                });
}

// The keys after the last whole step.
inline bloomery::kernel::Batch rest_of(const bloomery::kernel::Batch& batch, std::size_t done) {
  return {batch.blocks, batch.k, batch.hashes + done, batch.count - done, 0};
}

}  // namespace
