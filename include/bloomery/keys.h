// Many keys at once: what batches and builds take.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/hash.h"
#include "bloomery/string_column.h"

namespace BLOOMERY_NAMESPACE {

// Keys that lie side by side: a vector, an array, a span, of any type of key.
template <class Range>
concept KeySpan = requires(const Range& range) {
  requires Key<typename decltype(std::span(range))::value_type>;
};

// Strings that lie end to end: a StringColumn.
template <class Range>
concept KeyColumn = requires(const Range& range) {
  []<class Offset>(const StringColumn<Offset>&) {}(range);
};

// What a batch or a build takes.
template <class Range>
concept KeyRange = KeySpan<Range> || KeyColumn<Range>;

// A range whose elements are no keys, because they have no hash.
template <class Range>
concept RangeWithoutHash = requires(const Range& range) {
  requires !Key<typename decltype(std::span(range))::value_type>;
};

// What a batch may write its answers to: bytes that lie side by side.
template <class Answers>
concept AnswerBytes = std::convertible_to<Answers, std::span<std::uint8_t>>;

// A pair of pointers or iterators into keys that lie side by side.
template <class Iterator>
concept KeyIterator = requires(Iterator first, Iterator last) {
  requires Key<typename decltype(std::span(first, last))::value_type>;
};

// Keys of any type as one type, for code that is compiled once for all of them. `hash` fills `out` with the hashes of
// the keys from number `first` on. Keys that are hashes already are in `hashes`. A run refers to keys and hasher, which
// must outlive it.
struct KeyRun {
  std::size_t count = 0;
  const Hash* hashes = nullptr;
  const void* keys = nullptr;
  const Hasher* hasher = nullptr;
  void (*hash)(const KeyRun& run, std::size_t first, std::span<Hash> out) = nullptr;
};

}  // namespace BLOOMERY_NAMESPACE
