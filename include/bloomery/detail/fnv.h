// FNV-1a and splitmix64, the hash of the classic filter, inline because a lookup of a short key is little more than
// this loop. spec/hash.md is the definition; spec/vectors/classic.json holds it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::detail {

inline constexpr std::uint64_t kFnvOffset = 0xcbf29ce484222325;
inline constexpr std::uint64_t kFnvPrime = 0x00000100000001b3;

constexpr std::uint64_t fnv1a64(const std::uint8_t* data, std::size_t size, std::uint64_t state = kFnvOffset) {
  for (std::size_t i = 0; i < size; ++i) state = (state ^ data[i]) * kFnvPrime;
  return state;
}

// `Word` is std::uint64_t, or a vector of them in src/kernel.
template <class Word>
[[gnu::always_inline]] constexpr Word splitmix(Word x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

constexpr std::uint64_t splitmix64(std::uint64_t x) { return splitmix(x); }

constexpr std::uint64_t fnv_splitmix(const std::uint8_t* data, std::size_t size) {
  return splitmix64(fnv1a64(data, size));
}

}  // namespace BLOOMERY_NAMESPACE::detail
