// Adds of block filters that threads share, by AVX2. Reached only through the table of avx2.cc.
#include "kernel/kernel.h"

#ifdef __AVX2__
#include <immintrin.h>

#include "bloomery/detail/salts.h"
#include "kernel/shared_adds.h"

namespace BLOOMERY_NAMESPACE::kernel {
namespace {

__m256i load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }

unsigned zero_words(__m256i words) {
  return static_cast<unsigned>(
      _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(words, _mm256_setzero_si256()))));
}

// A position less 32 times the number of a 32-bit word is a shift that leaves nothing in every word but its own.
class Missing {
 public:
  explicit Missing(std::uint32_t k) : k_(k) {}

  unsigned operator()(const std::uint8_t* block, std::uint64_t hash, std::uint64_t* words) const {
    __m256i first = _mm256_setzero_si256(), second = first;
    for (std::uint32_t i = 0; i < k_; ++i) {
      const std::uint32_t position = static_cast<std::uint32_t>(hash) * detail::kSalts.of_k[16][i] >> 23;
      const __m256i shift = _mm256_sub_epi32(_mm256_set1_epi32(static_cast<int>(position)), starts_);
      first = _mm256_or_si256(first, _mm256_sllv_epi32(ones_, shift));
      second = _mm256_or_si256(second, _mm256_sllv_epi32(ones_, _mm256_sub_epi32(shift, half_)));
    }
    first = _mm256_andnot_si256(load(block), first);
    second = _mm256_andnot_si256(load(block + 32), second);
    _mm256_store_si256(reinterpret_cast<__m256i*>(words), first);
    _mm256_store_si256(reinterpret_cast<__m256i*>(words + 4), second);
    return 0xff ^ (zero_words(first) | zero_words(second) << 4);
  }

 private:
  std::uint32_t k_;
  __m256i ones_ = _mm256_set1_epi32(1), half_ = _mm256_set1_epi32(256),
          starts_ = _mm256_setr_epi32(0, 32, 64, 96, 128, 160, 192, 224);
};

}  // namespace

bool avx2_block_add_shared_one(std::uint8_t* block, std::uint32_t k, std::uint64_t hash) {
  return add_shared(block, hash, Missing(k));
}
void avx2_block_add_shared(std::uint8_t* bytes, const Batch& batch) { add_all_shared(bytes, batch, Missing(batch.k)); }

}  // namespace BLOOMERY_NAMESPACE::kernel
#endif
