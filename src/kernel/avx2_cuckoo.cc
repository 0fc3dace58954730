// AVX2 for batches of cuckoo filters, four keys at a time. This file is compiled with the flags of avx2.cc and reached
// only through its table.
#include "kernel/kernel.h"

#ifdef __AVX2__
#include <immintrin.h>

#include "kernel/cuckoo_loop.h"

namespace BLOOMERY_NAMESPACE::kernel {
namespace {

struct FourLanes {
  using Word = std::uint64_t __attribute__((vector_size(32)));
  using Signed = std::int64_t __attribute__((vector_size(32)));

  static Word products(Word a, Word b) {
    return reinterpret_cast<Word>(_mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
  }
  static unsigned zeros(Word x) {
    const __m256i zero = _mm256_cmpeq_epi64(reinterpret_cast<__m256i>(x), _mm256_setzero_si256());
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(zero)));
  }
};

}  // namespace

void avx2_cuckoo_contains(const std::uint8_t* bytes, const CuckooBatch& batch, std::uint8_t* answers) {
  cuckoo_contains_by<FourLanes>(bytes, batch, answers);
}

}  // namespace BLOOMERY_NAMESPACE::kernel
#endif
