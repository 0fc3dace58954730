// AVX-512 (F, VL, BW, DQ): two keys to a register, eight to a step. This file is compiled with those flags and
// reached only through the table below, after the CPU was asked.
//
// The work goes in groups of keys. What a group needs (the places of its blocks; for an add, the positions of its bits)
// is computed by vectors and stored one group before it is used: a narrow load right behind a wide store waits until
// that store has left the core, which makes these loops twice as slow. Meanwhile the blocks of the next group are
// prefetched, so the length of a group is the prefetch distance.
#include "kernel/kernel.h"

#ifdef __AVX512F__
#include <immintrin.h>

#include "kernel/loop.h"
#include "kernel/ranges.h"
#include "kernel/salts.h"

namespace bloomery::kernel {
namespace {

constexpr std::size_t kStep = 8, kMostGroup = 64, kSlots = 2 * kMostGroup;

__m512i ones() { return _mm512_set1_epi32(1); }
__m256i load32(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
void store32(void* to, __m256i value) { _mm256_storeu_si256(static_cast<__m256i*>(to), value); }
__m512i low_half(std::uint64_t hash) { return _mm512_set1_epi32(static_cast<int>(hash)); }
__m512i twice(const std::uint32_t* salts) { return _mm512_broadcast_i64x4(load32(salts)); }

// Of eight hashes, the low halves of number 2 * kPair and the one after it, each in eight lanes.
template <int kPair>
__m512i pair_of(__m512i hashes) {
  const __m512i from = _mm512_inserti64x4(_mm512_set1_epi32(4 * kPair), _mm256_set1_epi32(4 * kPair + 2), 1);
  return _mm512_permutexvar_epi32(from, hashes);
}

// Two answers: a byte is 0 where nothing is missing.
void store_missing(std::uint8_t* out, __mmask16 missing) { _store_mask16(reinterpret_cast<__mmask16*>(out), missing); }

// Turns up to 64 such bytes into 1 for present and 0 for absent.
void finish(std::uint8_t* answers, std::size_t count) {
  const __mmask64 these = count < 64 ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
  const __m512i missing = _mm512_maskz_loadu_epi8(these, answers);
  const __m512i present = _mm512_maskz_set1_epi8(_mm512_testn_epi8_mask(missing, missing), 1);
  _mm512_mask_storeu_epi8(answers, these, present);
}

class Split {
 public:
  explicit Split(const Batch& batch) : blocks_(_mm512_set1_epi64(static_cast<long long>(batch.blocks))) {}

  void places(const std::uint64_t* hashes, std::uint64_t* out) const {
    const __m512i high = _mm512_srli_epi64(_mm512_loadu_si512(hashes), 32);
    const __m512i block = _mm512_srli_epi64(_mm512_mul_epu32(high, blocks_), 32);
    _mm512_store_si512(out, _mm512_slli_epi64(block, 5));
  }
  void missing(const std::uint8_t* bytes, const std::uint64_t* places, const std::uint64_t* hashes,
               std::uint8_t* out) const {
    const __m512i eight = _mm512_loadu_si512(hashes);
    missing_pair<0>(bytes, places, eight, out);
    missing_pair<1>(bytes, places, eight, out);
    missing_pair<2>(bytes, places, eight, out);
    missing_pair<3>(bytes, places, eight, out);
  }
  void add(std::uint8_t* bytes, const std::uint64_t* places, const std::uint64_t* hashes) const {
    const __m512i eight = _mm512_loadu_si512(hashes);
    add_pair<0>(bytes, places, eight);
    add_pair<1>(bytes, places, eight);
    add_pair<2>(bytes, places, eight);
    add_pair<3>(bytes, places, eight);
  }

 private:
  __m512i mask(__m512i hash) const {
    return _mm512_sllv_epi32(ones(), _mm512_srli_epi32(_mm512_mullo_epi32(hash, salts_), 27));
  }
  template <int kPair>
  void missing_pair(const std::uint8_t* bytes, const std::uint64_t* places, __m512i hashes, std::uint8_t* out) const {
    const __m512i first = _mm512_castsi256_si512(load32(bytes + places[2 * kPair]));
    const __m512i both = _mm512_inserti64x4(first, load32(bytes + places[2 * kPair + 1]), 1);
    store_missing(out + 2 * kPair, _mm512_testn_epi32_mask(both, mask(pair_of<kPair>(hashes))));
  }
  // The second block is read after the first is written: they may be the same.
  template <int kPair>
  void add_pair(std::uint8_t* bytes, const std::uint64_t* places, __m512i hashes) const {
    const __m512i bits = mask(pair_of<kPair>(hashes));
    std::uint8_t *first = bytes + places[2 * kPair], *second = bytes + places[2 * kPair + 1];
    store32(first, _mm256_or_si256(load32(first), _mm512_castsi512_si256(bits)));
    store32(second, _mm256_or_si256(load32(second), _mm512_extracti64x4_epi64(bits, 1)));
  }

  __m512i blocks_;
  __m512i salts_ = twice(kSalts.of_k[8]);
};

// kWide: k > 8, so a key fills a register alone.
template <bool kWide>
class Block {
 public:
  static constexpr std::size_t kLanes = kWide ? 16 : 8;

  explicit Block(const Batch& batch)
      : scalar_{batch.blocks},
        blocks_(_mm512_set1_epi64(static_cast<long long>(batch.blocks))),
        salts_(kWide ? _mm512_load_si512(kSalts.of_k[batch.k]) : twice(kSalts.of_k[batch.k])) {}

  // The high half of a 64 x 64 bit product from two of 32 x 32, which is exact below 2^32 blocks (256 GiB).
  void places(const std::uint64_t* hashes, std::uint64_t* out) const {
    if ((scalar_.blocks >> 32) != 0) {
      for (std::size_t i = 0; i < kStep; ++i) out[i] = scalar_(hashes[i]);
      return;
    }
    const __m512i eight = _mm512_loadu_si512(hashes);
    const __m512i high = _mm512_mul_epu32(_mm512_srli_epi64(eight, 32), blocks_);
    const __m512i low = _mm512_srli_epi64(_mm512_mul_epu32(eight, blocks_), 32);
    const __m512i block = _mm512_srli_epi64(_mm512_add_epi64(high, low), 32);
    _mm512_store_si512(out, _mm512_slli_epi64(block, 6));
  }

  void missing(const std::uint8_t* bytes, const std::uint64_t* places, const std::uint64_t* hashes,
               std::uint8_t* out) const {
    if constexpr (kWide) {
      for (std::size_t i = 0; i < kStep; ++i) {
        const __m512i product = _mm512_mullo_epi32(low_half(hashes[i]), salts_);
        const __m512i words = _mm512_permutexvar_epi32(word_of(product), _mm512_loadu_si512(bytes + places[i]));
        out[i] = _mm512_testn_epi32_mask(words, bit_of(product)) != 0;
      }
    } else {
      const __m512i eight = _mm512_loadu_si512(hashes);
      missing_pair<0>(bytes, places, eight, out);
      missing_pair<1>(bytes, places, eight, out);
      missing_pair<2>(bytes, places, eight, out);
      missing_pair<3>(bytes, places, eight, out);
    }
  }

  // The positions of eight keys, kLanes each.
  void positions(const std::uint64_t* hashes, std::uint32_t* out) const {
    if constexpr (kWide) {
      for (std::size_t i = 0; i < kStep; ++i) store_positions(low_half(hashes[i]), out + 16 * i);
    } else {
      const __m512i eight = _mm512_loadu_si512(hashes);
      store_positions(pair_of<0>(eight), out);
      store_positions(pair_of<1>(eight), out + 16);
      store_positions(pair_of<2>(eight), out + 32);
      store_positions(pair_of<3>(eight), out + 48);
    }
  }

 private:
  static __m512i word_of(__m512i product) { return _mm512_srli_epi32(product, 28); }
  // A rotation looks at the low five bits of its count only.
  static __m512i bit_of(__m512i product) { return _mm512_rolv_epi32(ones(), _mm512_srli_epi32(product, 23)); }

  template <int kPair>
  void missing_pair(const std::uint8_t* bytes, const std::uint64_t* places, __m512i hashes, std::uint8_t* out) const {
    const __m512i product = _mm512_mullo_epi32(pair_of<kPair>(hashes), salts_);
    const __m512i word = word_of(product);
    const __m512i first = _mm512_permutexvar_epi32(word, _mm512_loadu_si512(bytes + places[2 * kPair]));
    const __m512i words =
        _mm512_mask_permutexvar_epi32(first, 0xff00, word, _mm512_loadu_si512(bytes + places[2 * kPair + 1]));
    store_missing(out + 2 * kPair, _mm512_testn_epi32_mask(words, bit_of(product)));
  }
  void store_positions(__m512i hash, std::uint32_t* out) const {
    _mm512_store_si512(out, _mm512_srli_epi32(_mm512_mullo_epi32(hash, salts_), 23));
  }

  BlockOffset scalar_;
  __m512i blocks_, salts_;
};

// The line with the bits at two positions set. A scatter of bits has no instruction: a position less 32 times the
// number of each word is a shift that leaves nothing in every word but its own.
__m512i with_two_bits(__m512i line, const std::uint32_t* positions) {
  const __m512i starts =
      _mm512_setr_epi32(0, -32, -64, -96, -128, -160, -192, -224, -256, -288, -320, -352, -384, -416, -448, -480);
  const auto bit = [&](std::uint32_t position) {
    return _mm512_sllv_epi32(ones(), _mm512_add_epi32(starts, _mm512_set1_epi32(static_cast<int>(position))));
  };
  constexpr int kOrOfThree = 0xfe;
  return _mm512_ternarylogic_epi32(line, bit(positions[0]), bit(positions[1]), kOrOfThree);
}
template <int kTwos>
void set_bits(std::uint8_t* block, const std::uint32_t* positions) {
  __m512i line = _mm512_loadu_si512(block);
  for (int i = 0; i < 2 * kTwos; i += 2) line = with_two_bits(line, positions + i);
  _mm512_storeu_si512(block, line);
}

// Walks over the keys in steps of eight; a rest of fewer is not visited. prepare(i, slot, places) fills the places of
// keys i .. i + 7 and use(i, slot, places) reads them a group later; slots below kSlots are what else the two may keep
// things by. Returns how many keys were visited.
template <bool kWrite, class Prepare, class Use>
std::size_t for_each_step(const std::uint8_t* bytes, const Batch& batch, Prepare prepare, Use use) {
  alignas(64) std::uint64_t places[kSlots];
  const std::size_t whole = batch.count / kStep * kStep, wanted = (batch.ahead + kStep - 1) / kStep * kStep;
  const std::size_t group = wanted == 0 || wanted > kMostGroup ? kMostGroup : wanted;
  const auto prepare_group = [&](std::size_t first, std::size_t slot) {
    const std::size_t left = whole - first, count = left < group ? left : group;
    for (std::size_t j = 0; j < count; j += kStep) prepare(first + j, slot + j, places + slot + j);
    return count;
  };
  const auto prefetch_step = [&](std::size_t slot) {
    if (batch.ahead == 0) return;
    for (std::size_t j = 0; j < kStep; ++j) __builtin_prefetch(bytes + places[slot + j], kWrite ? 1 : 0);
  };
  std::size_t slot = 0, count = prepare_group(0, slot);
  for (std::size_t j = 0; j < count; j += kStep) prefetch_step(j);
  for (std::size_t first = 0; first < whole;) {
    const std::size_t next_slot = kMostGroup - slot, next = prepare_group(first + count, next_slot);
    for (std::size_t j = 0; j < count; j += kStep) {
      if (j < next) prefetch_step(next_slot + j);
      use(first + j, slot + j, places + slot + j);
    }
    first += count;
    count = next;
    slot = next_slot;
  }
  return whole;
}

template <class Kind>
std::size_t contains_steps(const std::uint8_t* bytes, const Batch& batch, const Kind& kind, std::uint8_t* answers) {
  const std::size_t done = for_each_step<false>(
      bytes, batch, [&](std::size_t i, std::size_t, std::uint64_t* places) { kind.places(batch.hashes + i, places); },
      [&](std::size_t i, std::size_t, const std::uint64_t* places) {
        kind.missing(bytes, places, batch.hashes + i, answers + i);
        // Long after they were stored, for the reason at the top.
        if (i % 64 == 0 && i >= 128) finish(answers + i - 128, 64);
      });
  // The last one or two runs of 64, and what is left.
  std::size_t i = done > 128 ? (done - 8) / 64 * 64 - 64 : 0;
  for (; i < done; i += 64) finish(answers + i, done - i < 64 ? done - i : 64);
  return done;
}

template <bool kWide, int kTwos>
std::size_t block_add_steps(std::uint8_t* bytes, const Batch& batch) {
  using Kind = Block<kWide>;
  alignas(64) std::uint32_t positions[kSlots * Kind::kLanes];
  const Kind kind(batch);
  return for_each_step<true>(
      bytes, batch,
      [&](std::size_t i, std::size_t slot, std::uint64_t* places) {
        kind.places(batch.hashes + i, places);
        kind.positions(batch.hashes + i, positions + slot * Kind::kLanes);
      },
      [&](std::size_t, std::size_t slot, const std::uint64_t* places) {
        for (std::size_t j = 0; j < kStep; ++j)
          set_bits<kTwos>(bytes + places[j], positions + (slot + j) * Kind::kLanes);
      });
}

// By the number of positions, rounded up to an even one: the lanes beyond k repeat those before.
constexpr std::size_t (*kBlockAddSteps[])(std::uint8_t*, const Batch&) = {nullptr,
                                                                          block_add_steps<false, 1>,
                                                                          block_add_steps<false, 2>,
                                                                          block_add_steps<false, 3>,
                                                                          block_add_steps<false, 4>,
                                                                          block_add_steps<true, 5>,
                                                                          block_add_steps<true, 6>,
                                                                          block_add_steps<true, 7>,
                                                                          block_add_steps<true, 8>};

// One key of a split filter, in the half register it needs.
__m256i split_bits(std::uint64_t hash) {
  const __m256i product = _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(hash)), load32(kSalts.of_k[8]));
  return _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(product, 27));
}
bool split_contains_one(const std::uint8_t* block, std::uint64_t hash) {
  return _mm256_testc_si256(load32(block), split_bits(hash)) != 0;
}
bool split_add_one(std::uint8_t* block, std::uint64_t hash) {
  const __m256i before = load32(block), bits = split_bits(hash);
  store32(block, _mm256_or_si256(before, bits));
  return _mm256_testc_si256(before, bits) == 0;
}
// Of a block filter: with k <= 8 eight lanes are enough to look at; the permutation still picks from all sixteen words.
bool block_contains_one(const std::uint8_t* block, std::uint32_t k, std::uint64_t hash) {
  const __m512i line = _mm512_loadu_si512(block);
  if (k <= 8) {
    const __m256i product = _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(hash)), load32(kSalts.of_k[k]));
    const __m512i word = _mm512_castsi256_si512(_mm256_srli_epi32(product, 28));
    const __m256i words = _mm512_castsi512_si256(_mm512_permutexvar_epi32(word, line));
    const __m256i bits = _mm256_rolv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(product, 23));
    return _mm256_testc_si256(words, bits) != 0;
  }
  const __m512i product = _mm512_mullo_epi32(low_half(hash), _mm512_load_si512(kSalts.of_k[k]));
  const __m512i words = _mm512_permutexvar_epi32(_mm512_srli_epi32(product, 28), line);
  const __m512i bits = _mm512_rolv_epi32(ones(), _mm512_srli_epi32(product, 23));
  return _mm512_testn_epi32_mask(words, bits) == 0;
}

bool block_add_one(std::uint8_t* block, std::uint32_t k, std::uint64_t hash) {
  alignas(64) std::uint32_t positions[16];
  _mm512_store_si512(positions,
                     _mm512_srli_epi32(_mm512_mullo_epi32(low_half(hash), _mm512_load_si512(kSalts.of_k[k])), 23));
  const __m512i before = _mm512_loadu_si512(block);
  __m512i line = before;
  for (std::uint32_t i = 0; i < k; i += 2) line = with_two_bits(line, positions + i);
  _mm512_storeu_si512(block, line);
  return _mm512_cmpneq_epi64_mask(before, line) != 0;
}

// The keys after the last whole step.
Batch rest_of(const Batch& batch, std::size_t done) {
  return {batch.blocks, batch.k, batch.hashes + done, batch.count - done, 0};
}

void split_contains(const std::uint8_t* bytes, const Batch& batch, std::uint8_t* answers) {
  const std::size_t done = contains_steps(bytes, batch, Split(batch), answers);
  const SplitOffset place{batch.blocks};
  for (std::size_t i = done; i < batch.count; ++i)
    answers[i] = split_contains_one(bytes + place(batch.hashes[i]), batch.hashes[i]) ? 1 : 0;
}
void block_contains(const std::uint8_t* bytes, const Batch& batch, std::uint8_t* answers) {
  const std::size_t done = batch.k <= 8 ? contains_steps(bytes, batch, Block<false>(batch), answers)
                                        : contains_steps(bytes, batch, Block<true>(batch), answers);
  const BlockOffset place{batch.blocks};
  for (std::size_t i = done; i < batch.count; ++i)
    answers[i] = block_contains_one(bytes + place(batch.hashes[i]), batch.k, batch.hashes[i]) ? 1 : 0;
}
void split_add(std::uint8_t* bytes, const Batch& batch) {
  const Split kind(batch);
  const std::size_t done = for_each_step<true>(
      bytes, batch, [&](std::size_t i, std::size_t, std::uint64_t* places) { kind.places(batch.hashes + i, places); },
      [&](std::size_t i, std::size_t, const std::uint64_t* places) { kind.add(bytes, places, batch.hashes + i); });
  kScalar.split_add(bytes, rest_of(batch, done));
}
void block_add(std::uint8_t* bytes, const Batch& batch) {
  const std::size_t done = kBlockAddSteps[(batch.k + 1) / 2](bytes, batch);
  kScalar.block_add(bytes, rest_of(batch, done));
}

const Kernel kAvx512 = {"avx512",  split_contains_one, block_contains_one, split_add_one, block_add_one, split_contains,
                        split_add, block_contains,     block_add,          bits_set_in,   or_into,       and_into};

}  // namespace

const Kernel* avx512() { return &kAvx512; }

}  // namespace bloomery::kernel
#else
const bloomery::kernel::Kernel* bloomery::kernel::avx512() { return nullptr; }
#endif
