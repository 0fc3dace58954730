// Integer keys to hashes: xxh3, xxh64 and fnv_splitmix of the eight bytes of an integer (spec/hash.md), inline because
// a lookup of an integer is little more. `Word` is std::uint64_t, or a vector of them in src/kernel, which hashes as
// many keys at once; nothing but templates stands here, so that a copy compiled for AVX2 never serves anybody else.
#pragma once

#include <cstdint>

#include "bloomery/detail/fnv.h"

namespace BLOOMERY_NAMESPACE::detail {

inline constexpr std::uint64_t kXxhPrime1 = 0x9e3779b185ebca87, kXxhPrime2 = 0xc2b2ae3d27d4eb4f,
                               kXxhPrime3 = 0x165667b19e3779f9, kXxhPrime4 = 0x85ebca77c2b2ae63,
                               kXxhPrime5 = 0x27d4eb2f165667c5, kXxh3Prime = 0x9fb21c651e98df25;

template <class Word>
[[gnu::always_inline]] constexpr Word rotate_left(Word x, int by) {
  return (x << by) | (x >> (64 - by));
}

// What xxh3 of 4 to 8 bytes makes of its seed, once for all keys.
constexpr std::uint64_t xxh3_flip(std::uint64_t seed) {
  const std::uint64_t low = seed & 0xffffffff;
  const std::uint64_t reversed = (low & 0xff) << 24 | (low & 0xff00) << 8 | (low >> 8 & 0xff00) | low >> 24;
  return (0x1cad21f72c81017c ^ 0xdb979083e96dd4de) - (seed ^ reversed << 32);
}

// The last steps of xxh3 of 4 to 8 bytes.
template <class Word>
[[gnu::always_inline]] constexpr Word xxh3_finish(Word x, std::uint64_t length) {
  x ^= rotate_left(x, 49) ^ rotate_left(x, 24);
  x *= kXxh3Prime;
  x ^= (x >> 35) + length;
  x *= kXxh3Prime;
  return x ^ (x >> 28);
}

template <class Word>
[[gnu::always_inline]] constexpr Word xxh3_of_integer(Word key, std::uint64_t flip) {
  return xxh3_finish(rotate_left(key, 32) ^ flip, 8);
}

template <class Word>
[[gnu::always_inline]] constexpr Word xxh64_finish(Word x) {
  x = (x ^ (x >> 33)) * kXxhPrime2;
  x = (x ^ (x >> 29)) * kXxhPrime3;
  return x ^ (x >> 32);
}

// What xxh64 of 8 bytes makes of its seed, once for all keys.
constexpr std::uint64_t xxh64_start(std::uint64_t seed) { return seed + kXxhPrime5 + 8; }

template <class Word>
[[gnu::always_inline]] constexpr Word xxh64_of_integer(Word key, std::uint64_t start) {
  const Word mixed = rotate_left(key * kXxhPrime2, 31) * kXxhPrime1;
  return xxh64_finish(rotate_left(mixed ^ start, 27) * kXxhPrime1 + kXxhPrime4);
}

template <class Word>
[[gnu::always_inline]] constexpr Word fnv_splitmix_of_integer(Word key) {
  Word state = ((key & 0xff) ^ kFnvOffset) * kFnvPrime;
  for (int byte = 1; byte < 8; ++byte) state = (state ^ ((key >> (8 * byte)) & 0xff)) * kFnvPrime;
  return splitmix(state);
}

}  // namespace BLOOMERY_NAMESPACE::detail
