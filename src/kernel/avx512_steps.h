// What the AVX-512 kernels share: the places of the blocks of a step, and the answers of its keys. Internal to each
// file that includes it (see kernel.h), so nothing here may leave it.
#pragma once

#include <immintrin.h>

#include "kernel/kernel.h"
#include "kernel/loop.h"
#include "kernel/steps.h"

namespace {

// Returns the high halves of eight hashes, in the low half of each lane.
inline __m512i high_halves(__m512i hashes) {
  return _mm512_castps_si512(_mm512_movehdup_ps(_mm512_castsi512_ps(hashes)));
}

// Byte offsets of the blocks of a step.
class SplitPlaces {
 public:
  explicit SplitPlaces(std::uint64_t blocks) : blocks_(_mm512_set1_epi64(static_cast<long long>(blocks))) {}

  void operator()(const std::uint64_t* hashes, std::uint64_t* out) const {
    for (std::size_t i = 0; i < kStep; i += 8) {
      const __m512i product = _mm512_mul_epu32(high_halves(_mm512_loadu_si512(hashes + i)), blocks_);
      _mm512_store_si512(out + i, _mm512_and_si512(_mm512_srli_epi64(product, 27), _mm512_set1_epi64(~31)));
    }
  }

 private:
  __m512i blocks_;
};

class BlockPlaces {
 public:
  explicit BlockPlaces(std::uint64_t blocks)
      : scalar_{blocks}, blocks_(_mm512_set1_epi64(static_cast<long long>(blocks))) {}

  // The high half of a 64 x 64 bit product from two of 32 x 32, which is exact below 2^32 blocks (256 GiB).
  void operator()(const std::uint64_t* hashes, std::uint64_t* out) const {
    if ((scalar_.blocks >> 32) != 0) {
      for (std::size_t i = 0; i < kStep; ++i) out[i] = scalar_(hashes[i]);
      return;
    }
    for (std::size_t i = 0; i < kStep; i += 8) {
      const __m512i eight = _mm512_loadu_si512(hashes + i);
      const __m512i high = _mm512_mul_epu32(high_halves(eight), blocks_);
      const __m512i low = _mm512_srli_epi64(_mm512_mul_epu32(eight, blocks_), 32);
      const __m512i sum = _mm512_add_epi64(high, low);
      _mm512_store_si512(out + i, _mm512_and_si512(_mm512_srli_epi64(sum, 26), _mm512_set1_epi64(~63)));
    }
  }

 private:
  BlockOffset scalar_;
  __m512i blocks_;
};

// Turns up to 64 bytes into 1 for present (a byte is 0 where nothing is missing) and 0 for absent.
inline void finish(std::uint8_t* answers, std::size_t count) {
  const __mmask64 these = count < 64 ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
  const __m512i missing = _mm512_maskz_loadu_epi8(these, answers);
  const __m512i present = _mm512_maskz_set1_epi8(_mm512_testn_epi8_mask(missing, missing), 1);
  _mm512_mask_storeu_epi8(answers, these, present);
}

// Kind: places(hashes, out) of a step, and missing(bytes, places, hashes, out), which writes a byte a key for finish.
template <class Kind>
inline std::size_t contains_steps(const std::uint8_t* bytes, const bloomery::kernel::Batch& batch, const Kind& kind,
                                  std::uint8_t* answers) {
  const std::size_t done = for_each_step<false>(
      bytes, batch, [&](std::size_t i, std::size_t, std::uint64_t* places) { kind.places(batch.hashes + i, places); },
      [&](std::size_t i, std::size_t, const std::uint64_t* places) {
        kind.missing(bytes, places, batch.hashes + i, answers + i);
        // Long after they were stored, for the reason at the top.
        if (i % 64 == 0 && i >= 128) finish(answers + i - 128, 64);
      });
  // The last one or two runs of 64, and what is left.
  std::size_t i = done > 128 ? (done - kStep) / 64 * 64 - 64 : 0;
  for (; i < done; i += 64) finish(answers + i, done - i < 64 ? done - i : 64);
  return done;
}

}  // namespace
