// AVX-512 (F, VL, BW, DQ) and BMI2: two keys to a register, sixteen to a step. This file is compiled with those flags
// and reached only through the table below, after the CPU was asked.
#include "kernel/kernel.h"

#ifdef __AVX512F__
#include <immintrin.h>

#include "bloomery/detail/salts.h"
#include "kernel/avx512_one.h"
#include "kernel/avx512_steps.h"
#include "kernel/hash_loop.h"
#include "kernel/loop.h"
#include "kernel/ranges.h"

namespace BLOOMERY_NAMESPACE::kernel {
namespace {

__m512i ones() { return _mm512_set1_epi32(1); }
__m256i load32(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
void store32(void* to, __m256i value) { _mm256_storeu_si256(static_cast<__m256i*>(to), value); }
__m512i low_half(std::uint64_t hash) { return _mm512_set1_epi32(static_cast<int>(hash)); }
__m512i twice(const std::uint32_t* salts) { return _mm512_broadcast_i64x4(load32(salts)); }

// Returns the low halves of two of eight hashes, number 2 * kPair and the one after it, each in eight lanes.
template <int kPair>
__m512i pair_of(__m512i hashes) {
  const __m512i from = _mm512_inserti64x4(_mm512_set1_epi32(4 * kPair), _mm256_set1_epi32(4 * kPair + 2), 1);
  return _mm512_permutexvar_epi32(from, hashes);
}

// Two answers: a byte is 0 where nothing is missing.
void store_missing(std::uint8_t* out, __mmask16 missing) { _store_mask16(reinterpret_cast<__mmask16*>(out), missing); }

class Split {
 public:
  explicit Split(const Batch& batch) : places(batch.blocks) {}

  SplitPlaces places;

  void missing(const std::uint8_t* bytes, const std::uint64_t* at, const std::uint64_t* hashes,
               std::uint8_t* out) const {
    for (std::size_t i = 0; i < kStep; i += 8) {
      const __m512i eight = _mm512_loadu_si512(hashes + i);
      missing_pair<0>(bytes, at + i, eight, out + i);
      missing_pair<1>(bytes, at + i, eight, out + i);
      missing_pair<2>(bytes, at + i, eight, out + i);
      missing_pair<3>(bytes, at + i, eight, out + i);
    }
  }
  void add(std::uint8_t* bytes, const std::uint64_t* at, const std::uint64_t* hashes) const {
    for (std::size_t i = 0; i < kStep; i += 8) {
      const __m512i eight = _mm512_loadu_si512(hashes + i);
      add_pair<0>(bytes, at + i, eight);
      add_pair<1>(bytes, at + i, eight);
      add_pair<2>(bytes, at + i, eight);
      add_pair<3>(bytes, at + i, eight);
    }
  }

 private:
  __m512i mask(__m512i hash) const {
    return _mm512_sllv_epi32(ones(), _mm512_srli_epi32(_mm512_mullo_epi32(hash, salts_), 27));
  }
  template <int kPair>
  void missing_pair(const std::uint8_t* bytes, const std::uint64_t* at, __m512i hashes, std::uint8_t* out) const {
    const __m512i first = _mm512_castsi256_si512(load32(bytes + at[2 * kPair]));
    const __m512i both = _mm512_inserti64x4(first, load32(bytes + at[2 * kPair + 1]), 1);
    store_missing(out + 2 * kPair, _mm512_testn_epi32_mask(both, mask(pair_of<kPair>(hashes))));
  }
  // The second block is read after the first is written: they may be the same.
  template <int kPair>
  void add_pair(std::uint8_t* bytes, const std::uint64_t* at, __m512i hashes) const {
    const __m512i bits = mask(pair_of<kPair>(hashes));
    std::uint8_t *first = bytes + at[2 * kPair], *second = bytes + at[2 * kPair + 1];
    store32(first, _mm256_or_si256(load32(first), _mm512_castsi512_si256(bits)));
    store32(second, _mm256_or_si256(load32(second), _mm512_extracti64x4_epi64(bits, 1)));
  }

  __m512i salts_ = twice(detail::kSalts.of_k[8]);
};

__m512i word_of(__m512i product) { return _mm512_srli_epi32(product, 28); }
// A rotation looks at the low five bits of its count only.
__m512i bit_of(__m512i product) { return _mm512_rolv_epi32(ones(), _mm512_srli_epi32(product, 23)); }

// kWide: k > 8, so a key fills a register alone.
template <bool kWide>
class Block {
 public:
  explicit Block(const Batch& batch)
      : places(batch.blocks),
        salts_(kWide ? _mm512_load_si512(detail::kSalts.of_k[batch.k]) : twice(detail::kSalts.of_k[batch.k])) {}

  BlockPlaces places;

  void missing(const std::uint8_t* bytes, const std::uint64_t* at, const std::uint64_t* hashes,
               std::uint8_t* out) const {
    if constexpr (kWide) {
      for (std::size_t i = 0; i < kStep; ++i) {
        const __m512i product = _mm512_mullo_epi32(low_half(hashes[i]), salts_);
        const __m512i words = _mm512_permutexvar_epi32(word_of(product), _mm512_loadu_si512(bytes + at[i]));
        out[i] = _mm512_testn_epi32_mask(words, bit_of(product)) != 0;
      }
    } else {
      for (std::size_t i = 0; i < kStep; i += 8) {
        const __m512i eight = _mm512_loadu_si512(hashes + i);
        missing_pair<0>(bytes, at + i, eight, out + i);
        missing_pair<1>(bytes, at + i, eight, out + i);
        missing_pair<2>(bytes, at + i, eight, out + i);
        missing_pair<3>(bytes, at + i, eight, out + i);
      }
    }
  }

 private:
  template <int kPair>
  void missing_pair(const std::uint8_t* bytes, const std::uint64_t* at, __m512i hashes, std::uint8_t* out) const {
    const __m512i product = _mm512_mullo_epi32(pair_of<kPair>(hashes), salts_);
    const __m512i word = word_of(product);
    const __m512i first = _mm512_permutexvar_epi32(word, _mm512_loadu_si512(bytes + at[2 * kPair]));
    const __m512i words =
        _mm512_mask_permutexvar_epi32(first, 0xff00, word, _mm512_loadu_si512(bytes + at[2 * kPair + 1]));
    store_missing(out + 2 * kPair, _mm512_testn_epi32_mask(words, bit_of(product)));
  }

  __m512i salts_;
};

// The bits that a group of keys sets, by slot: for each of the k positions the word of the block and the bit in it.
struct BlockBits {
  alignas(64) std::uint32_t word[16][kSlots], bit[16][kSlots];
};

// Sixteen keys side by side: no lane is idle, whatever k is.
template <int k>
void prepare_bits(const std::uint64_t* hashes, std::size_t slot, BlockBits& bits) {
  const __m512i low = _mm512_permutex2var_epi32(
      _mm512_loadu_si512(hashes), _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
      _mm512_loadu_si512(hashes + 8));
  for (int i = 0; i < k; ++i) {
    const __m512i product = _mm512_mullo_epi32(low, _mm512_set1_epi32(static_cast<int>(detail::kSalts.of_k[16][i])));
    _mm512_store_si512(bits.word[i] + slot, word_of(product));
    _mm512_store_si512(bits.bit[i] + slot, bit_of(product));
  }
}

// A scatter of bits has no instruction: of each position, the lane whose number is that of the word gets the bit.
__m512i with_bit(__m512i line, std::uint32_t word, std::uint32_t bit) {
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __mmask16 here = _mm512_cmpeq_epi32_mask(lanes, _mm512_set1_epi32(static_cast<int>(word)));
  return _mm512_mask_or_epi32(line, here, _mm512_set1_epi32(static_cast<int>(bit)), line);
}

template <int k>
std::size_t block_add_steps(std::uint8_t* bytes, const Batch& batch) {
  BlockBits bits;
  const BlockPlaces places(batch.blocks);
  return for_each_step<true>(
      bytes, batch,
      [&](std::size_t i, std::size_t slot, std::uint64_t* at) {
        places(batch.hashes + i, at);
        prepare_bits<k>(batch.hashes + i, slot, bits);
      },
      [&](std::size_t, std::size_t slot, const std::uint64_t* at) {
        for (std::size_t j = 0; j < kStep; ++j) {
          __m512i line = _mm512_loadu_si512(bytes + at[j]);
          for (int i = 0; i < k; ++i) line = with_bit(line, bits.word[i][slot + j], bits.bit[i][slot + j]);
          _mm512_storeu_si512(bytes + at[j], line);
        }
      });
}

using BlockAddSteps = std::size_t (*)(std::uint8_t*, const Batch&);
constexpr BlockAddSteps kBlockAddSteps[] = {nullptr,
                                            block_add_steps<1>,
                                            block_add_steps<2>,
                                            block_add_steps<3>,
                                            block_add_steps<4>,
                                            block_add_steps<5>,
                                            block_add_steps<6>,
                                            block_add_steps<7>,
                                            block_add_steps<8>,
                                            block_add_steps<9>,
                                            block_add_steps<10>,
                                            block_add_steps<11>,
                                            block_add_steps<12>,
                                            block_add_steps<13>,
                                            block_add_steps<14>,
                                            block_add_steps<15>,
                                            block_add_steps<16>};

__m256i split_bits(std::uint64_t hash) {
  const __m256i product = _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(hash)), load32(detail::kSalts.of_k[8]));
  return _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(product, 27));
}
bool split_add_one(std::uint8_t* block, std::uint64_t hash) {
  const __m256i before = load32(block), bits = split_bits(hash);
  store32(block, _mm256_or_si256(before, bits));
  return _mm256_testc_si256(before, bits) == 0;
}
bool block_contains_one(const std::uint8_t* block, std::uint32_t k, std::uint64_t hash) {
  if (k > 8) [[unlikely]]
    return block_contains_sixteen(block, k, hash);
  return block_contains_eight(block, k, hash);
}

// The line with the bits at two positions set: a position less 32 times the number of each word is a shift that leaves
// nothing in every word but its own. For one key faster than with_bit, whose masks come late.
__m512i with_two_bits(__m512i line, const std::uint32_t* positions) {
  const __m512i starts =
      _mm512_setr_epi32(0, -32, -64, -96, -128, -160, -192, -224, -256, -288, -320, -352, -384, -416, -448, -480);
  const auto bit = [&](std::uint32_t position) {
    return _mm512_sllv_epi32(ones(), _mm512_add_epi32(starts, _mm512_set1_epi32(static_cast<int>(position))));
  };
  constexpr int kOrOfThree = 0xfe;
  return _mm512_ternarylogic_epi32(line, bit(positions[0]), bit(positions[1]), kOrOfThree);
}
bool block_add_one(std::uint8_t* block, std::uint32_t k, std::uint64_t hash) {
  alignas(64) std::uint32_t positions[16];
  _mm512_store_si512(
      positions, _mm512_srli_epi32(_mm512_mullo_epi32(low_half(hash), _mm512_load_si512(detail::kSalts.of_k[k])), 23));
  const __m512i before = _mm512_loadu_si512(block);
  __m512i line = before;
  for (std::uint32_t i = 0; i < k; i += 2) line = with_two_bits(line, positions + i);  // beyond k they repeat
  _mm512_storeu_si512(block, line);
  return _mm512_cmpneq_epi64_mask(before, line) != 0;
}

void split_contains(const std::uint8_t* bytes, const Batch& batch, std::uint8_t* answers) {
  const std::size_t done = contains_steps(bytes, batch, Split(batch), answers);
  const SplitOffset place{batch.blocks};
  for (std::size_t i = done; i < batch.count; ++i)
    answers[i] = split_contains_one(bytes + place(batch.hashes[i]), batch.hashes[i]) ? 1 : 0;
}
void block_contains(const std::uint8_t* bytes, const Batch& batch, std::uint8_t* answers) {
  const std::size_t done = batch.k <= 8 ? contains_steps(bytes, batch, Block<false>(batch), answers)
                                        : contains_steps(bytes, batch, Block<true>(batch), answers);
  const BlockOffset place{batch.blocks};
  for (std::size_t i = done; i < batch.count; ++i)
    answers[i] = block_contains_one(bytes + place(batch.hashes[i]), batch.k, batch.hashes[i]) ? 1 : 0;
}
void split_add(std::uint8_t* bytes, const Batch& batch) {
  const Split kind(batch);
  const std::size_t done = for_each_step<true>(
      bytes, batch, [&](std::size_t i, std::size_t, std::uint64_t* at) { kind.places(batch.hashes + i, at); },
      [&](std::size_t i, std::size_t, const std::uint64_t* at) { kind.add(bytes, at, batch.hashes + i); });
  kScalar.split_add(bytes, rest_of(batch, done));
}
void block_add(std::uint8_t* bytes, const Batch& batch) {
  const std::size_t done = kBlockAddSteps[batch.k](bytes, batch);
  kScalar.block_add(bytes, rest_of(batch, done));
}

using Keys = std::uint64_t __attribute__((vector_size(64)));

const Kernel kAvx512 = {"avx512",
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
                        avx512_ribbon_windows,
                        avx512_ribbon_matches,
                        avx2_block_add_shared_one,
                        avx2_block_add_shared,
                        avx512_cuckoo_contains};

}  // namespace

const Kernel* avx512() { return &kAvx512; }

}  // namespace BLOOMERY_NAMESPACE::kernel
#else
const bloomery::kernel::Kernel* bloomery::kernel::avx512() { return nullptr; }
#endif
