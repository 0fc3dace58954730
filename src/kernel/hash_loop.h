// Integer keys to hashes, as many at once as `Word` has lanes: the formulas are those of one key. Internal to each file
// that includes it (see kernel.h), so nothing here may leave it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bloomery/detail/integer_hash.h"
#include "kernel/kernel.h"
#include "kernel/loop.h"

namespace {

// Keys of the next group of a batch (kHashGroup in bloomery/detail/batch.h), which are fetched while those of this one
// are looked up or added: with the processor's own fetching alone a build of 10M integers takes up to a quarter longer
// (bench/results/2026-11-19-keys-ahead.md).
constexpr std::size_t kKeysAhead = 1024;

// The address is a number, because it may lie behind the last key, where there is no pointer to be had.
[[gnu::always_inline]] inline void fetch_ahead(const std::uint64_t* key) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(key) + kKeysAhead * sizeof *key));
}

// The last few keys fill a part of a word, so that no formula is compiled for one key here.
template <class Word, class Formula>
inline void hash_all(const std::uint64_t* keys, std::size_t count, std::uint64_t* out, Formula formula) {
  constexpr std::size_t kLanes = sizeof(Word) / sizeof(std::uint64_t);  // NOLINT(bugprone-sizeof-expression): may be 1
  std::size_t i = 0;
  Word word{};
  for (; i + kLanes <= count; i += kLanes) {
    if constexpr (kLanes >= 4) fetch_ahead(keys + i);  // narrower words would fetch each line too often
    std::memcpy(&word, keys + i, sizeof word);
    word = formula(word);
    std::memcpy(out + i, &word, sizeof word);
  }
  if (i == count) return;
  std::memcpy(&word, keys + i, (count - i) * sizeof *keys);
  word = formula(word);
  std::memcpy(out + i, &word, (count - i) * sizeof *keys);
}

struct FnvSplitmix {
  template <class Word>
  [[gnu::always_inline]] static Word of(Word key, std::uint64_t) {
    return bloomery::detail::fnv_splitmix_of_integer(key);
  }
};
struct Xxh3 {
  template <class Word>
  [[gnu::always_inline]] static Word of(Word key, std::uint64_t flip) {
    return bloomery::detail::xxh3_of_integer(key, flip);
  }
};
struct Xxh64 {
  template <class Word>
  [[gnu::always_inline]] static Word of(Word key, std::uint64_t start) {
    return bloomery::detail::xxh64_of_integer(key, start);
  }
};

template <class Word, class Formula>
void hash_integers(const std::uint64_t* keys, std::size_t count, std::uint64_t start, std::uint64_t* out) {
  hash_all<Word>(keys, count, out, [start](Word key) { return Formula::of(key, start); });
}

template <class Word>
constexpr bloomery::kernel::IntegerHashing kIntegerHashing = {hash_integers<Word, Xxh3>, hash_integers<Word, Xxh64>,
                                                              hash_integers<Word, FnvSplitmix>};

}  // namespace
