// The counters of a counting filter as atomics: what threads that share one do instead of the plain steps. Same
// indexes, same bytes. Two counters of 4 bits share a word, which changes by compare-and-swap, so that the other one is
// left as it is. A counter of 32 bits goes up by an addition, which no other thread can make it repeat.
//
// Such an addition must not carry a counter past its maximum, to 0. So a counter of 32 bits is looked at first, and
// from kStuck on it counts as being at its maximum: it goes neither up nor down. An addition that was on its way when
// the counter came to kStuck still arrives. Each thread has at most one on its way, a Linux system has at most 2^22
// threads, and the room above kStuck is 2^23.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "bloomery/detail/atomic_bits.h"
#include "bloomery/detail/compiled_for.h"
#include "bloomery/detail/counting_probe.h"

namespace BLOOMERY_NAMESPACE::detail {

// Relaxed is enough: whoever knows that an add has returned knows it through something that orders the two, and the
// changes of one counter are in one order for all. Counters are aligned, because buffers are.
template <std::uint32_t kBits>
struct SharedCounterOf : CounterOf<kBits> {
  using Plain = CounterOf<kBits>;
  using typename Plain::Word;

  // From this value on a counter stays as it is for ever. With 4 bits every step is a compare-and-swap, and the maximum
  // is reached.
  static constexpr Word kStuck = static_cast<Word>(kBits == 4 ? Plain::kMax : Plain::kMax - (Word{1} << (23 % kBits)));

  // Returns what lookups take the counter for: one that is stuck reads as its maximum.
  static constexpr Word settled(Word counter) { return counter >= kStuck ? Plain::kMax : counter; }
  BLOOMERY_PER_ISA static Word get(const std::uint8_t* bytes, std::uint64_t index) {
    return settled(Plain::in(load_shared(word(bytes, index)), index));
  }
  BLOOMERY_PER_ISA static unsigned is_set(const std::uint8_t* bytes, std::uint64_t index) {
    return get(bytes, index) != 0;
  }

  // Raises a counter, and returns whether it was 0. A stuck one is not written, so that the cache line stays with every
  // reader.
  BLOOMERY_PER_ISA static bool count_up(std::uint8_t* bytes, std::uint64_t index) {
    if constexpr (Plain::kPerWord == 1) {
      const std::atomic_ref<Word> shared(*const_cast<Word*>(word(bytes, index)));
      return shared.load(std::memory_order_relaxed) < kStuck && shared.fetch_add(1, std::memory_order_relaxed) == 0;
    }
    const Word before = replace(bytes, index, [&](Word word) { return Plain::up(word, index); });
    return Plain::in(before, index) == 0;
  }
  // Lowers a counter. Returns false when it is 0, and then it stays 0.
  BLOOMERY_PER_ISA static bool count_down(std::uint8_t* bytes, std::uint64_t index) {
    const Word before = replace(bytes, index, [&](Word word) {
      const Word counter = Plain::in(word, index);
      return counter == 0 || counter >= kStuck ? word : Plain::down(word, index);
    });
    return Plain::in(before, index) != 0;
  }

 private:
  static const Word* word(const std::uint8_t* bytes, std::uint64_t index) {
    return reinterpret_cast<const Word*>(bytes + Plain::byte(index));
  }

  // Replaces a word by change(word). Returns the word from before, also where the change left it as it was.
  template <class Change, unsigned kIsa = kCompiledFor>
  static Word replace(std::uint8_t* bytes, std::uint64_t index, Change change) {
    const std::atomic_ref<Word> shared(*const_cast<Word*>(word(bytes, index)));
    Word seen = shared.load(std::memory_order_relaxed);
    for (;;) {
      const Word changed = change(seen);
      if (changed == seen || shared.compare_exchange_weak(seen, changed, std::memory_order_relaxed)) return seen;
    }
  }
};

// use(SharedCounterOf<4>()) or use(SharedCounterOf<32>()).
template <class Use>
[[gnu::always_inline]] inline auto with_shared_counters(std::uint32_t counter_bits, Use use) {
  return counter_bits == 4 ? use(SharedCounterOf<4>()) : use(SharedCounterOf<32>());
}

// Adds a key, and returns whether it saw a counter at 0. When several threads add a new key at once, the first at each
// counter saw it at 0.
template <class Counter, unsigned kIsa = kCompiledFor>
bool shared_add(std::uint8_t* bytes, const Remainder& remainder, std::uint32_t k, Hash hash) {
  bool fresh = false;
  for_each_counter(remainder, k, hash, [&](std::uint64_t index) { fresh |= Counter::count_up(bytes, index); });
  return fresh;
}

// Removes a key. It looks first, so that a key that is not there costs no write. When a counter has come to 0 since,
// another thread has taken the key out: then it puts back what it took, and returns false.
template <class Counter, unsigned kIsa = kCompiledFor>
bool shared_remove(std::uint8_t* bytes, const Remainder& remainder, std::uint32_t k, Hash hash) {
  if (!cells_contain<Counter>(bytes, remainder, k, hash)) return false;
  std::uint32_t taken = 0;
  bool all = true;
  for_each_counter(remainder, k, hash, [&](std::uint64_t index) {
    all = all && Counter::count_down(bytes, index);
    taken += all;
  });
  if (all) return true;
  if (taken > 0)
    for_each_counter(remainder, taken, hash, [&](std::uint64_t index) { Counter::count_up(bytes, index); });
  return false;
}

// As counting_contains_many (src/live/shared_counting.cc).
BLOOMERY_API void shared_contains_many(const std::uint8_t* bytes, const Remainder& remainder, std::uint32_t k,
                                       std::uint32_t counter_bits, std::span<const Hash> hashes, std::uint8_t* answers);

}  // namespace BLOOMERY_NAMESPACE::detail
