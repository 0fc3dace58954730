// AVX-512 with VBMI and GFNI (Ice Lake, Zen 4 and later), for the batches of block filters with k <= 8; all else is
// that of avx512.cc. The positions of sixteen keys are bytes, eight to a key. A permutation of bytes picks from all 64
// of a block, so that one test answers for eight keys; and products of bit matrices make the 512 bits a key sets. This
// file is compiled with flags of its own and reached only after the CPU was asked.
#include "kernel/kernel.h"

#if defined(__AVX512VBMI__) && defined(__GFNI__)
#include <immintrin.h>

#include "bloomery/detail/salts.h"
#include "kernel/avx512_steps.h"

namespace BLOOMERY_NAMESPACE::kernel {
namespace {

__m512i each(std::uint64_t value) { return _mm512_set1_epi64(static_cast<long long>(value)); }

constexpr std::uint64_t kDiagonal = 0x8040201008040201;  // byte i: bit i
// Returns, for each byte, the bit that its low three bits number.
__m512i bits_of(__m512i numbers) { return _mm512_permutexvar_epi8(numbers, each(kDiagonal)); }

// Eight keys, a lane of 64 bits each: the bytes of the block that the positions of a key are in, and the bits in these
// bytes.
struct EightKeys {
  __m512i byte, bits;
};

// kPairs is the number of pairs of positions; an odd k repeats one position.
template <int kPairs>
class Positions {
 public:
  explicit Positions(std::uint32_t k) {
    for (int i = 0; i < 2 * kPairs; ++i) salts_[i] = _mm512_set1_epi32(static_cast<int>(detail::kSalts.of_k[k][i]));
  }

  // The bytes of a lane that count; with less than three pairs they repeat others.
  static constexpr __mmask64 kCounted = kPairs == 3 ? 0x5f5f5f5f5f5f5f5f : ~__mmask64{0};

  // Computes the positions of sixteen keys. Above the low six bits of `byte` there may be anything.
  void operator()(const std::uint64_t* hashes, EightKeys& some, EightKeys& others) const {
    const __m512i keys = low_halves(hashes);
    const __m512i first = pair(keys, 0), second = kPairs > 1 ? pair(keys, 1) : first;
    const __m512i third = kPairs > 2 ? pair(keys, 2) : first, fourth = kPairs > 3 ? pair(keys, 3) : second;
    // The position in a word is its upper nine bits: six are the byte of the block, three the bit in that.
    const __m512i byte_low = even_odd(_mm512_srli_epi16(first, 10), _mm512_srli_epi16(second, 2));
    const __m512i bits_low = bits_of(even_odd(_mm512_srli_epi16(first, 7), _mm512_slli_epi16(second, 1)));
    __m512i byte_high = _mm512_srli_epi16(third, 10), bits_high = _mm512_srli_epi16(third, 7);
    if constexpr (kPairs != 3) {
      byte_high = even_odd(byte_high, _mm512_srli_epi16(fourth, 2));
      bits_high = even_odd(bits_high, _mm512_slli_epi16(fourth, 1));
    }
    bits_high = bits_of(bits_high);
    some = {_mm512_unpacklo_epi32(byte_low, byte_high), _mm512_unpacklo_epi32(bits_low, bits_high)};
    others = {_mm512_unpackhi_epi32(byte_low, byte_high), _mm512_unpackhi_epi32(bits_low, bits_high)};
  }

 private:
  // Returns the low halves of sixteen hashes, in the order in which unpacklo leaves the first eight and unpackhi the
  // others.
  static __m512i low_halves(const std::uint64_t* hashes) {
    const __m512 some = _mm512_loadu_ps(hashes), others = _mm512_loadu_ps(hashes + 8);
    return _mm512_castps_si512(_mm512_shuffle_ps(some, others, 0x88));
  }
  // Returns for each key the upper halves of two products, 16 bits each.
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

  __m512i salts_[2 * kPairs];
};

template <int kPairs>
class Contains {
 public:
  explicit Contains(const Batch& batch) : places(batch.blocks), positions_(batch.k) {}

  BlockPlaces places;

  void missing(const std::uint8_t* bytes, const std::uint64_t* at, const std::uint64_t* hashes,
               std::uint8_t* out) const {
    EightKeys some, others;
    positions_(hashes, some, others);
    missing_eight(bytes, at, some, out);
    missing_eight(bytes, at + 8, others, out + 8);
  }

 private:
  static void missing_eight(const std::uint8_t* bytes, const std::uint64_t* at, const EightKeys& keys,
                            std::uint8_t* out) {
    const auto pick = [&](int key) { return _mm512_permutexvar_epi8(keys.byte, _mm512_loadu_si512(bytes + at[key])); };
    const auto put = [&](__m512i into, __mmask64 where, int key) {
      return _mm512_mask_permutexvar_epi8(into, where, keys.byte, _mm512_loadu_si512(bytes + at[key]));
    };
    // Lanes 0 to 3 are right in one register and lanes 4 to 7 in the other; that takes fewer masks than one register.
    constexpr __mmask64 kLane1 = 0x0000ff000000ff00, kLane2 = 0x00ff000000ff0000, kLane3 = 0xff000000ff000000;
    __m512i low = pick(0), high = pick(4);
    low = put(low, kLane1, 1), high = put(high, kLane1, 5);
    low = put(low, kLane2, 2), high = put(high, kLane2, 6);
    low = put(low, kLane3, 3), high = put(high, kLane3, 7);
    const __m512i picked = _mm512_mask_blend_epi64(0xf0, low, high);
    const __mmask64 missing = _mm512_mask_testn_epi8_mask(Positions<kPairs>::kCounted, picked, keys.bits);
    _store_mask64(reinterpret_cast<__mmask64*>(out), missing);
  }

  Positions<kPairs> positions_;
};

// An add makes a block of 8 words of 8 bytes of 8 bits: a position is three numbers of three bits, the word, the byte
// in it, and the bit in that. For each of the three numbers a key has a matrix of 8 x 8 bits: byte v holds the
// positions whose number is v, a bit each. The byte b of the word w is then the sum, over the positions both in word w
// and in byte b, of their bits: a product of matrices, for which there is an instruction. Sums of bits are no unions,
// so that a position that comes twice must be left out once.

// The product: bit i of byte j is the parity of byte 7 - i of `matrix` and byte j of `vectors`.
__m512i product(__m512i vectors, __m512i matrix) { return _mm512_gf2p8affine_epi64_epi8(vectors, matrix, 0); }

// The matrices of a group of keys, by slot.
struct BlockMatrices {
  alignas(64) std::uint64_t word[kSlots], byte[kSlots], bit[kSlots];
};

template <int kPairs>
void prepare_eight(const EightKeys& keys, std::size_t slot, BlockMatrices& into) {
  // Byte i of each: 1 << the number that position i has.
  const __m512i words = bits_of(_mm512_srli_epi16(keys.byte, 3)), bytes = bits_of(keys.byte), bits = keys.bits;
  // Bit 7 - j of byte i: whether positions i and j agree in the number, and so in all three.
  constexpr int kAndOfThree = 0x80;
  const __m512i same =
      _mm512_ternarylogic_epi32(product(words, words), product(bytes, bytes), product(bits, bits), kAndOfThree);
  constexpr std::uint64_t kBefore = 0xfefcf8f0e0c08000;  // of byte i, the bits of j < i
  constexpr std::uint64_t kCountedBefore = kPairs == 3 ? kBefore & ~std::uint64_t{0x0505050505050505} : kBefore;
  const __mmask64 new_ones = _mm512_mask_testn_epi8_mask(Positions<kPairs>::kCounted, same, each(kCountedBefore));
  // Transposed by a product with the diagonal. The rows of a matrix are counted from its last byte, so that `bit`,
  // which will be one, has the diagonal the other way.
  constexpr std::uint64_t kOtherDiagonal = 0x0102040810204080;
  _mm512_store_si512(into.word + slot, product(each(kDiagonal), words));
  _mm512_store_si512(into.byte + slot, product(each(kDiagonal), bytes));
  _mm512_store_si512(into.bit + slot, product(each(kOtherDiagonal), _mm512_maskz_mov_epi8(new_ones, bits)));
}

// The block with the bits of a key set.
__m512i with_key(__m512i block, const BlockMatrices& of, std::size_t slot) {
  // In every word, the byte of its number.
  const __m512i numbers =
      _mm512_setr_epi64(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303, 0x0404040404040404,
                        0x0505050505050505, 0x0606060606060606, 0x0707070707070707);
  const __m512i in_word = _mm512_shuffle_epi8(each(of.word[slot]), numbers);
  return _mm512_or_si512(block, product(each(of.byte[slot]), _mm512_and_si512(in_word, each(of.bit[slot]))));
}

template <int kPairs>
void contains(const std::uint8_t* bytes, const Batch& batch, std::uint8_t* answers) {
  const std::size_t done = contains_steps(bytes, batch, Contains<kPairs>(batch), answers);
  avx512()->block_contains(bytes, rest_of(batch, done), answers + done);
}

template <int kPairs>
void add(std::uint8_t* bytes, const Batch& batch) {
  const BlockPlaces places(batch.blocks);
  const Positions<kPairs> positions(batch.k);
  BlockMatrices matrices;
  const std::size_t done = for_each_step<true>(
      bytes, batch,
      [&](std::size_t i, std::size_t slot, std::uint64_t* at) {
        places(batch.hashes + i, at);
        EightKeys some, others;
        positions(batch.hashes + i, some, others);
        prepare_eight<kPairs>(some, slot, matrices);
        prepare_eight<kPairs>(others, slot + 8, matrices);
      },
      [&](std::size_t, std::size_t slot, const std::uint64_t* at) {
        for (std::size_t j = 0; j < kStep; ++j) {
          std::uint8_t* block = bytes + at[j];
          _mm512_storeu_si512(block, with_key(_mm512_loadu_si512(block), matrices, slot + j));
        }
      });
  avx512()->block_add(bytes, rest_of(batch, done));
}

void block_contains(const std::uint8_t* bytes, const Batch& batch, std::uint8_t* answers) {
  constexpr decltype(&contains<1>) kByPairs[] = {contains<1>, contains<2>, contains<3>, contains<4>};
  (batch.k <= 8 ? kByPairs[(batch.k - 1) / 2] : avx512()->block_contains)(bytes, batch, answers);
}
void block_add(std::uint8_t* bytes, const Batch& batch) {
  constexpr decltype(&add<1>) kByPairs[] = {add<1>, add<2>, add<3>, add<4>};
  (batch.k <= 8 ? kByPairs[(batch.k - 1) / 2] : avx512()->block_add)(bytes, batch);
}

}  // namespace

const Kernel* avx512vbmi() {
  static const Kernel kernel = [] {
    Kernel same = *avx512();
    same.name = "avx512vbmi";
    same.block_contains = block_contains;
    same.block_add = block_add;
    return same;
  }();
  return &kernel;
}

}  // namespace BLOOMERY_NAMESPACE::kernel
#else
const bloomery::kernel::Kernel* bloomery::kernel::avx512vbmi() { return nullptr; }
#endif
