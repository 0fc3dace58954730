// AVX2 and BMI2: the eight products of a key by one multiplication, its bits by one variable shift, the answer by one
// test. The places of blocks are computed four at a time, a group ahead. This file is compiled with those flags and
// reached only through the table below, after the CPU was asked.
#include "kernel/kernel.h"

#ifdef __AVX2__
#include <immintrin.h>

#include <cstring>

#include "bloomery/detail/salts.h"
#include "kernel/hash_loop.h"
#include "kernel/loop.h"
#include "kernel/ranges.h"
#include "kernel/steps.h"

namespace BLOOMERY_NAMESPACE::kernel {
namespace {

__m256i load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
void store(void* to, __m256i value) { _mm256_storeu_si256(static_cast<__m256i*>(to), value); }
__m256i each64(std::uint64_t value) { return _mm256_set1_epi64x(static_cast<long long>(value)); }
__m256i products(std::uint32_t hash, __m256i salts) {
  return _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(hash)), salts);
}
// The half of a hash that bits are made of, from memory: a broadcast from there needs no shuffle.
std::uint32_t low_half(const std::uint64_t* hash) {
  std::uint32_t half;
  std::memcpy(&half, hash, sizeof half);
  return half;
}

// Byte offsets of the blocks of a step.
class SplitPlaces {
 public:
  explicit SplitPlaces(std::uint64_t blocks) : blocks_(each64(blocks)) {}

  void operator()(const std::uint64_t* hashes, std::uint64_t* out) const {
    for (std::size_t i = 0; i < kStep; i += 4) {
      const __m256i product = _mm256_mul_epu32(_mm256_srli_epi64(load(hashes + i), 32), blocks_);
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
      const __m256i high = _mm256_mul_epu32(_mm256_srli_epi64(four, 32), blocks_);
      const __m256i low = _mm256_srli_epi64(_mm256_mul_epu32(four, blocks_), 32);
      const __m256i sum = _mm256_srli_epi64(_mm256_add_epi64(high, low), 26);
      store(out + i, _mm256_and_si256(sum, _mm256_set1_epi64x(~63)));
    }
  }

 private:
  BlockOffset scalar_;
  __m256i blocks_;
};

// The signs of eight lanes, a bit each.
unsigned signs(__m256i lanes) { return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(lanes))); }

// A probe shifts each bit that it asks for to the sign of its lane, where one instruction finds all eight: the answer
// is yes when all of them are set.
constexpr unsigned kAllSet = 0xff;

class Split {
 public:
  unsigned lanes(const std::uint8_t* block, std::uint32_t hash) const {
    const __m256i below = _mm256_srli_epi32(products(hash, salts_), 27);
    return signs(_mm256_sllv_epi32(load(block), _mm256_xor_si256(below, _mm256_set1_epi32(31))));
  }
  // Whether the block changed: the compiler leaves that out where nobody asks, as in a batch.
  bool add(std::uint8_t* block, std::uint32_t hash) const {
    const __m256i before = load(block);
    const __m256i bits = _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(products(hash, salts_), 27));
    store(block, _mm256_or_si256(before, bits));
    return _mm256_testc_si256(before, bits) == 0;
  }

 private:
  __m256i salts_ = load(detail::kSalts.of_k[8]);
};

// One path serves every k up to 8, two runs of it the rest (kWide).
template <bool kWide>
class Block {
 public:
  explicit Block(std::uint32_t k) : low_(load(detail::kSalts.of_k[k])), high_(load(detail::kSalts.of_k[k] + 8)) {}

  unsigned lanes(const std::uint8_t* block, std::uint32_t hash) const {
    const __m256i first = load(block), second = load(block + 32);
    const unsigned low = eight(first, second, products(hash, low_));
    return kWide ? low & eight(first, second, products(hash, high_)) : low;
  }

 private:
  // Position p is bit p & 31 of word p >> 5: words 0..7 are in `first`, 8..15 in `second`. A permutation looks at the
  // low three bits of the word number only; the fourth, which is the sign of the product, picks the half.
  static unsigned eight(__m256i first, __m256i second, __m256i product) {
    const __m256i word = _mm256_srli_epi32(product, 28);
    const __m256i from_first = _mm256_permutevar8x32_epi32(first, word),
                  from_second = _mm256_permutevar8x32_epi32(second, word);
    const __m256i words = _mm256_castps_si256(_mm256_blendv_ps(
        _mm256_castsi256_ps(from_first), _mm256_castsi256_ps(from_second), _mm256_castsi256_ps(product)));
    return signs(_mm256_sllv_epi32(words, _mm256_andnot_si256(_mm256_srli_epi32(product, 23), _mm256_set1_epi32(31))));
  }

  __m256i low_, high_;
};

// The bits that a group of keys sets, by slot: for each of the k positions the byte of the block and the bit in it.
struct BlockBits {
  alignas(32) std::uint32_t byte[16][kSlots], bit[16][kSlots];
};

// Eight keys side by side: no lane is idle, whatever k is.
void prepare_bits(const std::uint64_t* hashes, std::uint32_t k, std::size_t slot, BlockBits& bits) {
  for (std::size_t j = 0; j < kStep; j += 8) {
    const __m256 some = _mm256_castsi256_ps(load(hashes + j)), others = _mm256_castsi256_ps(load(hashes + j + 4));
    // The low halves, as 0 1 4 5 2 3 6 7; then in order.
    const __m256i mixed = _mm256_castps_si256(_mm256_shuffle_ps(some, others, 0x88));
    const __m256i low = _mm256_permute4x64_epi64(mixed, 0xd8);
    for (std::uint32_t i = 0; i < k; ++i) {
      const __m256i product = _mm256_mullo_epi32(low, _mm256_set1_epi32(static_cast<int>(detail::kSalts.of_k[16][i])));
      const __m256i in_byte = _mm256_and_si256(_mm256_srli_epi32(product, 23), _mm256_set1_epi32(7));
      store(bits.byte[i] + slot + j, _mm256_srli_epi32(product, 26));
      store(bits.bit[i] + slot + j, _mm256_sllv_epi32(_mm256_set1_epi32(1), in_byte));
    }
  }
}

bool split_contains_one(const std::uint8_t* block, std::uint64_t hash) {
  return Split().lanes(block, static_cast<std::uint32_t>(hash)) == kAllSet;
}
bool block_contains_one(const std::uint8_t* block, std::uint32_t k, std::uint64_t hash) {
  const auto low = static_cast<std::uint32_t>(hash);
  return (k <= 8 ? Block<false>(k).lanes(block, low) : Block<true>(k).lanes(block, low)) == kAllSet;
}
bool split_add_one(std::uint8_t* block, std::uint64_t hash) {
  return Split().add(block, static_cast<std::uint32_t>(hash));
}
bool block_add_one(std::uint8_t* block, std::uint32_t k, std::uint64_t hash) {
  return kScalar.block_add_one(block, k, hash);
}

// Turns the lanes of `count` keys, a multiple of kStep, into 1 for present and 0 for absent.
void finish(std::uint8_t* answers, std::size_t count) {
  for (std::size_t i = 0; i < count; i += kStep) {
    auto* at = reinterpret_cast<__m128i*>(answers + i);
    const __m128i all = _mm_cmpeq_epi8(_mm_loadu_si128(at), _mm_set1_epi8(static_cast<char>(kAllSet)));
    _mm_storeu_si128(at, _mm_and_si128(all, _mm_set1_epi8(1)));
  }
}

template <class Places, class Probe>
std::size_t contains_steps(const std::uint8_t* bytes, const Batch& batch, const Probe& probe, std::uint8_t* answers) {
  const Places places(batch.blocks);
  const std::uint64_t* hashes = batch.hashes;
  constexpr std::size_t kLater = 64;  // a wide load right behind narrow stores waits until they have left the core
  std::size_t finished = 0;
  const std::size_t done = for_each_step<false>(
      bytes, batch, [&](std::size_t i, std::size_t, std::uint64_t* at) { places(hashes + i, at); },
      [&](std::size_t i, std::size_t, const std::uint64_t* at) {
#pragma GCC unroll 16
        for (std::size_t j = 0; j < kStep; ++j)
          answers[i + j] = static_cast<std::uint8_t>(probe.lanes(bytes + at[j], low_half(hashes + i + j)));
        if (i < kLater) return;
        finish(answers + finished, kStep);
        finished += kStep;
      });
  finish(answers + finished, done - finished);
  return done;
}
// The probe of split is so short that sixteen prefetches in a row hold it up: where lines are fetched,
// each key fetches one and asks one.
struct SplitOne {
  Split probe;
  bool contains(const std::uint8_t* block, std::uint64_t hash) const {
    return probe.lanes(block, static_cast<std::uint32_t>(hash)) == kAllSet;
  }
};
void split_contains(const std::uint8_t* bytes, const Batch& batch, std::uint8_t* answers) {
  if (batch.ahead > 0) return contains_all<SplitOffset>(bytes, batch, SplitOne{}, answers);
  const std::size_t done = contains_steps<SplitPlaces>(bytes, batch, Split(), answers);
  const SplitOffset place{batch.blocks};
  for (std::size_t i = done; i < batch.count; ++i)
    answers[i] = split_contains_one(bytes + place(batch.hashes[i]), batch.hashes[i]) ? 1 : 0;
}
void block_contains(const std::uint8_t* bytes, const Batch& batch, std::uint8_t* answers) {
  const std::size_t done = batch.k <= 8 ? contains_steps<BlockPlaces>(bytes, batch, Block<false>(batch.k), answers)
                                        : contains_steps<BlockPlaces>(bytes, batch, Block<true>(batch.k), answers);
  const BlockOffset place{batch.blocks};
  for (std::size_t i = done; i < batch.count; ++i)
    answers[i] = block_contains_one(bytes + place(batch.hashes[i]), batch.k, batch.hashes[i]) ? 1 : 0;
}
void split_add(std::uint8_t* bytes, const Batch& batch) {
  const Split probe;
  const SplitPlaces places(batch.blocks);
  const std::size_t done = for_each_step<true>(
      bytes, batch, [&](std::size_t i, std::size_t, std::uint64_t* at) { places(batch.hashes + i, at); },
      [&](std::size_t i, std::size_t, const std::uint64_t* at) {
#pragma GCC unroll 16
        for (std::size_t j = 0; j < kStep; ++j) probe.add(bytes + at[j], low_half(batch.hashes + i + j));
      });
  kScalar.split_add(bytes, rest_of(batch, done));
}
void block_add(std::uint8_t* bytes, const Batch& batch) {
  BlockBits bits;
  const BlockPlaces places(batch.blocks);
  const std::uint32_t k = batch.k;
  const std::size_t done = for_each_step<true>(
      bytes, batch,
      [&](std::size_t i, std::size_t slot, std::uint64_t* at) {
        places(batch.hashes + i, at);
        prepare_bits(batch.hashes + i, k, slot, bits);
      },
      [&](std::size_t, std::size_t slot, const std::uint64_t* at) {
        for (std::size_t j = 0; j < kStep; ++j)
          // Bytes, because two bits of a key are seldom in one: a load has to wait for a store to the same place.
          for (std::uint32_t i = 0; i < k; ++i) {
            std::uint8_t& byte = bytes[at[j] + bits.byte[i][slot + j]];
            byte = static_cast<std::uint8_t>(byte | bits.bit[i][slot + j]);
          }
      });
  kScalar.block_add(bytes, rest_of(batch, done));
}

using Keys = std::uint64_t __attribute__((vector_size(32)));

const Kernel kAvx2 = {"avx2",
                      true,
                      split_contains_one,
                      block_contains_one,
                      split_add_one,
                      block_add_one,
                      split_contains,
                      split_add,
                      block_contains,
                      block_add,
                      bits_set_in,
                      or_into,
                      and_into,
                      kIntegerHashing<Keys>,
                      kSplitIntegers<split_contains_one>,
                      kBlockIntegers<block_contains_one>,
                      avx2_ribbon_windows,
                      avx2_ribbon_matches,
                      avx2_block_add_shared_one,
                      avx2_block_add_shared};

}  // namespace

const Kernel* avx2() { return &kAvx2; }

}  // namespace BLOOMERY_NAMESPACE::kernel
#else
const bloomery::kernel::Kernel* bloomery::kernel::avx2() { return nullptr; }
#endif
