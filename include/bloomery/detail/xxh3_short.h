// xxh3 of keys of at most 32 bytes, written from spec/hash.md, so that a lookup of a short key needs no call. The
// functions have the instruction set in their names (compiled_for.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloomery/detail/bits.h"
#include "bloomery/detail/integer_hash.h"

namespace BLOOMERY_NAMESPACE::detail {

inline constexpr std::size_t kXxh3Short = 32;

// The first words of xxh3's secret.
inline constexpr std::uint64_t kXxh3Secret[9] = {0xbe4ba423396cfeb8, 0x1cad21f72c81017c, 0xdb979083e96dd4de,
                                                 0x1f67b3b7a4a44072, 0x78e5c0cc4ee679cb, 0x2172ffcc7dd05a82,
                                                 0x8e2443f7744608b8, 0x4c263a81e69035e0, 0xcb00c391bb52283c};

template <unsigned kIsa>
inline std::uint64_t xxh3_avalanche(std::uint64_t x) {
  x = (x ^ (x >> 37)) * 0x165667919e3779f9;
  return x ^ (x >> 32);
}

// Both halves of a product, one xor the other.
template <unsigned kIsa>
inline std::uint64_t xxh3_fold(std::uint64_t a, std::uint64_t b) {
  return (a * b) ^ mulhi64(a, b);
}

template <unsigned kIsa>
inline std::uint64_t xxh3_mix(const std::uint8_t* from, std::uint64_t low, std::uint64_t high, std::uint64_t seed) {
  return xxh3_fold<kIsa>(load_le<std::uint64_t>(from) ^ (low + seed), load_le<std::uint64_t>(from + 8) ^ (high - seed));
}

template <unsigned kIsa>
inline std::uint64_t xxh3_to_16(const std::uint8_t* key, std::size_t size, std::uint64_t seed) {
  const std::uint64_t low = load_le<std::uint64_t>(key) ^ ((kXxh3Secret[3] ^ kXxh3Secret[4]) + seed);
  const std::uint64_t high = load_le<std::uint64_t>(key + size - 8) ^ ((kXxh3Secret[5] ^ kXxh3Secret[6]) - seed);
  return xxh3_avalanche<kIsa>(size + __builtin_bswap64(low) + high + xxh3_fold<kIsa>(low, high));
}

template <unsigned kIsa>
inline std::uint64_t xxh3_to_3(const std::uint8_t* key, std::size_t size, std::uint64_t seed) {
  if (size == 0) return xxh64_finish(seed ^ kXxh3Secret[7] ^ kXxh3Secret[8]);
  const std::uint64_t bytes =
      std::uint64_t{key[0]} << 16 | std::uint64_t{key[size / 2]} << 24 | size << 8 | key[size - 1];
  return xxh64_finish(bytes ^ (((kXxh3Secret[0] ^ kXxh3Secret[0] >> 32) & 0xffffffff) + seed));
}

// `size` is at most kXxh3Short, `flip` is xxh3_flip(seed).
template <unsigned kIsa>
inline std::uint64_t xxh3_short(const std::uint8_t* key, std::size_t size, std::uint64_t seed, std::uint64_t flip) {
  if (size > 16)
    return xxh3_avalanche<kIsa>(size * kXxhPrime1 + xxh3_mix<kIsa>(key, kXxh3Secret[0], kXxh3Secret[1], seed) +
                                xxh3_mix<kIsa>(key + size - 16, kXxh3Secret[2], kXxh3Secret[3], seed));
  if (size > 8) return xxh3_to_16<kIsa>(key, size, seed);
  if (size < 4) return xxh3_to_3<kIsa>(key, size, seed);
  const std::uint64_t first = load_le<std::uint32_t>(key), last = load_le<std::uint32_t>(key + size - 4);
  return xxh3_finish((first << 32 | last) ^ flip, size);
}

}  // namespace BLOOMERY_NAMESPACE::detail
