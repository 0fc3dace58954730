// AVX2 for batches of ribbon filters. This file is compiled with the flags of avx2.cc and reached only through its
// table.
#include "kernel/kernel.h"

#ifdef __AVX2__
#include <immintrin.h>

#include <cstring>

#include "bloomery/detail/fnv.h"

namespace BLOOMERY_NAMESPACE::kernel {
namespace {

using Four = std::uint64_t __attribute__((vector_size(32)));

__m256i each(std::uint64_t value) { return _mm256_set1_epi64x(static_cast<long long>(value)); }
__m256i load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
void store(void* to, __m256i value) { _mm256_storeu_si256(static_cast<__m256i*>(to), value); }

// By the number of columns: the group that each byte of a window is of, and the 4-byte words it has.
struct RibbonBytes {
  alignas(32) std::uint8_t group[17][128];
  alignas(32) std::int32_t mask[17][32];
};
constexpr RibbonBytes kRibbonBytes = [] {
  RibbonBytes bytes{};
  for (unsigned columns = 1; columns <= 16; ++columns) {
    for (unsigned i = 0; i < 8 * columns; ++i) {
      bytes.group[columns][i] = static_cast<std::uint8_t>(i / columns);
      bytes.mask[columns][i / 4] = -1;
    }
  }
  return bytes;
}();

// Which bytes of a quarter of a window choose an odd number of slots, by the coefficients of their group.
template <unsigned kQuarter>
std::uint64_t odd_bytes(const std::uint8_t* window, __m256i coefficients, std::uint32_t columns) {
  const __m256i parities = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, -128, -128, 0, -128, 0, 0, -128, -128, 0, 0, -128, 0, -128, -128, 0));
  const __m256i slots = _mm256_maskload_epi32(reinterpret_cast<const int*>(window + 32 * kQuarter),
                                              load(kRibbonBytes.mask[columns] + 8 * kQuarter));
  const __m256i of_groups = _mm256_shuffle_epi8(coefficients, load(kRibbonBytes.group[columns] + 32 * kQuarter));
  const __m256i chosen = _mm256_and_si256(slots, of_groups);
  const __m256i halves = _mm256_and_si256(_mm256_xor_si256(chosen, _mm256_srli_epi16(chosen, 4)), _mm256_set1_epi8(15));
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_shuffle_epi8(parities, halves)));
}

// Of four keys, the fingerprint of column i in bit i: of 8 columns, or of 16 (kWide).
template <bool kWide>
__m256i ribbon_fingerprints(__m256i coefficients) {
  constexpr std::uint64_t kFactor = 0x9fb21c651e98df25;
  // The product in 128 bits, by its halves.
  const __m256i upper = _mm256_srli_epi64(coefficients, 32), low_word = each(0xffffffff);
  const __m256i by_low = each(kFactor & 0xffffffff), by_high = each(kFactor >> 32);
  const __m256i lowest = _mm256_mul_epu32(coefficients, by_low);
  const __m256i carried = _mm256_add_epi64(_mm256_mul_epu32(upper, by_low), _mm256_srli_epi64(lowest, 32));
  const __m256i middle = _mm256_add_epi64(_mm256_mul_epu32(coefficients, by_high), _mm256_and_si256(carried, low_word));
  const __m256i high =
      _mm256_add_epi64(_mm256_add_epi64(_mm256_mul_epu32(upper, by_high), _mm256_srli_epi64(carried, 32)),
                       _mm256_srli_epi64(middle, 32));
  const __m256i both = _mm256_xor_si256(high, _mm256_blend_epi32(lowest, _mm256_slli_epi64(middle, 32), 0xaa));
  // The signs of all bytes, eight to a key.
  const auto signs = [](__m256i bytes) { return _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(_mm256_movemask_epi8(bytes))); };
  const __m256i first = signs(_mm256_slli_epi16(both, 7));
  if constexpr (!kWide) return first;
  return _mm256_or_si256(first, _mm256_slli_epi64(signs(_mm256_slli_epi16(both, 6)), 8));
}

// The parities of the bytes of some windows: of 64 bytes each, of up to 128 with more than 8 columns (kWide).
constexpr std::size_t kGroup = 64;
struct Parities {
  alignas(32) std::uint64_t odd[kGroup], more[kGroup];
};

// Of `count` keys from i on, at most kGroup.
template <bool kWide>
void find_parities(const RibbonRun& run, std::size_t i, std::size_t count, Parities& into) {
  const auto [from, all_coefficients, all_columns, all, soon, reach, most] = run;  // which no store can change
  for (std::size_t j = 0; j < count; ++j) {
    __builtin_prefetch(soon[i + j]);
    __builtin_prefetch(soon[i + j] + reach);
    const std::uint8_t* window = from[i + j];
    const __m256i coefficients = each(all_coefficients[i + j]);
    const std::uint32_t columns = all_columns[i + j];
    into.odd[j] = odd_bytes<0>(window, coefficients, columns) | odd_bytes<1>(window, coefficients, columns) << 32;
    if constexpr (kWide)
      into.more[j] = odd_bytes<2>(window, coefficients, columns) | odd_bytes<3>(window, coefficients, columns) << 32;
  }
}

// Whether the equations of four keys hold, a byte each: the parities of a column, one to a group, are summed by
// folding.
template <bool kWide>
std::uint32_t four_answers(__m256i sums, __m256i more, __m256i coefficients, __m256i columns) {
  const __m256i half = _mm256_slli_epi64(columns, 2);  // the bits of four groups
  __m256i upper = _mm256_srlv_epi64(sums, half);
  if constexpr (kWide) upper = _mm256_or_si256(upper, _mm256_sllv_epi64(more, _mm256_sub_epi64(each(64), half)));
  sums = _mm256_xor_si256(sums, upper);
  sums = _mm256_xor_si256(sums, _mm256_srlv_epi64(sums, _mm256_slli_epi64(columns, 1)));
  sums = _mm256_xor_si256(sums, _mm256_srlv_epi64(sums, columns));
  const __m256i all_wrong = _mm256_xor_si256(sums, ribbon_fingerprints<kWide>(coefficients));
  const __m256i wrong = _mm256_sllv_epi64(all_wrong, _mm256_sub_epi64(each(64), columns));  // of the columns there are
  const __m256i right = _mm256_cmpeq_epi64(wrong, _mm256_setzero_si256());
  // Four bits to the lowest ones of four bytes.
  const auto bits = static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(right)));
  return (bits * 0x00204081) & 0x01010101;
}

// All bytes of a window at once, then what is left to do with their parities for four windows at once. The parities of
// a group of keys are stored before any is loaded again: a wide load right behind narrow stores waits until they have
// left the core. Returns how many keys it answered.
template <bool kWide>
std::size_t matches(const RibbonRun& run, std::uint8_t* answers) {
  Parities parities;
  const std::size_t whole = run.count / 4 * 4;
  for (std::size_t first = 0; first < whole; first += kGroup) {
    const std::size_t count = whole - first < kGroup ? whole - first : kGroup;
    find_parities<kWide>(run, first, count, parities);
    for (std::size_t j = 0; j < count; j += 4) {
      const std::size_t i = first + j;
      const __m128i columns = _mm_loadu_si128(reinterpret_cast<const __m128i*>(run.columns + i));
      const std::uint32_t four =
          four_answers<kWide>(load(parities.odd + j), kWide ? load(parities.more + j) : _mm256_setzero_si256(),
                              load(run.coefficients + i), _mm256_cvtepu32_epi64(columns));
      std::memcpy(answers + i, &four, sizeof four);
    }
  }
  return whole;
}

}  // namespace

// Four keys at a time, step by step as detail::ribbon_window does it. The bytes of codes are read one by one in
// between: a gather is no faster, and on many machines much slower.
std::uint64_t avx2_ribbon_windows(const RibbonPlan& plan, const std::uint64_t* places, std::size_t count,
                                  const RibbonWindows& into) {
  alignas(32) std::uint64_t all_starts[64], all_codes[64];
  const std::size_t whole = count / 4 * 4;
  const __m256i starts = each(plan.starts), layer = each(reinterpret_cast<std::uintptr_t>(plan.layer));
  for (std::size_t i = 0; i < whole; i += 4) {
    const __m256i place = load(places + i);
    const __m256i low_product = _mm256_srli_epi64(_mm256_mul_epu32(place, starts), 32);
    const __m256i high_product = _mm256_mul_epu32(_mm256_srli_epi64(place, 32), starts);
    store(all_starts + i, _mm256_srli_epi64(_mm256_add_epi64(high_product, low_product), 32));
  }
  for (std::size_t i = 0; i < whole; ++i) all_codes[i] = plan.layer[all_starts[i] >> 6];
  std::uint64_t all_bumped = 0;
  for (std::size_t i = 0; i < whole; i += 4) {
    const __m256i start = load(all_starts + i);
    const __m256i shift = _mm256_and_si256(_mm256_srli_epi64(start, 3), each(6));
    const __m256i code = _mm256_and_si256(_mm256_srlv_epi64(load(all_codes + i), shift), each(3));
    const __m256i bumped_starts =
        _mm256_and_si256(_mm256_srlv_epi64(each(0x10050200), _mm256_slli_epi64(code, 3)), each(0xff));
    const __m256i bumped = _mm256_cmpgt_epi64(bumped_starts, _mm256_and_si256(start, each(15)));
    const __m256i below = _mm256_cmpgt_epi64(each(plan.cut), start);
    const __m256i columns = _mm256_add_epi64(each(plan.columns), below);  // one less below the cut
    const __m256i segments = _mm256_srli_epi64(start, 13);
    const __m256i group = _mm256_sub_epi64(_mm256_add_epi64(start, _mm256_slli_epi64(segments, 3)), segments);
    const __m256i side = _mm256_add_epi64(layer, _mm256_blendv_epi8(each(plan.high), each(plan.low), below));
    const __m256i window = _mm256_add_epi64(side, _mm256_mul_epu32(group, columns));
    store(into.from + i, _mm256_blendv_epi8(window, layer, bumped));
    Four place;
    std::memcpy(&place, places + i, sizeof place);
    place = detail::splitmix(place);
    std::memcpy(into.coefficients + i, &place, sizeof place);
    const __m256i kept =
        _mm256_permutevar8x32_epi32(_mm256_andnot_si256(bumped, columns), _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(into.columns + i), _mm256_castsi256_si128(kept));
    all_bumped |= static_cast<std::uint64_t>(_mm256_movemask_pd(_mm256_castsi256_pd(bumped))) << i;
  }
  if (whole == count) return all_bumped;
  return all_bumped | ribbon_windows_scalar(plan, places + whole, count - whole,
                                            {into.from + whole, into.coefficients + whole, into.columns + whole})
                          << whole;
}

void avx2_ribbon_matches(const RibbonRun& run, std::uint8_t* answers) {
  const std::size_t done = run.most > 8 ? matches<true>(run, answers) : matches<false>(run, answers);
  ribbon_matches_scalar({run.from + done, run.coefficients + done, run.columns + done, run.count - done,
                         run.soon + done, run.reach, run.most},
                        answers + done);
}

}  // namespace BLOOMERY_NAMESPACE::kernel
#endif
