// AVX2: the eight products of a key by one multiplication, its bits by one variable shift, the answer by one test.
// This file is compiled with -mavx2 and reached only through the table below, after the CPU was asked.
#include "kernel/kernel.h"

#ifdef __AVX2__
#include <immintrin.h>

#include "bloomery/detail/salts.h"
#include "kernel/hash_loop.h"
#include "kernel/loop.h"
#include "kernel/ranges.h"

namespace BLOOMERY_NAMESPACE::kernel {
namespace {

__m256i load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
void store(void* to, __m256i value) { _mm256_storeu_si256(static_cast<__m256i*>(to), value); }
__m256i products(std::uint64_t hash, __m256i salts) {
  return _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(hash)), salts);
}

class Split {
 public:
  bool contains(const std::uint8_t* block, std::uint64_t hash) const {
    return _mm256_testc_si256(load(block), mask(hash)) != 0;
  }
  // Whether the block changed: the compiler leaves that out where nobody asks, as in a batch.
  bool add(std::uint8_t* block, std::uint64_t hash) const {
    const __m256i before = load(block), bits = mask(hash);
    store(block, _mm256_or_si256(before, bits));
    return _mm256_testc_si256(before, bits) == 0;
  }

 private:
  __m256i mask(std::uint64_t hash) const {
    return _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(products(hash, salts_), 27));
  }

  __m256i salts_ = load(detail::kSalts.of_k[8]);
};

// One path serves every k up to 8, two runs of it the rest.
class Block {
 public:
  explicit Block(std::uint32_t k)
      : low_(load(detail::kSalts.of_k[k])), high_(load(detail::kSalts.of_k[k] + 8)), two_(k > 8) {}

  bool contains(const std::uint8_t* block, std::uint64_t hash) const {
    const __m256i first = load(block), second = load(block + 32);
    const bool low = holds(first, second, hash, low_);
    return two_ ? low & holds(first, second, hash, high_) : low;
  }

 private:
  // Position p is bit p & 31 of word p >> 5: words 0..7 are in `first`, 8..15 in `second`. A permutation looks at the
  // low three bits of the word number only; the fourth, moved to the sign, picks the half.
  static bool holds(__m256i first, __m256i second, std::uint64_t hash, __m256i salts) {
    const __m256i product = products(hash, salts);
    const __m256i word = _mm256_srli_epi32(product, 28);
    const __m256i from_first = _mm256_permutevar8x32_epi32(first, word),
                  from_second = _mm256_permutevar8x32_epi32(second, word);
    const __m256i words = _mm256_castps_si256(_mm256_blendv_ps(
        _mm256_castsi256_ps(from_first), _mm256_castsi256_ps(from_second), _mm256_castsi256_ps(product)));
    const __m256i bit = _mm256_and_si256(_mm256_srli_epi32(product, 23), _mm256_set1_epi32(31));
    return _mm256_testc_si256(words, _mm256_sllv_epi32(_mm256_set1_epi32(1), bit)) != 0;
  }

  __m256i low_, high_;
  bool two_;
};

bool split_contains_one(const std::uint8_t* block, std::uint64_t hash) { return Split().contains(block, hash); }
bool block_contains_one(const std::uint8_t* block, std::uint32_t k, std::uint64_t hash) {
  return Block(k).contains(block, hash);
}
bool split_add_one(std::uint8_t* block, std::uint64_t hash) { return Split().add(block, hash); }
// Without a scatter of bits, eight 32-bit words at a time are no faster than one bit after the other (at 1 MiB 7.7 ns a
// key against 6.5).
bool block_add_one(std::uint8_t* block, std::uint32_t k, std::uint64_t hash) {
  return kScalar.block_add_one(block, k, hash);
}
void split_contains(const std::uint8_t* bytes, const Batch& batch, std::uint8_t* answers) {
  contains_all<SplitOffset>(bytes, batch, Split(), answers);
}
void split_add(std::uint8_t* bytes, const Batch& batch) { add_all<SplitOffset>(bytes, batch, Split()); }
void block_contains(const std::uint8_t* bytes, const Batch& batch, std::uint8_t* answers) {
  contains_all<BlockOffset>(bytes, batch, Block(batch.k), answers);
}
void block_add(std::uint8_t* bytes, const Batch& batch) { kScalar.block_add(bytes, batch); }

using Keys = std::uint64_t __attribute__((vector_size(32)));

const Kernel kAvx2 = {"avx2",        false,          split_contains_one, block_contains_one,   split_add_one,
                      block_add_one, split_contains, split_add,          block_contains,       block_add,
                      bits_set_in,   or_into,        and_into,           kIntegerHashing<Keys>};

}  // namespace

const Kernel* avx2() { return &kAvx2; }

}  // namespace BLOOMERY_NAMESPACE::kernel
#else
const bloomery::kernel::Kernel* bloomery::kernel::avx2() { return nullptr; }
#endif
