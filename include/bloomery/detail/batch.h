// Batches: any range of keys, handed on as groups of hashes small enough for the stack and large enough to keep many
// cache misses in flight. Functions that hash have the instruction set in their names (compiled_for.h).
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include "bloomery/detail/compiled_for.h"
#include "bloomery/hash.h"
#include "bloomery/keys.h"

namespace BLOOMERY_NAMESPACE::detail {

// 8 KB of hashes, which stay in the first-level cache. Each group begins with nothing in flight, so small groups are
// slow: with 256 keys, integers at 1M take three quarters longer (bench/results/2026-11-17-keys.md). Fetching the line
// of each string as soon as its hash is known costs more than it saves (bench/results/2026-11-18-strings.md).
inline constexpr std::size_t kHashGroup = 1024;
// The group of strings is larger. The processor fetches their bytes by itself as long as it sees them read one after
// the other: where lookups come between after each 1024, strings of 100 bytes take a seventh longer
// (bench/results/2026-11-18-calls.md).
inline constexpr std::size_t kStringGroup = 4096;

// Room for so many hashes, which holds nothing yet: to clear 8 KB takes longer than to look up a few keys.
template <std::size_t kCount>
class HashRoom {
 public:
  std::span<Hash> first(std::size_t count) { return {reinterpret_cast<Hash*>(bytes_), count}; }

 private:
  alignas(64) std::byte bytes_[kCount * sizeof(Hash)];
};

template <KeySpan Range, unsigned kIsa = kCompiledFor>
std::span<const typename decltype(std::span(std::declval<const Range&>()))::value_type> keys_of(const Range& range) {
  return std::span(range);
}
template <KeyColumn Column, unsigned kIsa = kCompiledFor>
const Column& keys_of(const Column& column) {
  return column;
}

template <class T, unsigned kIsa = kCompiledFor>
std::span<const T> some_of(std::span<const T> keys, std::size_t first, std::size_t count) {
  return keys.subspan(first, count);
}
template <class Offset, unsigned kIsa = kCompiledFor>
StringColumn<Offset> some_of(const StringColumn<Offset>& keys, std::size_t first, std::size_t count) {
  return keys.slice(first, count);
}

template <class Range>
inline constexpr bool kAreHashes = false;
template <KeySpan Range>
inline constexpr bool kAreHashes<Range> =
    std::same_as<typename decltype(std::span(std::declval<const Range&>()))::value_type, Hash>;

// A range that is no span is a column of strings.
template <class Range>
inline constexpr bool kAreBytes = true;
template <KeySpan Range>
inline constexpr bool kAreBytes<Range> =
    BytesKey<typename decltype(std::span(std::declval<const Range&>()))::value_type>;

// How many keys of a range are hashed at once.
template <class Range>
inline constexpr std::size_t kGroupOf = kAreBytes<Range> ? kStringGroup : kHashGroup;

// Calls use(index of the first key, hashes) for each group in order.
template <unsigned kIsa = kCompiledFor, KeyRange Range, class Use>
void for_hash_groups(const Hasher& hasher, const Range& range, Use use) {
  const auto keys = keys_of(range);
  if constexpr (kAreHashes<Range>) {
    if (!keys.empty()) use(std::size_t{0}, keys);
  } else {
    constexpr std::size_t kGroup = kGroupOf<Range>;
    HashRoom<kGroup> room;
    for (std::size_t first = 0; first < keys.size(); first += kGroup) {
      const std::size_t left = keys.size() - first;
      const std::span<Hash> hashes = room.first(left < kGroup ? left : kGroup);
      hash_keys(hasher, some_of(keys, first, hashes.size()), hashes);
      use(first, std::span<const Hash>(hashes));
    }
  }
}

// Returns a run of any keys; it refers to them and to the hasher.
template <unsigned kIsa = kCompiledFor, KeyRange Range>
KeyRun key_run(const Hasher& hasher, const Range& range) {
  KeyRun run;
  run.count = std::size(range);
  if constexpr (kAreHashes<Range>) {
    run.hashes = keys_of(range).data();
  } else if constexpr (KeyColumn<Range>) {
    run.keys = &range;
    run.hasher = &hasher;
    run.hash = [](const KeyRun& self, std::size_t first, std::span<Hash> out) {
      hash_keys(*self.hasher, static_cast<const Range*>(self.keys)->slice(first, out.size()), out);
    };
  } else {
    const auto keys = keys_of(range);
    using T = typename decltype(keys)::value_type;
    run.keys = keys.data();
    run.hasher = &hasher;
    run.hash = [](const KeyRun& self, std::size_t first, std::span<Hash> out) {
      hash_keys(*self.hasher, std::span(static_cast<const T*>(self.keys) + first, out.size()), out);
    };
  }
  return run;
}

}  // namespace BLOOMERY_NAMESPACE::detail
