// What the AVX2 and AVX-512 kernels share: the walk over the keys in steps of sixteen. Internal to each file that
// includes it (see kernel.h), so nothing here may leave it.
//
// The work goes in groups of keys. What a group needs (the places of its blocks; for an add, its bits) is computed by
// vectors and stored one group before it is used: a narrow load right behind a wide store waits until that store has
// left the core, which makes these loops twice as slow. Meanwhile the blocks of the next group are prefetched, so the
// length of a group is the prefetch distance.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/kernel.h"

// Without it GCC takes a function that only prefetches for one without effect, and drops its calls. tests/prefetch
// looks at the machine code.
#define BLOOMERY_INLINE __attribute__((always_inline))

namespace {

constexpr std::size_t kStep = 16, kMostGroup = 64, kSlots = 2 * kMostGroup;

// Walks over the keys; a rest of less than a step is not visited. prepare(i, slot, places) fills the places of the keys
// from i on, and use(i, slot, places) reads them a group later; slots below kSlots are what else the two may keep
// things by. Returns how many keys were visited.
template <bool kWrite, class Prepare, class Use>
inline std::size_t for_each_step(const std::uint8_t* bytes, const bloomery::kernel::Batch& batch, Prepare prepare,
                                 Use use) {
  alignas(64) std::uint64_t places[kSlots];
  const std::size_t whole = batch.count / kStep * kStep, wanted = (batch.ahead + kStep - 1) / kStep * kStep;
  const std::size_t group = wanted == 0 || wanted > kMostGroup ? kMostGroup : wanted;
  const auto prepare_group = [&](std::size_t first, std::size_t slot) {
    const std::size_t left = whole - first, count = left < group ? left : group;
    for (std::size_t j = 0; j < count; j += kStep) prepare(first + j, slot + j, places + slot + j);
    return count;
  };
  const auto prefetch_step = [&](std::size_t slot) BLOOMERY_INLINE {
    if (batch.ahead == 0) return;
    for (std::size_t j = 0; j < kStep; ++j) __builtin_prefetch(bytes + places[slot + j], kWrite ? 1 : 0);
  };
  std::size_t slot = 0, count = prepare_group(0, slot);
  for (std::size_t j = 0; j < count; j += kStep) prefetch_step(j);
  for (std::size_t first = 0; first < whole;) {
    const std::size_t next_slot = kMostGroup - slot, next = prepare_group(first + count, next_slot);
    for (std::size_t j = 0; j < count; j += kStep) {
      if (j < next) prefetch_step(next_slot + j);
      use(first + j, slot + j, places + slot + j);
    }
    first += count;
    count = next;
    slot = next_slot;
  }
  return whole;
}

// The keys after the last whole step.
inline bloomery::kernel::Batch rest_of(const bloomery::kernel::Batch& batch, std::size_t done) {
  return {batch.blocks, batch.k, batch.hashes + done, batch.count - done, 0};
}

}  // namespace
