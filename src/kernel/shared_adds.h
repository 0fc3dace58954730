// Adds to the blocks of a filter that other threads add to and ask meanwhile: a word is read, and what is missing in it
// is set by one atomic instruction. Internal to each file that includes it (see kernel.h), so nothing here may leave
// it.
//
// An atomic instruction holds up every load behind it until it is done. So a key reads its whole block at once, finds
// the words that lack a bit of it without a branch, and goes over these words alone: one branch that the processor
// cannot foresee, whose outcome is known before the first atomic instruction has begun.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/kernel.h"
#include "kernel/loop.h"

namespace {

// missing(block, hash, words) fills the eight words with the bits of a key that its block lacks, and returns which of
// the words are not 0, a bit each. Returns whether one was.
template <class Missing>
inline bool add_shared(std::uint8_t* block, std::uint64_t hash, const Missing& missing) {
  alignas(64) std::uint64_t words[8];
  unsigned left = missing(block, hash, words);
  if (left == 0) return false;
  do {
    const int i = __builtin_ctz(left);
    // Nobody looks at what it returns: a result that is used turns one instruction into a loop on x86-64.
    __atomic_fetch_or(reinterpret_cast<std::uint64_t*>(block) + i, words[i], __ATOMIC_RELAXED);
    left &= left - 1;
  } while (left != 0);
  return true;
}

template <class Missing>
inline void add_all_shared(std::uint8_t* bytes, const bloomery::kernel::Batch& batch, const Missing& missing) {
  for_each_block<true>(bytes, batch, BlockOffset{batch.blocks}, [&](std::size_t, std::uint64_t at, std::uint64_t hash) {
    add_shared(bytes + at, hash, missing);
  });
}

}  // namespace
