// Whole ranges of bytes: how many bits are set, the union and the intersection. Plain loops, which each file compiles
// with the flags of its own instruction set into what that set is good at. Internal to each file that includes it (see
// kernel.h). Any length, any alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

inline std::uint64_t word_at(const std::uint8_t* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

inline std::uint64_t bits_set_in(const std::uint8_t* bytes, std::size_t size) {
  std::uint64_t set = 0;
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8) set += static_cast<std::uint64_t>(__builtin_popcountll(word_at(bytes + i)));
  for (; i < size; ++i) set += static_cast<std::uint64_t>(__builtin_popcount(bytes[i]));
  return set;
}

template <class Op>
inline void combine(std::uint8_t* into, const std::uint8_t* from, std::size_t size, Op op) {
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    const std::uint64_t word = op(word_at(into + i), word_at(from + i));
    std::memcpy(into + i, &word, sizeof word);
  }
  for (; i < size; ++i) into[i] = static_cast<std::uint8_t>(op(into[i], from[i]));
}

inline void or_into(std::uint8_t* into, const std::uint8_t* from, std::size_t size) {
  combine(into, from, size, [](std::uint64_t a, std::uint64_t b) { return a | b; });
}
inline void and_into(std::uint8_t* into, const std::uint8_t* from, std::size_t size) {
  combine(into, from, size, [](std::uint64_t a, std::uint64_t b) { return a & b; });
}

}  // namespace
