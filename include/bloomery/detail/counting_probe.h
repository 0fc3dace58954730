// The counters of the counting filter over raw bytes: one key at a time inline, batches in
// src/kinds/counting/batch.cc. spec/counting.md is the definition. Everything is a template over the width of a
// counter; with_counters chooses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>

#include "bloomery/detail/bits.h"
#include "bloomery/detail/classic_probe.h"
#include "bloomery/export.h"
#include "bloomery/hash.h"

namespace BLOOMERY_NAMESPACE::detail {

// A counter of so many bits, and the word it lies in: the least that is read and written.
template <std::uint32_t kBits>
struct CounterOf {
  static_assert(kBits == 4 || kBits == 32);
  using Word = std::conditional_t<kBits == 4, std::uint8_t, std::uint32_t>;
  static constexpr std::uint64_t kPerWord = 8 * sizeof(Word) / kBits;
  static constexpr Word kMax = static_cast<Word>((std::uint64_t{1} << kBits) - 1);

  BLOOMERY_PER_ISA static constexpr std::uint64_t byte(std::uint64_t index) { return index / kPerWord * sizeof(Word); }
  BLOOMERY_PER_ISA static constexpr unsigned shift(std::uint64_t index) {
    return static_cast<unsigned>(index % kPerWord) * kBits;
  }

  // in: the counter of an index in its word. up, down: the word with this counter one higher, or one lower; down is for
  // counters above 0. A counter at its maximum stays there for ever, for nobody knows how far beyond it should be.
  BLOOMERY_PER_ISA static constexpr Word in(Word word, std::uint64_t index) {
    return static_cast<Word>((word >> shift(index)) & kMax);
  }
  BLOOMERY_PER_ISA static constexpr Word up(Word word, std::uint64_t index) {
    return static_cast<Word>(word + (Word{in(word, index) != kMax} << shift(index)));
  }
  BLOOMERY_PER_ISA static constexpr Word down(Word word, std::uint64_t index) {
    return static_cast<Word>(word - (Word{in(word, index) != kMax} << shift(index)));
  }

  BLOOMERY_PER_ISA static Word get(const std::uint8_t* bytes, std::uint64_t index) {
    return in(load_le<Word>(bytes + byte(index)), index);
  }
  // Returns the carry of an addition: g++ makes branches of a comparison, and an absent key pays for them.
  BLOOMERY_PER_ISA static unsigned is_set(const std::uint8_t* bytes, std::uint64_t index) {
    return static_cast<unsigned>((std::uint64_t{get(bytes, index)} + kMax) >> kBits);
  }
};

// use(CounterOf<4>()) or use(CounterOf<32>()).
template <class Use>
[[gnu::always_inline]] inline auto with_counters(std::uint32_t counter_bits, Use use) {
  return counter_bits == 4 ? use(CounterOf<4>()) : use(CounterOf<32>());
}

// Calls use(index) once for each counter of a key. Indexes that repeat do so from the first one on.
template <class Use, unsigned kIsa = kCompiledFor>
inline void for_each_counter(const Remainder& remainder, std::uint32_t k, Hash hash, Use use) {
  ClassicIndexes indexes(remainder, hash);
  const std::uint64_t first = indexes.at();
  std::uint32_t left = k;
  do {
    use(indexes.at());
    indexes.next(remainder.divisor());
  } while (--left > 0 && indexes.at() != first);
}

// Returns whether the counter was 0, as a number other than 0.
template <class Counter, unsigned kIsa = kCompiledFor>
inline unsigned count_up(std::uint8_t* bytes, std::uint64_t index) {
  std::uint8_t* at = bytes + Counter::byte(index);
  const auto word = load_le<typename Counter::Word>(at);
  store_le(at, Counter::up(word, index));
  return Counter::in(word, index) == 0;
}

template <class Counter, unsigned kIsa = kCompiledFor>
inline void count_down(std::uint8_t* bytes, std::uint64_t index) {
  std::uint8_t* at = bytes + Counter::byte(index);
  store_le(at, Counter::down(load_le<typename Counter::Word>(at), index));
}

// Returns whether any counter was 0.
template <class Counter, unsigned kIsa = kCompiledFor>
inline bool counting_add(std::uint8_t* bytes, const Remainder& remainder, std::uint32_t k, Hash hash) {
  unsigned fresh = 0;
  for_each_counter(remainder, k, hash, [&](std::uint64_t index) { fresh |= count_up<Counter>(bytes, index); });
  return fresh != 0;
}

// Removes a key. Returns false when a counter is 0, and then nothing has changed.
template <class Counter, unsigned kIsa = kCompiledFor>
inline bool counting_remove(std::uint8_t* bytes, const Remainder& remainder, std::uint32_t k, Hash hash) {
  if (!cells_contain<Counter>(bytes, remainder, k, hash)) return false;
  for_each_counter(remainder, k, hash, [&](std::uint64_t index) { count_down<Counter>(bytes, index); });
  return true;
}

// The lowest counter of the key.
template <class Counter, unsigned kIsa = kCompiledFor>
inline std::uint64_t counting_count(const std::uint8_t* bytes, const Remainder& remainder, std::uint32_t k, Hash hash) {
  std::uint64_t lowest = Counter::kMax;
  for_each_counter(remainder, k, hash,
                   [&](std::uint64_t index) { lowest = std::min<std::uint64_t>(lowest, Counter::get(bytes, index)); });
  return lowest;
}

// These take many keys, several of them in flight at once. counting_remove_many removes in order, and sets answers[i]
// to 1 when hashes[i] was removed, else to 0.
BLOOMERY_API void counting_contains_many(const std::uint8_t* bytes, const Remainder& remainder, std::uint32_t k,
                                         std::uint32_t counter_bits, std::span<const Hash> hashes,
                                         std::uint8_t* answers);
BLOOMERY_API void counting_add_many(std::uint8_t* bytes, const Remainder& remainder, std::uint32_t k,
                                    std::uint32_t counter_bits, std::span<const Hash> hashes);
BLOOMERY_API void counting_remove_many(std::uint8_t* bytes, const Remainder& remainder, std::uint32_t k,
                                       std::uint32_t counter_bits, std::span<const Hash> hashes, std::uint8_t* answers);

}  // namespace BLOOMERY_NAMESPACE::detail
