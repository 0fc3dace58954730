// What the AVX2 kernels share: places of blocks four at a time, and answers of sixteen keys at once. Internal to each
// file that includes it (see kernel.h), so nothing here may leave it.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernel/loop.h"
#include "kernel/steps.h"

namespace {

inline __m256i load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
inline void store(void* to, __m256i value) { _mm256_storeu_si256(static_cast<__m256i*>(to), value); }
inline __m256i each64(std::uint64_t value) { return _mm256_set1_epi64x(static_cast<long long>(value)); }
inline __m256i products(std::uint32_t hash, __m256i salts) {
  return _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(hash)), salts);
}
// The half of a hash that bits are made of, from memory: a broadcast from there needs no shuffle.
inline std::uint32_t low_half(const std::uint64_t* hash) {
  std::uint32_t half;
  std::memcpy(&half, hash, sizeof half);
  return half;
}

// Returns the high halves of four hashes, in the low halves of their lanes. It uses a load, because shifts are what
// these loops are short of.
inline __m256i high_halves(const std::uint64_t* hashes) {
  return _mm256_castps_si256(_mm256_movehdup_ps(_mm256_castsi256_ps(load(hashes))));
}

// Byte offsets of the blocks of a step.
class SplitPlaces {
 public:
  explicit SplitPlaces(std::uint64_t blocks) : blocks_(each64(blocks)) {}

  void operator()(const std::uint64_t* hashes, std::uint64_t* out) const {
    for (std::size_t i = 0; i < kStep; i += 4) {
      const __m256i product = _mm256_mul_epu32(high_halves(hashes + i), blocks_);
      store(out + i, _mm256_and_si256(_mm256_srli_epi64(product, 27), _mm256_set1_epi64x(~31)));
    }
  }

 private:
  __m256i blocks_;
};

class BlockPlaces {
 public:
  explicit BlockPlaces(std::uint64_t blocks) : scalar_{blocks}, blocks_(each64(blocks)) {}

  // The high half of a 64 x 64 bit product from two of 32 x 32, which is exact below 2^32 blocks (256 GiB).
  void operator()(const std::uint64_t* hashes, std::uint64_t* out) const {
    if ((scalar_.blocks >> 32) != 0) {
      for (std::size_t i = 0; i < kStep; ++i) out[i] = scalar_(hashes[i]);
      return;
    }
    for (std::size_t i = 0; i < kStep; i += 4) {
      const __m256i four = load(hashes + i);
      const __m256i high = _mm256_mul_epu32(high_halves(hashes + i), blocks_);
      const __m256i low = _mm256_srli_epi64(_mm256_mul_epu32(four, blocks_), 32);
      const __m256i sum = _mm256_srli_epi64(_mm256_add_epi64(high, low), 26);
      store(out + i, _mm256_and_si256(sum, _mm256_set1_epi64x(~63)));
    }
  }

 private:
  BlockOffset scalar_;
  __m256i blocks_;
};

// Addresses of the blocks of whole steps: the loop that reads them has an addition less than with offsets.
class BlockAddresses {
 public:
  BlockAddresses(const std::uint8_t* bytes, std::uint64_t blocks)
      : bytes_(bytes),
        few_(blocks <= kFew),
        exact_(blocks),
        blocks_(each64(blocks)),
        first_(each64(reinterpret_cast<std::uintptr_t>(bytes))),
        least_(_mm256_set1_epi32(static_cast<int>(-static_cast<std::uint32_t>(blocks)))) {}

  // A place is the high half of hash * blocks. The high half of the hash alone has it, in fewer instructions, unless
  // the product of the low half carries into it. That adds less than `blocks`, so it happens seldom.
  void operator()(const std::uint64_t* hashes, const std::uint8_t** out, std::size_t count) const {
    if (!few_ || !by_high_halves(hashes, out, count)) [[unlikely]]
      exactly(hashes, out, count);
  }

 private:
  // The most blocks for which the short way is tried. With so many, a carry is possible for one key in 2^8, so that
  // about one group of 64 keys in four takes the exact way after the short one.
  static constexpr std::uint64_t kFew = 1 << 24;

  // False where a carry may be missing.
  bool by_high_halves(const std::uint64_t* hashes, const std::uint8_t** out, std::size_t count) const {
    __m256i most = _mm256_setzero_si256();
    for (std::size_t i = 0; i < count; i += kStep)
#pragma GCC unroll 4
      for (std::size_t j = i; j < i + kStep; j += 4) {
        const __m256i product = _mm256_mul_epu32(high_halves(hashes + j), blocks_);
        const __m256i offset = _mm256_and_si256(_mm256_srli_epi64(product, 26), _mm256_set1_epi64x(~63));
        store(out + j, _mm256_add_epi64(first_, offset));
        most = _mm256_max_epu32(most, product);
      }
    const __m256i reached = _mm256_cmpeq_epi32(_mm256_max_epu32(most, least_), most);
    constexpr unsigned kLowHalves = 0x55;
    return (static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(reached))) & kLowHalves) == 0;
  }
  [[gnu::noinline]] void exactly(const std::uint64_t* hashes, const std::uint8_t** out, std::size_t count) const {
    std::uint64_t offsets[kStep];
    for (std::size_t i = 0; i < count; i += kStep) {
      exact_(hashes + i, offsets);
      for (std::size_t j = 0; j < kStep; ++j) out[i + j] = bytes_ + offsets[j];
    }
  }

  const std::uint8_t* bytes_;
  bool few_;
  BlockPlaces exact_;
  __m256i blocks_, first_, least_;
};

// The signs of eight lanes, a bit each. A probe shifts each bit that it asks for to the sign of its lane: the answer is
// yes when all of them are set.
inline unsigned signs(__m256i lanes) { return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(lanes))); }
constexpr unsigned kAllSet = 0xff;

// The answers of sixteen keys, a byte of 1 or 0 each. Narrowing with saturation keeps signs, so that the lanes of four
// keys become one vector: half the instructions of asking for the signs of each key.
template <class Lanes>
[[gnu::always_inline]] inline __m128i answers_of(Lanes lanes) {
  __m256i eight[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const auto four = [&](std::size_t j) {  // lane j of either half: four bytes of key j
      const __m256i some = _mm256_packs_epi32(lanes(j), lanes(j + 1));
      return _mm256_packs_epi16(some, _mm256_packs_epi32(lanes(j + 2), lanes(j + 3)));
    };
    const __m256i first = four(8 * i), second = four(8 * i + 4), signs = _mm256_set1_epi8(-128);
    const __m256i both = _mm256_and_si256(_mm256_permute2x128_si256(first, second, 0x20),
                                          _mm256_permute2x128_si256(first, second, 0x31));
    eight[i] = _mm256_cmpeq_epi32(_mm256_and_si256(both, signs), signs);
  }
  const __m256i words = _mm256_packs_epi32(eight[0], eight[1]);  // of keys 0 to 3 and 8 to 11, 4 to 7 and 12 to 15
  const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
  return _mm_and_si128(_mm_shuffle_epi32(bytes, 0xd8), _mm_set1_epi8(1));
}

}  // namespace
