// AVX-512 for batches of ribbon filters. This file is compiled with the flags of avx512.cc and reached only through its
// table.
#include "kernel/kernel.h"

#ifdef __AVX512F__
#include <immintrin.h>

namespace bloomery::kernel {
namespace {

__m512i each(std::uint64_t value) { return _mm512_set1_epi64(static_cast<long long>(value)); }

__m512i splitmix64(__m512i x) {
  x = _mm512_add_epi64(x, each(0x9e3779b97f4a7c15));
  x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 30)), each(0xbf58476d1ce4e5b9));
  x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 27)), each(0x94d049bb133111eb));
  return _mm512_xor_si512(x, _mm512_srli_epi64(x, 31));
}

// By the number of columns: the group that each byte of a window is of, and the bytes it has.
struct RibbonBytes {
  alignas(64) std::uint8_t group[9][64];
  std::uint64_t mask[9];
};
constexpr RibbonBytes kRibbonBytes = [] {
  RibbonBytes bytes{};
  for (unsigned columns = 1; columns <= 8; ++columns) {
    for (unsigned i = 0; i < 8 * columns; ++i) bytes.group[columns][i] = static_cast<std::uint8_t>(i / columns);
    bytes.mask[columns] = ~std::uint64_t{0} >> (64 - 8 * columns);
  }
  return bytes;
}();

// Bit i: the fingerprint in column i.
std::uint64_t ribbon_fingerprint(std::uint64_t coefficients) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(coefficients) * 0x9fb21c651e98df25;
  const std::uint64_t bits = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  return ((bits & 0x0101010101010101) * 0x0102040810204080) >> 56;
}

}  // namespace

// Eight keys at a time, step by step as detail::ribbon_window does it.
void avx512_ribbon_windows(const RibbonPlan& plan, const std::uint64_t* places, std::size_t count,
                           const RibbonWindows& into) {
  const __m512i starts = each(plan.starts), layer = each(reinterpret_cast<std::uintptr_t>(plan.layer));
  for (std::size_t i = 0; i < count; i += 8) {
    const __mmask8 lanes = static_cast<__mmask8>(count - i >= 8 ? 0xff : (1U << (count - i)) - 1);
    const __m512i place = _mm512_maskz_loadu_epi64(lanes, places + i);
    const __m512i low_product = _mm512_srli_epi64(_mm512_mul_epu32(place, starts), 32);
    const __m512i high_product = _mm512_mul_epu32(_mm512_srli_epi64(place, 32), starts);
    const __m512i start = _mm512_srli_epi64(_mm512_add_epi64(high_product, low_product), 32);
    // Eight bytes where one is meant: behind the codes there are groups, and padding.
    const __m512i codes =
        _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), lanes, _mm512_srli_epi64(start, 6), plan.layer, 1);
    const __m512i code =
        _mm512_and_si512(_mm512_srlv_epi64(codes, _mm512_and_si512(_mm512_srli_epi64(start, 3), each(6))), each(3));
    const __m512i bumped_starts =
        _mm512_and_si512(_mm512_srlv_epi64(each(0x10050200), _mm512_slli_epi64(code, 3)), each(0xff));
    const __mmask8 bumped = _mm512_cmplt_epu64_mask(_mm512_and_si512(start, each(15)), bumped_starts);
    const __mmask8 below = _mm512_cmplt_epu64_mask(start, each(plan.cut));
    const __m512i columns = _mm512_mask_blend_epi64(below, each(plan.columns), each(plan.columns - 1));
    const __m512i segments = _mm512_srli_epi64(start, 13);
    const __m512i group = _mm512_sub_epi64(_mm512_add_epi64(start, _mm512_slli_epi64(segments, 3)), segments);
    const __m512i side = _mm512_add_epi64(layer, _mm512_mask_blend_epi64(below, each(plan.high), each(plan.low)));
    const __m512i window = _mm512_add_epi64(side, _mm512_mul_epu32(group, columns));
    _mm512_mask_storeu_epi64(into.from + i, lanes, _mm512_mask_mov_epi64(window, bumped, layer));
    _mm512_mask_storeu_epi64(into.coefficients + i, lanes, splitmix64(place));
    const __m512i kept = _mm512_maskz_mov_epi64(static_cast<__mmask8>(~bumped), columns);
    _mm256_mask_storeu_epi32(into.columns + i, lanes, _mm512_cvtepi64_epi32(kept));
  }
}

// All bytes of a window at once: each and the coefficients of its group; its parity is a bit; and the bits of a column,
// one to a group, are summed by folding.
void avx512_ribbon_matches(const RibbonRun& run, std::uint8_t* answers) {
  const auto [from, all_coefficients, all_columns, count] = run;  // which no store of an answer can change
  const __m512i parities = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0));
  const __m512i low_bits = _mm512_set1_epi8(15);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t columns = all_columns[i];
    const __m512i slots = _mm512_maskz_loadu_epi8(kRibbonBytes.mask[columns], from[i]);
    const __m512i coefficients = _mm512_shuffle_epi8(_mm512_set1_epi64(static_cast<long long>(all_coefficients[i])),
                                                     _mm512_load_si512(kRibbonBytes.group[columns]));
    const __m512i chosen = _mm512_and_si512(slots, coefficients);
    constexpr int kXorAnd = 0x28;  // (a ^ b) & c
    const __m512i halves = _mm512_ternarylogic_epi32(chosen, _mm512_srli_epi16(chosen, 4), low_bits, kXorAnd);
    const __m512i odd = _mm512_shuffle_epi8(parities, halves);
    std::uint64_t sums = _mm512_test_epi8_mask(odd, odd);
    sums ^= sums >> 4 * columns;
    sums ^= sums >> 2 * columns;
    sums ^= sums >> columns;
    const std::uint64_t wrong = sums ^ ribbon_fingerprint(all_coefficients[i]);
    answers[i] = (wrong & ((1U << columns) - 1)) == 0 ? 1 : 0;
  }
}

}  // namespace bloomery::kernel
#endif
