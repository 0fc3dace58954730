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

// How many columns a window may have: up to 4, 8 or 16. A group of a window has a byte a column, and a load brings as
// many bytes as a pair of neighbouring groups may have (8 with up to 4 columns, 16 with up to 8), or as one group may
// have (16 with more).
enum class Width { four, eight, sixteen };

// Bytes of windows with up to 8 columns. Their eight groups are read in pairs, 16 bytes a pair: group[columns][16 * p +
// i] is the number of the group that byte i of pair p belongs to. Bytes after the end of a pair belong to no group;
// their number makes a shuffle give 0.
struct RibbonPairs {
  alignas(32) std::uint8_t group[9][64];
};
constexpr RibbonPairs kPairs = [] {
  RibbonPairs pairs{};
  for (unsigned columns = 0; columns <= 8; ++columns)
    for (unsigned i = 0; i < 64; ++i)
      pairs.group[columns][i] =
          static_cast<std::uint8_t>(i % 16 < 2 * columns ? 2 * (i / 16) + i % 16 / columns : 0x80);
  return pairs;
}();

// The bytes from two places on: 16 each, or 8 where these are enough.
template <Width kWidth>
__m256i both(const std::uint8_t* low, const std::uint8_t* high) {
  const auto part = [](const std::uint8_t* from) {
    const auto* words = reinterpret_cast<const __m128i*>(from);
    return kWidth == Width::four ? _mm_loadl_epi64(words) : _mm_loadu_si128(words);
  };
  return _mm256_inserti128_si256(_mm256_castsi128_si256(part(low)), part(high), 1);
}

// The slots of a window that its coefficients choose, with half of its groups added to the other half: of up to 8
// columns in two pairs of groups, of more in two groups, one to each half of the register.
template <Width kWidth>
__m256i chosen_slots(const std::uint8_t* window, std::uint64_t all_coefficients, std::uint32_t of_columns) {
  const __m256i coefficients = each(all_coefficients);
  const std::size_t columns = of_columns;
  if constexpr (kWidth != Width::sixteen) {
    const std::uint8_t* groups = kPairs.group[columns];
    const __m256i first = _mm256_shuffle_epi8(coefficients, load(groups));
    const __m256i second = _mm256_shuffle_epi8(coefficients, load(groups + 32));
    return _mm256_xor_si256(_mm256_and_si256(first, both<kWidth>(window, window + 2 * columns)),
                            _mm256_and_si256(second, both<kWidth>(window + 4 * columns, window + 6 * columns)));
  } else {
    const auto two_groups = [&](char k) {
      const auto from = window + static_cast<std::size_t>(k) * columns;
      const __m256i groups = _mm256_setr_m128i(_mm_set1_epi8(k), _mm_set1_epi8(static_cast<char>(k + 1)));
      return _mm256_and_si256(_mm256_shuffle_epi8(coefficients, groups), both<kWidth>(from, from + columns));
    };
    return _mm256_xor_si256(_mm256_xor_si256(two_groups(0), two_groups(2)),
                            _mm256_xor_si256(two_groups(4), two_groups(6)));
  }
}

// The fingerprints of four keys, as detail::ribbon_fingerprint has them: the product in 128 bits, by its halves.
__m256i ribbon_fingerprints(__m256i coefficients) {
  constexpr std::uint64_t kFactor = 0x9fb21c651e98df25;
  const __m256i upper = _mm256_srli_epi64(coefficients, 32), low_word = each(0xffffffff);
  const __m256i by_low = each(kFactor & 0xffffffff), by_high = each(kFactor >> 32);
  const __m256i lowest = _mm256_mul_epu32(coefficients, by_low);
  const __m256i carried = _mm256_add_epi64(_mm256_mul_epu32(upper, by_low), _mm256_srli_epi64(lowest, 32));
  const __m256i middle = _mm256_add_epi64(_mm256_mul_epu32(coefficients, by_high), _mm256_and_si256(carried, low_word));
  const __m256i high =
      _mm256_add_epi64(_mm256_add_epi64(_mm256_mul_epu32(upper, by_high), _mm256_srli_epi64(carried, 32)),
                       _mm256_srli_epi64(middle, 32));
  return _mm256_xor_si256(high, _mm256_blend_epi32(lowest, _mm256_slli_epi64(middle, 32), 0xaa));
}

// Returns a 1 in the lowest bit of each byte whose bits have another sum than the lowest bit of the fingerprint's byte.
__m256i wrong_bytes(__m256i bytes, __m256i fingerprints) {
  const __m256i parities = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0));
  const __m256i halves = _mm256_and_si256(_mm256_xor_si256(bytes, _mm256_srli_epi64(bytes, 4)), _mm256_set1_epi8(15));
  const __m256i sums = _mm256_xor_si256(_mm256_shuffle_epi8(parities, halves), fingerprints);
  return _mm256_and_si256(sums, _mm256_set1_epi8(1));
}

// Adds the halves of two registers: the sum of `one` is the lower half.
__m256i add_halves(__m256i one, __m256i other) {
  return _mm256_xor_si256(_mm256_blend_epi32(one, other, 0xf0), _mm256_permute2x128_si256(one, other, 0x21));
}

// Whether the equations of four keys hold, a byte each.
template <Width kWidth>
[[gnu::always_inline]] inline std::uint32_t four_answers(const __m256i (&slots)[4], __m256i coefficients,
                                                         __m256i columns) {
  const __m256i even = add_halves(slots[0], slots[2]), odd = add_halves(slots[1], slots[3]);
  const __m256i low = _mm256_unpacklo_epi64(even, odd), high = _mm256_unpackhi_epi64(even, odd);
  const __m256i fingerprints = ribbon_fingerprints(coefficients), bits = _mm256_slli_epi64(columns, 3);
  __m256i right;
  if constexpr (kWidth != Width::sixteen) {
    // The second group of the pair follows the first at once. What is no column is shifted out.
    const __m256i beyond = _mm256_sub_epi64(each(64), bits);
    const __m256i second = _mm256_or_si256(_mm256_srlv_epi64(low, bits), _mm256_sllv_epi64(high, beyond));
    const __m256i wrong = _mm256_sllv_epi64(wrong_bytes(_mm256_xor_si256(low, second), fingerprints), beyond);
    right = _mm256_cmpeq_epi64(wrong, _mm256_setzero_si256());
  } else {
    const __m256i beyond = _mm256_sub_epi64(each(128), bits);
    const __m256i more = _mm256_sllv_epi64(wrong_bytes(high, _mm256_srli_epi64(fingerprints, 1)), beyond);
    const __m256i wrong = _mm256_or_si256(wrong_bytes(low, fingerprints), more);
    const __m256i none = _mm256_cmpeq_epi64(columns, _mm256_setzero_si256());
    right = _mm256_or_si256(none, _mm256_cmpeq_epi64(wrong, _mm256_setzero_si256()));
  }
  // Four bits to the lowest ones of four bytes.
  const auto four = static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(right)));
  return (four * 0x00204081) & 0x01010101;
}

// The slots of one window after the other, then what is left to do for four at once. Returns how many keys it answered.
template <Width kWidth>
std::size_t matches(const RibbonRun& run, std::uint8_t* answers) {
  const auto [from, all_coefficients, all_columns, all, soon, reach, most] = run;  // which no store can change
  const std::size_t whole = all / 4 * 4;
  for (std::size_t i = 0; i < whole; i += 4) {
    __m256i slots[4];
    for (std::size_t j = 0; j < 4; ++j) {
      __builtin_prefetch(soon[i + j]);
      __builtin_prefetch(soon[i + j] + reach);
      slots[j] = chosen_slots<kWidth>(from[i + j], all_coefficients[i + j], all_columns[i + j]);
    }
    const __m128i columns = _mm_loadu_si128(reinterpret_cast<const __m128i*>(all_columns + i));
    const std::uint32_t four = four_answers<kWidth>(slots, load(all_coefficients + i), _mm256_cvtepu32_epi64(columns));
    std::memcpy(answers + i, &four, sizeof four);
  }
  return whole;
}

}  // namespace

// Four keys at a time, step by step as detail::ribbon_window does it. The bytes of codes are read one by one in
// between: a gather is no faster, and on many machines much slower.
std::uint64_t avx2_ribbon_windows(const RibbonPlan& the_plan, const std::uint64_t* places, std::size_t count,
                                  const RibbonWindows& into_all) {
  const RibbonPlan plan = the_plan;  // copies, which no store can change
  const RibbonWindows into = into_all;
  alignas(32) std::uint64_t all_starts[64], all_codes[64];
  const std::size_t whole = count / 4 * 4;
  const __m256i starts = each(plan.starts), layer = each(reinterpret_cast<std::uintptr_t>(plan.layer));
  for (std::size_t i = 0; i < whole; i += 4) {
    const __m256i place = load(places + i);
    const __m256i low_product = _mm256_srli_epi64(_mm256_mul_epu32(place, starts), 32);
    const __m256i high_product = _mm256_mul_epu32(_mm256_srli_epi64(place, 32), starts);
    const __m256i start = _mm256_srli_epi64(_mm256_add_epi64(high_product, low_product), 32);
    store(all_starts + i, start);
    store(all_codes + i, _mm256_srli_epi64(start, 6));
  }
  for (std::size_t i = 0; i < whole; ++i) all_codes[i] = plan.layer[all_codes[i]];
  // By the code of a bucket, as detail::ribbon_bumped_starts has them.
  const __m256i bumped_by_code = each(0x10050200);
  std::uint64_t all_bumped = 0;
  for (std::size_t i = 0; i < whole; i += 4) {
    const __m256i start = load(all_starts + i);
    const __m256i shift = _mm256_and_si256(_mm256_srli_epi64(start, 3), each(6));
    const __m256i code = _mm256_and_si256(_mm256_srlv_epi64(load(all_codes + i), shift), each(3));
    const __m256i bumped_starts = _mm256_shuffle_epi8(bumped_by_code, code);
    const __m256i bumped = _mm256_cmpgt_epi64(bumped_starts, _mm256_and_si256(start, each(15)));
    const __m256i below = _mm256_cmpgt_epi64(each(plan.cut), start);
    const __m256i columns = _mm256_add_epi64(each(plan.columns), below);  // one less below the cut
    const __m256i segments = _mm256_srli_epi64(start, 13);
    const __m256i group = _mm256_sub_epi64(_mm256_add_epi64(start, _mm256_slli_epi64(segments, 3)), segments);
    const __m256i side = _mm256_add_epi64(each(plan.high), _mm256_and_si256(each(plan.low - plan.high), below));
    const __m256i offset = _mm256_add_epi64(side, _mm256_mul_epu32(group, columns));
    store(into.from + i, _mm256_add_epi64(layer, _mm256_andnot_si256(bumped, offset)));
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
  const std::size_t done = run.most > 8   ? matches<Width::sixteen>(run, answers)
                           : run.most > 4 ? matches<Width::eight>(run, answers)
                                          : matches<Width::four>(run, answers);
  ribbon_matches_scalar({run.from + done, run.coefficients + done, run.columns + done, run.count - done,
                         run.soon + done, run.reach, run.most},
                        answers + done);
}

}  // namespace BLOOMERY_NAMESPACE::kernel
#endif
