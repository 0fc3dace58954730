// AVX-512 for batches of ribbon filters. This file is compiled with the flags of avx512.cc and reached only through its
// table.
#include "kernel/kernel.h"

#ifdef __AVX512F__
#include <immintrin.h>

namespace BLOOMERY_NAMESPACE::kernel {
namespace {

__m512i each(std::uint64_t value) { return _mm512_set1_epi64(static_cast<long long>(value)); }

__m512i splitmix64(__m512i x) {
  x = _mm512_add_epi64(x, each(0x9e3779b97f4a7c15));
  x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 30)), each(0xbf58476d1ce4e5b9));
  x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 27)), each(0x94d049bb133111eb));
  return _mm512_xor_si512(x, _mm512_srli_epi64(x, 31));
}

// For each number of columns: the group that each byte of a window belongs to, and which bytes a window has, in halves
// of 64.
struct RibbonBytes {
  alignas(64) std::uint8_t group[17][128];
  std::uint64_t mask[17][2];
};
constexpr RibbonBytes kRibbonBytes = [] {
  RibbonBytes bytes{};
  for (unsigned columns = 1; columns <= 16; ++columns) {
    for (unsigned i = 0; i < 8 * columns; ++i) {
      bytes.group[columns][i] = static_cast<std::uint8_t>(i / columns);
      bytes.mask[columns][i / 64] |= std::uint64_t{1} << (i % 64);
    }
  }
  return bytes;
}();

// Which bytes of half a window choose an odd number of slots, by the coefficients of their group.
template <unsigned kHalf>
__mmask64 odd_bytes(const std::uint8_t* window, std::uint64_t coefficients, std::uint32_t columns) {
  const __m512i parities = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0));
  const __m512i slots = _mm512_maskz_loadu_epi8(kRibbonBytes.mask[columns][kHalf], window + 64 * kHalf);
  const __m512i of_groups =
      _mm512_shuffle_epi8(each(coefficients), _mm512_load_si512(kRibbonBytes.group[columns] + 64 * kHalf));
  const __m512i chosen = _mm512_and_si512(slots, of_groups);
  constexpr int kXorAnd = 0x28;  // (a ^ b) & c
  const __m512i halves = _mm512_ternarylogic_epi32(chosen, _mm512_srli_epi16(chosen, 4), _mm512_set1_epi8(15), kXorAnd);
  const __m512i odd = _mm512_shuffle_epi8(parities, halves);
  return _mm512_test_epi8_mask(odd, odd);
}

// Returns the fingerprints of eight keys, that of column i in bit i: 8 columns, or 16 (kWide).
template <bool kWide>
__m512i ribbon_fingerprints(__m512i coefficients) {
  constexpr std::uint64_t kFactor = 0x9fb21c651e98df25;
  // The product in 128 bits, by its halves.
  const __m512i upper = _mm512_srli_epi64(coefficients, 32), low_word = each(0xffffffff);
  const __m512i by_low = each(kFactor & 0xffffffff), by_high = each(kFactor >> 32);
  const __m512i lowest = _mm512_mul_epu32(coefficients, by_low);
  const __m512i carried = _mm512_add_epi64(_mm512_mul_epu32(upper, by_low), _mm512_srli_epi64(lowest, 32));
  const __m512i middle = _mm512_add_epi64(_mm512_mul_epu32(coefficients, by_high), _mm512_and_si512(carried, low_word));
  const __m512i high =
      _mm512_add_epi64(_mm512_add_epi64(_mm512_mul_epu32(upper, by_high), _mm512_srli_epi64(carried, 32)),
                       _mm512_srli_epi64(middle, 32));
  const __m512i low = _mm512_mask_mov_epi32(lowest, 0xaaaa, _mm512_slli_epi64(middle, 32));
  const __m512i both = _mm512_xor_si512(low, high);
  const auto column_bits = [&](char bit) {
    const __mmask64 bits = _mm512_test_epi8_mask(both, _mm512_set1_epi8(bit));
    return _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(static_cast<long long>(bits)));
  };
  if constexpr (kWide) return _mm512_or_si512(column_bits(1), _mm512_slli_epi64(column_bits(2), 8));
  else return column_bits(1);
}

// Takes all bytes of a window at once, and then the parities of eight windows at once: those of a column, one to a
// group, are summed by folding. With more than 8 columns (kWide) a window is up to 128 bytes.
template <bool kWide>
void matches(const RibbonRun& run, std::uint8_t* answers) {
  const auto [from, all_coefficients, all_columns, count, soon, reach, most] = run;  // which no store can change
  for (std::size_t i = 0; i < count; i += 8) {
    const std::size_t some = count - i < 8 ? count - i : 8;
    alignas(64) std::uint64_t odd[8] = {}, more[8] = {};
    for (std::size_t j = 0; j < some; ++j) {
      __builtin_prefetch(soon[i + j]);
      __builtin_prefetch(soon[i + j] + reach);
      odd[j] = odd_bytes<0>(from[i + j], all_coefficients[i + j], all_columns[i + j]);
      if constexpr (kWide) more[j] = odd_bytes<1>(from[i + j], all_coefficients[i + j], all_columns[i + j]);
    }
    const __mmask8 lanes = static_cast<__mmask8>(0xff >> (8 - some));
    const __m512i coefficients = _mm512_maskz_loadu_epi64(lanes, all_coefficients + i);
    const __m512i columns = _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(lanes, all_columns + i));
    __m512i sums = _mm512_load_si512(odd);
    const __m512i half = _mm512_slli_epi64(columns, 2);  // the bits of four groups
    __m512i upper = _mm512_srlv_epi64(sums, half);
    if constexpr (kWide)
      upper = _mm512_or_si512(upper, _mm512_sllv_epi64(_mm512_load_si512(more), _mm512_sub_epi64(each(64), half)));
    sums = _mm512_xor_si512(sums, upper);
    sums = _mm512_xor_si512(sums, _mm512_srlv_epi64(sums, _mm512_slli_epi64(columns, 1)));
    sums = _mm512_xor_si512(sums, _mm512_srlv_epi64(sums, columns));
    const __m512i all_wrong = _mm512_xor_si512(sums, ribbon_fingerprints<kWide>(coefficients));
    const __m512i wrong =
        _mm512_sllv_epi64(all_wrong, _mm512_sub_epi64(each(64), columns));  // of the columns there are
    const __mmask8 right = _mm512_testn_epi64_mask(wrong, wrong);
    _mm_mask_storeu_epi8(answers + i, lanes, _mm_maskz_set1_epi8(right, 1));
  }
}

}  // namespace

// Eight keys at a time, step by step as detail::ribbon_window does it.
std::uint64_t avx512_ribbon_windows(const RibbonPlan& plan, const std::uint64_t* places, std::size_t count,
                                    const RibbonWindows& into) {
  std::uint64_t all_bumped = 0;
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
    all_bumped |= std::uint64_t{static_cast<std::uint8_t>(bumped & lanes)} << i;
  }
  return all_bumped;
}

void avx512_ribbon_matches(const RibbonRun& run, std::uint8_t* answers) {
  if (run.most > 8) matches<true>(run, answers);
  else matches<false>(run, answers);
}

}  // namespace BLOOMERY_NAMESPACE::kernel
#endif
