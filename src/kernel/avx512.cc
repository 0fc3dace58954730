// AVX-512 (F, VL, BW, DQ): a whole cache line in one register, so a block probe is one permutation and one test
// whatever k is. This file is compiled with those flags and reached only through the table below, after the CPU was
// asked.
#include "kernel/kernel.h"

#ifdef __AVX512F__
#include <immintrin.h>

#include "kernel/loop.h"
#include "kernel/salts.h"

namespace bloomery::kernel {
namespace {

class Split {
 public:
  bool contains(const std::uint8_t* block, std::uint64_t hash) const {
    const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block));
    return _mm256_testc_si256(bits, mask(hash)) != 0;
  }
  void add(std::uint8_t* block, std::uint64_t hash) const {
    auto* at = reinterpret_cast<__m256i*>(block);
    _mm256_storeu_si256(at, _mm256_or_si256(_mm256_loadu_si256(at), mask(hash)));
  }

 private:
  __m256i mask(std::uint64_t hash) const {
    const __m256i products = _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(hash)), salts_);
    return _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(products, 27));
  }

  __m256i salts_ = _mm256_load_si256(reinterpret_cast<const __m256i*>(kSalts.of_k[8]));
};

// kNarrow: k <= 8, so eight lanes are enough to look at; the permutation still picks from all sixteen words.
template <bool kNarrow>
class Block {
 public:
  explicit Block(std::uint32_t k) : salts_(_mm512_load_si512(kSalts.of_k[k])), k_(k) {}

  bool contains(const std::uint8_t* block, std::uint64_t hash) const {
    const __m512i line = _mm512_loadu_si512(block);
    if constexpr (kNarrow) {
      const __m256i product =
          _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(hash)), _mm512_castsi512_si256(salts_));
      const __m256i word = _mm256_srli_epi32(product, 28);
      const __m256i words = _mm512_castsi512_si256(_mm512_permutexvar_epi32(_mm512_castsi256_si512(word), line));
      const __m256i bit = _mm256_and_si256(_mm256_srli_epi32(product, 23), _mm256_set1_epi32(31));
      return _mm256_testc_si256(words, _mm256_sllv_epi32(_mm256_set1_epi32(1), bit)) != 0;
    } else {
      const __m512i product = _mm512_mullo_epi32(_mm512_set1_epi32(static_cast<int>(hash)), salts_);
      const __m512i words = _mm512_permutexvar_epi32(_mm512_srli_epi32(product, 28), line);
      const __m512i bit = _mm512_and_si512(_mm512_srli_epi32(product, 23), _mm512_set1_epi32(31));
      return _mm512_test_epi32_mask(words, _mm512_sllv_epi32(_mm512_set1_epi32(1), bit)) == 0xffff;
    }
  }

  // A scatter of bits has no instruction: a position less 32 times the number of each word is a shift that leaves
  // nothing in every word but its own.
  void add(std::uint8_t* block, std::uint64_t hash) const {
    alignas(64) std::int32_t at[16];
    _mm512_store_si512(at,
                       _mm512_srli_epi32(_mm512_mullo_epi32(_mm512_set1_epi32(static_cast<int>(hash)), salts_), 23));
    const __m512i one = _mm512_set1_epi32(1);
    const __m512i starts = _mm512_setr_epi32(0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480);
    __m512i line = _mm512_loadu_si512(block);
    for (std::uint32_t i = 0; i < k_; ++i)
      line = _mm512_or_si512(line, _mm512_sllv_epi32(one, _mm512_sub_epi32(_mm512_set1_epi32(at[i]), starts)));
    _mm512_storeu_si512(block, line);
  }

 private:
  __m512i salts_;
  std::uint32_t k_;
};

bool split_contains_one(const std::uint8_t* block, std::uint64_t hash) { return Split().contains(block, hash); }
bool block_contains_one(const std::uint8_t* block, std::uint32_t k, std::uint64_t hash) {
  return k <= 8 ? Block<true>(k).contains(block, hash) : Block<false>(k).contains(block, hash);
}
void split_contains(const std::uint8_t* bytes, const Batch& batch, std::uint8_t* answers) {
  contains_all<SplitOffset>(bytes, batch, Split(), answers);
}
void split_add(std::uint8_t* bytes, const Batch& batch) { add_all<SplitOffset>(bytes, batch, Split()); }
void block_contains(const std::uint8_t* bytes, const Batch& batch, std::uint8_t* answers) {
  if (batch.k <= 8) contains_all<BlockOffset>(bytes, batch, Block<true>(batch.k), answers);
  else contains_all<BlockOffset>(bytes, batch, Block<false>(batch.k), answers);
}
void block_add(std::uint8_t* bytes, const Batch& batch) {
  if (batch.k <= 8) add_all<BlockOffset>(bytes, batch, Block<true>(batch.k));
  else add_all<BlockOffset>(bytes, batch, Block<false>(batch.k));
}

const Kernel kAvx512 = {"avx512",  split_contains_one, block_contains_one, split_contains,
                        split_add, block_contains,     block_add};

}  // namespace

const Kernel* avx512() { return &kAvx512; }

}  // namespace bloomery::kernel
#else
const bloomery::kernel::Kernel* bloomery::kernel::avx512() { return nullptr; }
#endif
