// How many bits of a word are set, and where the k-th of them is: by arithmetic within the word alone, since the oldest
// x86-64 has no instruction for either, and a call of the compiler's library costs more than the whole of this.
#pragma once

#include <cstdint>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::detail {

inline constexpr std::uint64_t kOnes = 0x0101010101010101;   // the lowest bit of each byte
inline constexpr std::uint64_t kHighs = 0x8080808080808080;  // the highest

// Byte i: how many bits of byte i are set.
constexpr std::uint64_t bits_of_each_byte(std::uint64_t word) {
  std::uint64_t sums = word - ((word >> 1) & 0x5555555555555555);
  sums = (sums & 0x3333333333333333) + ((sums >> 2) & 0x3333333333333333);
  return (sums + (sums >> 4)) & 0x0f0f0f0f0f0f0f0f;
}

// Byte i: how many bits of bytes 0 .. i are set.
constexpr std::uint64_t bits_up_to_each_byte(std::uint64_t word) { return bits_of_each_byte(word) * kOnes; }

constexpr unsigned count_bits(std::uint64_t word) { return static_cast<unsigned>(bits_up_to_each_byte(word) >> 56); }

// How many more bits are set in `word` than in `other`. It holds where for each byte no more bits of `other` than of
// `word` are set in that byte and those below it.
constexpr unsigned count_difference(std::uint64_t word, std::uint64_t other) {
  return static_cast<unsigned>((bits_of_each_byte(word) - bits_of_each_byte(other)) * kOnes >> 56);
}

// How many bytes of the ascending ones are at most k; all are below 128, and so is k.
constexpr unsigned bytes_at_most(std::uint64_t ascending, unsigned k) {
  return static_cast<unsigned>((((((k * kOnes) | kHighs) - ascending) & kHighs) >> 7) * kOnes >> 56);
}

// The place of the set bit that has k set ones below it. There is one: k < sums >> 56, sums = bits_up_to_each_byte.
constexpr unsigned place_of_bit(std::uint64_t word, std::uint64_t sums, unsigned k) {
  const unsigned first = 8 * bytes_at_most(sums, k);
  const unsigned left = k - static_cast<unsigned>(((sums << 8) >> first) & 0xff);
  // Each bit of that byte in a byte of its own, as 0 or 1, then summed up as above.
  const std::uint64_t spread = (((word >> first) & 0xff) * kOnes) & 0x8040201008040201;
  const std::uint64_t ones = ((spread + 0x7f7f7f7f7f7f7f7f) & kHighs) >> 7;
  return first + bytes_at_most(ones * kOnes, left);
}

constexpr unsigned place_of_bit(std::uint64_t word, unsigned k) {
  return place_of_bit(word, bits_up_to_each_byte(word), k);
}

}  // namespace BLOOMERY_NAMESPACE::detail
