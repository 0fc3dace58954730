// One key against a block of split or block by AVX2, inline in programs that are compiled for it: src/kernel/avx2.cc
// without the call. Vector types and built-ins of g++ and clang, so that no intrinsics' header is needed. Every
// function has the instruction set in its name (compiled_for.h).
#pragma once

#include <cstdint>
#include <cstring>

#include "bloomery/detail/salts.h"
#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::detail {

using Vector32 = std::uint32_t __attribute__((vector_size(32)));
using Vector32s = int __attribute__((vector_size(32)));
using Vector64 = long long __attribute__((vector_size(32)));
using VectorFloat = float __attribute__((vector_size(32)));

template <unsigned kIsa>
inline Vector32 load_vector(const void* from) {
  Vector32 value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Whether all bits are set in the words.
template <unsigned kIsa>
inline bool has_all(Vector32 words, Vector32 bits) {
  return __builtin_ia32_ptestc256(reinterpret_cast<Vector64>(words), reinterpret_cast<Vector64>(bits)) != 0;
}

// The half of a hash that bits are made of, in all lanes. Read as a half of its own: where the hash lies in memory, a
// load fills all lanes, and no shuffle is needed.
template <unsigned kIsa>
inline Vector32 low_half(const std::uint64_t& hash) {
  std::uint32_t half;
  std::memcpy(&half, &hash, sizeof half);
  return Vector32{} + half;
}

// The other half, which the block is chosen by, likewise: a load, and no shift.
template <unsigned kIsa>
inline std::uint64_t high_half(const std::uint64_t& hash) {
  std::uint32_t halves[2];
  std::memcpy(halves, &hash, sizeof halves);
  return halves[1];
}

template <unsigned kIsa>
inline bool split_contains_avx2(const std::uint8_t* bytes, std::uint64_t blocks, const std::uint64_t& hash) {
  const std::uint8_t* block = bytes + ((high_half<kIsa>(hash) * blocks) >> 32) * 32;
  const Vector32 product = load_vector<kIsa>(kSalts.of_k[8]) * low_half<kIsa>(hash);
  const Vector32 ones = Vector32{} + 1;
  return has_all<kIsa>(load_vector<kIsa>(block), ones << (product >> 27));
}

// Position p is bit p & 31 of word p >> 5: words 0..7 are in `first`, 8..15 in `second`. A permutation looks at the low
// three bits of the word number only; the fourth, which is the sign of the product, picks the half.
template <unsigned kIsa>
inline bool block_holds_avx2(Vector32 first, Vector32 second, Vector32 half, const std::uint32_t* salts) {
  const Vector32 product = load_vector<kIsa>(salts) * half;
  const auto word = reinterpret_cast<Vector32s>(product >> 28);
#ifdef __AVX512VL__  // one permutation of sixteen words
#ifdef __clang__
  const Vector32s both =
      __builtin_ia32_vpermi2vard256(reinterpret_cast<Vector32s>(first), word, reinterpret_cast<Vector32s>(second));
#else
  const Vector32s both =
      __builtin_shuffle(reinterpret_cast<Vector32s>(first), reinterpret_cast<Vector32s>(second), word);
#endif
  return has_all<kIsa>(reinterpret_cast<Vector32>(both), (Vector32{} + 1) << ((product >> 23) & 31));
#else
  const Vector32s low = __builtin_ia32_permvarsi256(reinterpret_cast<Vector32s>(first), word);
  const Vector32s high = __builtin_ia32_permvarsi256(reinterpret_cast<Vector32s>(second), word);
  const VectorFloat words = __builtin_ia32_blendvps256(
      reinterpret_cast<VectorFloat>(low), reinterpret_cast<VectorFloat>(high), reinterpret_cast<VectorFloat>(product));
  // Each bit that is asked for goes to the sign of its word. Signs take an instruction less of the ports that the
  // permutations need than a test does.
  const Vector32 up = ~(product >> 23) & 31;
  const auto signs = reinterpret_cast<VectorFloat>(reinterpret_cast<Vector32>(words) << up);
  // Whether all eight signs are set: only then does adding one to them overflow a byte. The overflow is the carry flag
  // of the processor, which a caller that counts adds as it is.
  std::uint8_t none;
  return __builtin_add_overflow(static_cast<std::uint8_t>(__builtin_ia32_movmskps256(signs)), std::uint8_t{1}, &none);
#endif
}

// More than eight positions. Never inline: the loop of a caller that asks for at most eight stays short, and its loads
// become operands of the permutations.
template <unsigned kIsa>
[[gnu::noinline, gnu::pure]] bool block_contains_wide_avx2(const std::uint8_t* block, std::uint32_t k,
                                                           std::uint64_t hash) {
  const Vector32 first = load_vector<kIsa>(block), second = load_vector<kIsa>(block + 32), half = low_half<kIsa>(hash);
  const std::uint32_t* salts = kSalts.of_k[k];
  return block_holds_avx2<kIsa>(first, second, half, salts) && block_holds_avx2<kIsa>(first, second, half, salts + 8);
}

template <unsigned kIsa>
inline bool block_contains_avx2(const std::uint8_t* block, std::uint32_t k, const std::uint64_t& hash) {
  if (k > 8) [[unlikely]]
    return block_contains_wide_avx2<kIsa>(block, k, hash);
  return block_holds_avx2<kIsa>(load_vector<kIsa>(block), load_vector<kIsa>(block + 32), low_half<kIsa>(hash),
                                kSalts.of_k[k]);
}

}  // namespace BLOOMERY_NAMESPACE::detail
