// What the AVX-512 kernels share: the walk over the keys in steps of sixteen, and the places of their blocks. Internal
// to each file that includes it (see kernel.h), so nothing here may leave it.
//
// The work goes in groups of keys. What a group needs (the places of its blocks; for an add, its bits) is computed by
// vectors and stored one group before it is used: a narrow load right behind a wide store waits until that store has
// left the core, which makes these loops twice as slow. Meanwhile the blocks of the next group are prefetched, so the
// length of a group is the prefetch distance.
#pragma once

#include <immintrin.h>

#include "kernel/kernel.h"
#include "kernel/loop.h"

// Without it GCC takes a function that only prefetches for one without effect, and drops its calls. tests/prefetch
// looks at the machine code.
#define BLOOMERY_INLINE __attribute__((always_inline))

namespace {

constexpr std::size_t kStep = 16, kMostGroup = 64, kSlots = 2 * kMostGroup;

// Of eight hashes, their high halves in the low half of each lane.
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

// The keys after the last whole step.
inline bloomery::kernel::Batch rest_of(const bloomery::kernel::Batch& batch, std::size_t done) {
  return {batch.blocks, batch.k, batch.hashes + done, batch.count - done, 0};
}

}  // namespace
