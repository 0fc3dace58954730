// AVX-512 with VBMI (Ice Lake, Zen 4 and later): a permutation of bytes picks from all 64 of a block, so that the
// positions of sixteen keys are bytes, eight to a key, and one test answers for eight keys. Only the batch lookup of
// block filters with k <= 8 is here; all else is that of avx512.cc. This file is compiled with flags of its own and
// reached only after the CPU was asked.
#include "kernel/kernel.h"

#ifdef __AVX512VBMI__
#include <immintrin.h>

#include "kernel/avx512_steps.h"
#include "kernel/salts.h"

namespace bloomery::kernel {
namespace {

// kPairs: of positions; an odd k repeats one.
template <int kPairs>
class Block {
 public:
  explicit Block(const Batch& batch) : places(batch.blocks) {
    for (int i = 0; i < 2 * kPairs; ++i) salts_[i] = _mm512_set1_epi32(static_cast<int>(kSalts.of_k[batch.k][i]));
  }

  BlockPlaces places;

  void missing(const std::uint8_t* bytes, const std::uint64_t* at, const std::uint64_t* hashes,
               std::uint8_t* out) const {
    const __m512i keys = low_halves(hashes);
    const __m512i first = pair(keys, 0), second = kPairs > 1 ? pair(keys, 1) : first;
    const __m512i third = kPairs > 2 ? pair(keys, 2) : first, fourth = kPairs > 3 ? pair(keys, 3) : second;
    // The position in a word is its upper nine bits: six are the byte of the block, three the bit in that. A
    // permutation ignores what is above the low six bits of an index.
    const __m512i byte_low = even_odd(_mm512_srli_epi16(first, 10), _mm512_srli_epi16(second, 2));
    const __m512i bits_low = bits_of(even_odd(_mm512_srli_epi16(first, 7), _mm512_slli_epi16(second, 1)));
    __m512i byte_high = _mm512_srli_epi16(third, 10), bits_high = _mm512_srli_epi16(third, 7);
    if constexpr (kPairs != 3) {  // else the odd bytes are not looked at
      byte_high = even_odd(byte_high, _mm512_srli_epi16(fourth, 2));
      bits_high = even_odd(bits_high, _mm512_slli_epi16(fourth, 1));
    }
    bits_high = bits_of(bits_high);
    missing_eight(bytes, at, _mm512_unpacklo_epi32(byte_low, byte_high), _mm512_unpacklo_epi32(bits_low, bits_high),
                  out);
    missing_eight(bytes, at + 8, _mm512_unpackhi_epi32(byte_low, byte_high), _mm512_unpackhi_epi32(bits_low, bits_high),
                  out + 8);
  }

 private:
  // Of sixteen hashes, in the order in which unpacklo leaves the first eight and unpackhi the others.
  static __m512i low_halves(const std::uint64_t* hashes) {
    const __m512 some = _mm512_loadu_ps(hashes), others = _mm512_loadu_ps(hashes + 8);
    return _mm512_castps_si512(_mm512_shuffle_ps(some, others, 0x88));
  }
  // Of each key, the upper halves of two products: 16 bits each.
  __m512i pair(__m512i keys, int number) const {
    const __m512i even = _mm512_mullo_epi32(keys, salts_[2 * number]);
    const __m512i odd = _mm512_mullo_epi32(keys, salts_[2 * number + 1]);
    return _mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_srli_epi32(even, 16), odd);
  }
  // The even bytes of one and the odd bytes of another.
  static __m512i even_odd(__m512i even, __m512i odd) {
    constexpr int kSelect = 0xca;
    return _mm512_ternarylogic_epi32(_mm512_set1_epi16(0xff), even, odd, kSelect);
  }
  // Of each byte, the bit that its low three bits number.
  static __m512i bits_of(__m512i numbers) {
    return _mm512_permutexvar_epi8(numbers, _mm512_set1_epi64(static_cast<long long>(0x8040201008040201)));
  }
  // Eight keys, a lane of 64 bits each: which bytes of their blocks to look at, and for which bits.
  static void missing_eight(const std::uint8_t* bytes, const std::uint64_t* at, __m512i byte, __m512i bits,
                            std::uint8_t* out) {
    const auto pick = [&](int key) { return _mm512_permutexvar_epi8(byte, _mm512_loadu_si512(bytes + at[key])); };
    const auto put = [&](__m512i into, __mmask64 where, int key) {
      return _mm512_mask_permutexvar_epi8(into, where, byte, _mm512_loadu_si512(bytes + at[key]));
    };
    // Lanes 0 to 3 are right in one register and lanes 4 to 7 in the other; that takes fewer masks than one register.
    constexpr __mmask64 kLane1 = 0x0000ff000000ff00, kLane2 = 0x00ff000000ff0000, kLane3 = 0xff000000ff000000;
    __m512i low = pick(0), high = pick(4);
    low = put(low, kLane1, 1), high = put(high, kLane1, 5);
    low = put(low, kLane2, 2), high = put(high, kLane2, 6);
    low = put(low, kLane3, 3), high = put(high, kLane3, 7);
    const __m512i picked = _mm512_mask_blend_epi64(0xf0, low, high);
    constexpr __mmask64 kLookedAt = kPairs == 3 ? 0x5f5f5f5f5f5f5f5f : ~__mmask64{0};
    _store_mask64(reinterpret_cast<__mmask64*>(out), _mm512_mask_testn_epi8_mask(kLookedAt, picked, bits));
  }

  __m512i salts_[2 * kPairs];
};

template <int kPairs>
void contains(const std::uint8_t* bytes, const Batch& batch, std::uint8_t* answers) {
  const std::size_t done = contains_steps(bytes, batch, Block<kPairs>(batch), answers);
  avx512()->block_contains(bytes, rest_of(batch, done), answers + done);
}

void block_contains(const std::uint8_t* bytes, const Batch& batch, std::uint8_t* answers) {
  constexpr decltype(&contains<1>) kByPairs[] = {contains<1>, contains<2>, contains<3>, contains<4>};
  (batch.k <= 8 ? kByPairs[(batch.k - 1) / 2] : avx512()->block_contains)(bytes, batch, answers);
}

}  // namespace

BatchLookup avx512vbmi_block_contains() { return block_contains; }

}  // namespace bloomery::kernel
#else
bloomery::kernel::BatchLookup bloomery::kernel::avx512vbmi_block_contains() { return nullptr; }
#endif
