// AVX-512 for batches of cuckoo filters, eight keys at a time. This file is compiled with the flags of avx512.cc and
// reached only through its table.
#include "kernel/kernel.h"

#ifdef __AVX512F__
#include <immintrin.h>

#include "kernel/cuckoo_loop.h"

namespace BLOOMERY_NAMESPACE::kernel {
namespace {

struct EightLanes {
  using Word = std::uint64_t __attribute__((vector_size(64)));
  using Signed = std::int64_t __attribute__((vector_size(64)));

  static Word products(Word a, Word b) {
    return reinterpret_cast<Word>(_mm512_mul_epu32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
  }
  static unsigned zeros(Word x) {
    return _mm512_testn_epi64_mask(reinterpret_cast<__m512i>(x), reinterpret_cast<__m512i>(x));
  }
};

}  // namespace

void avx512_cuckoo_contains(const std::uint8_t* bytes, const CuckooBatch& batch, std::uint8_t* answers) {
  cuckoo_contains_by<EightLanes>(bytes, batch, answers);
}

}  // namespace BLOOMERY_NAMESPACE::kernel
#endif
