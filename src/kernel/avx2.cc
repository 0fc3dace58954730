// AVX2 and BMI2: the eight products of a key by one multiplication, its bits by one variable shift, the answer by one
// test. The places of blocks are computed four at a time, a group ahead. This file is compiled with those flags and
// reached only through the table below, after the CPU was asked.
#include "kernel/kernel.h"

#ifdef __AVX2__
#include <immintrin.h>

#include "bloomery/detail/salts.h"
#include "kernel/avx2_steps.h"
#include "kernel/hash_loop.h"
#include "kernel/loop.h"
#include "kernel/ranges.h"

namespace BLOOMERY_NAMESPACE::kernel {
namespace {

class Split {
 public:
  __m256i lanes(const std::uint8_t* block, std::uint32_t hash) const {
    const __m256i below = _mm256_srli_epi32(products(hash, salts_), 27);
    return _mm256_sllv_epi32(load(block), _mm256_xor_si256(below, _mm256_set1_epi32(31)));
  }
  // One key alone is answered faster by the flag of a test than by signs.
  bool contains(const std::uint8_t* block, std::uint32_t hash) const {
    return _mm256_testc_si256(load(block), bits(hash)) != 0;
  }
  // Whether the block changed: the compiler leaves that out where nobody asks, as in a batch.
  bool add(std::uint8_t* block, std::uint32_t hash) const {
    const __m256i before = load(block), added = bits(hash);
    store(block, _mm256_or_si256(before, added));
    return _mm256_testc_si256(before, added) == 0;
  }

 private:
  __m256i bits(std::uint32_t hash) const {
    return _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(products(hash, salts_), 27));
  }

  __m256i salts_ = load(detail::kSalts.of_k[8]);
};

// One path serves every k up to 8, two runs of it the rest (kWide).
template <bool kWide>
class Block {
 public:
  explicit Block(std::uint32_t k) : low_(load(detail::kSalts.of_k[k])), high_(load(detail::kSalts.of_k[k] + 8)) {}

  __m256i lanes(const std::uint8_t* block, std::uint32_t hash) const {
    const __m256i first = load(block), second = load(block + 32);
    const __m256i low = eight(first, second, products(hash, low_));
    return kWide ? _mm256_and_si256(low, eight(first, second, products(hash, high_))) : low;
  }
  bool contains(const std::uint8_t* block, std::uint32_t hash) const {
    const __m256i first = load(block), second = load(block + 32);
    const bool low = holds(first, second, products(hash, low_));
    return kWide ? low & holds(first, second, products(hash, high_)) : low;
  }

 private:
  // The words of eight positions. Position p is bit p & 31 of word p >> 5: words 0..7 are in `first`, 8..15 in
  // `second`. A permutation looks at the low three bits of the word number only; the fourth, which is the sign of the
  // product, picks the half.
  static __m256i words_of(__m256i first, __m256i second, __m256i product) {
    const __m256i word = _mm256_srli_epi32(product, 28);
    const __m256i from_first = _mm256_permutevar8x32_epi32(first, word),
                  from_second = _mm256_permutevar8x32_epi32(second, word);
    return _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(from_first), _mm256_castsi256_ps(from_second),
                                                _mm256_castsi256_ps(product)));
  }
  static __m256i eight(__m256i first, __m256i second, __m256i product) {
    const __m256i up = _mm256_andnot_si256(_mm256_srli_epi32(product, 23), _mm256_set1_epi32(31));
    return _mm256_sllv_epi32(words_of(first, second, product), up);
  }
  static bool holds(__m256i first, __m256i second, __m256i product) {
    const __m256i bit = _mm256_and_si256(_mm256_srli_epi32(product, 23), _mm256_set1_epi32(31));
    return _mm256_testc_si256(words_of(first, second, product), _mm256_sllv_epi32(_mm256_set1_epi32(1), bit)) != 0;
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
  return Split().contains(block, static_cast<std::uint32_t>(hash));
}
bool split_contains_stored(const std::uint8_t* block, const std::uint64_t& hash) {
  return Split().contains(block, low_half(&hash));
}
bool block_contains_one(const std::uint8_t* block, std::uint32_t k, std::uint64_t hash) {
  const auto low = static_cast<std::uint32_t>(hash);
  return k <= 8 ? Block<false>(k).contains(block, low) : Block<true>(k).contains(block, low);
}
bool split_add_one(std::uint8_t* block, std::uint64_t hash) {
  return Split().add(block, static_cast<std::uint32_t>(hash));
}
bool block_add_one(std::uint8_t* block, std::uint32_t k, std::uint64_t hash) {
  return kScalar.block_add_one(block, k, hash);
}

// A prefetch for each probe, where blocks are prefetched: sixteen in a row hold up what follows.
std::size_t split_steps(const std::uint8_t* bytes, const Batch& batch, std::uint8_t* answers) {
  const SplitPlaces places(batch.blocks);
  const Split probe;
  const std::uint64_t* hashes = batch.hashes;
  return walk_steps<false>(
      bytes, batch, [&](std::size_t i, std::size_t, std::uint64_t* at) { places(hashes + i, at); },
      [&](std::size_t i, std::size_t, const std::uint64_t* at, const std::uint64_t* soon) {
        const auto lanes = [&](std::size_t j)
                               BLOOMERY_INLINE { return probe.lanes(bytes + at[j], low_half(hashes + i + j)); };
        const auto fetch_and_lanes = [&](std::size_t j) BLOOMERY_INLINE {
          prefetch_place<false>(bytes, soon + j);
          return lanes(j);
        };
        const __m128i step = soon == nullptr ? answers_of(lanes) : answers_of(fetch_and_lanes);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(answers + i), step);
      });
}

// Turns the signs of `count` keys, a multiple of kStep, into 1 for present and 0 for absent.
void finish(std::uint8_t* answers, std::size_t count) {
  for (std::size_t i = 0; i < count; i += kStep) {
    auto* at = reinterpret_cast<__m128i*>(answers + i);
    const __m128i all = _mm_cmpeq_epi8(_mm_loadu_si128(at), _mm_set1_epi8(static_cast<char>(kAllSet)));
    _mm_storeu_si128(at, _mm_and_si128(all, _mm_set1_epi8(1)));
  }
}

// The permutations of block leave no room for those of answers_of: here the signs of a key are a byte.
template <bool kWide>
std::size_t block_steps(const std::uint8_t* bytes, const Batch& batch, std::uint8_t* answers) {
  using Address = const std::uint8_t*;
  const BlockAddresses addresses(bytes, batch.blocks);
  const Block<kWide> probe(batch.k);
  const std::uint64_t* hashes = batch.hashes;
  constexpr std::size_t kLater = 64;  // a wide load right behind narrow stores waits until they have left the core
  std::size_t finished = 0;
  const std::size_t done = walk_groups<false, Address>(
      bytes, batch,
      [&](std::size_t i, std::size_t, Address* at, std::size_t count) { addresses(hashes + i, at, count); },
      [&](std::size_t i, std::size_t, const Address* at, const Address* soon) {
        const auto ask = [&](std::size_t j) BLOOMERY_INLINE {
          answers[i + j] = static_cast<std::uint8_t>(signs(probe.lanes(at[j], low_half(hashes + i + j))));
        };
        if (soon == nullptr) {
#pragma GCC unroll 16
          for (std::size_t j = 0; j < kStep; ++j) ask(j);
        } else {
#pragma GCC unroll 16
          for (std::size_t j = 0; j < kStep; ++j) prefetch_place<false>(bytes, soon + j), ask(j);
        }
        if (i < kLater) return;
        finish(answers + finished, kStep);
        finished += kStep;
      });
  finish(answers + finished, done - finished);
  return done;
}

void split_contains(const std::uint8_t* bytes, const Batch& batch, std::uint8_t* answers) {
  const std::size_t done = split_steps(bytes, batch, answers);
  const SplitOffset place{batch.blocks};
  for (std::size_t i = done; i < batch.count; ++i)
    answers[i] = split_contains_one(bytes + place(batch.hashes[i]), batch.hashes[i]) ? 1 : 0;
}
void block_contains(const std::uint8_t* bytes, const Batch& batch, std::uint8_t* answers) {
  const std::size_t done =
      batch.k <= 8 ? block_steps<false>(bytes, batch, answers) : block_steps<true>(bytes, batch, answers);
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
                      split_contains_stored,
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
                      avx2_ribbon_windows,
                      avx2_ribbon_matches,
                      avx2_block_add_shared_one,
                      avx2_block_add_shared,
                      avx2_cuckoo_contains};

}  // namespace

const Kernel* avx2() { return &kAvx2; }

}  // namespace BLOOMERY_NAMESPACE::kernel
#else
const bloomery::kernel::Kernel* bloomery::kernel::avx2() { return nullptr; }
#endif
