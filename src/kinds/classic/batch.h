// Batched lookups in filters with the indexes of classic, whatever their cells are: groups of keys go through together,
// so that nothing waits for one key's cache misses, and keys that turn out absent leave the group instead of ending a
// loop, which would be mispredicted. Used by the batches of classic and counting, alone and shared by threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "bloomery/detail/classic_probe.h"

namespace BLOOMERY_NAMESPACE::detail::rounds {

// How many keys are in flight. Fewer leave the memory idle; more are no faster.
inline constexpr std::size_t kGroup = 128;

// From this size on (1.5 MiB) a filter is treated as lying beyond the second-level cache. Below it prefetches cost more
// than they save, above it they save more than they cost.
inline constexpr std::uint64_t kFarFromBytes = std::uint64_t{3} << 19;

template <class Cell>
bool is_far(std::uint64_t m) {
  return Cell::byte(m) >= kFarFromBytes;
}

// Calls use(some of the hashes, how many went before) until all were used.
template <class Use>
void for_groups(std::span<const Hash> hashes, Use use) {
  for (std::size_t first = 0; first < hashes.size(); first += kGroup)
    use(hashes.subspan(first, std::min(kGroup, hashes.size() - first)), first);
}

// The keys that have all the cells tested so far.
struct Pending {
  ClassicIndexes indexes[kGroup];
  std::uint32_t key[kGroup];
};

// For filters in the near caches: the first cells of every key, then all others of the keys that are left.
template <class Cell>
void contains_near(const std::uint8_t* bytes, Remainder remainder, std::uint32_t k, std::span<const Hash> hashes,
                   std::uint8_t* answers) {
  const std::uint64_t m = remainder.divisor();
  if (k < kClassicTogether) {
    for (std::size_t i = 0; i < hashes.size(); ++i)
      answers[i] = static_cast<std::uint8_t>(cells_contain<Cell>(bytes, remainder, k, hashes[i]));
    return;
  }
  Pending pending;
  std::size_t left = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    ClassicIndexes indexes(remainder, hashes[i]);
    const unsigned set = first_cells<Cell>(bytes, m, indexes);
    answers[i] = static_cast<std::uint8_t>(set);
    pending.indexes[left] = indexes;
    pending.key[left] = static_cast<std::uint32_t>(i);
    left += set;
  }
  for (std::size_t i = 0; i < left; ++i) {
    ClassicIndexes indexes = pending.indexes[i];
    answers[pending.key[i]] = static_cast<std::uint8_t>(cells_after<Cell>(bytes, m, k - kClassicTogether, indexes));
  }
}

// Tests one cell of each of `count` keys and keeps those that have it; returns how many. With kPrefetch the next one of
// each is fetched; for a key that leaves, the line it has just read takes its place, which costs nothing.
template <class Cell, bool kPrefetch>
std::size_t test_one_cell(const std::uint8_t* bytes, std::uint64_t m, Pending& pending, std::size_t count) {
  std::size_t left = 0;
  for (std::size_t i = 0; i < count; ++i) {
    ClassicIndexes indexes = pending.indexes[i];
    const std::uint64_t at = indexes.at();
    const unsigned set = Cell::is_set(bytes, at);
    indexes.next(m);
    if constexpr (kPrefetch) {
      const std::uint64_t if_set = 0 - std::uint64_t{set};  // g++ makes a branch of ?:
      __builtin_prefetch(bytes + Cell::byte(at ^ ((at ^ indexes.at()) & if_set)));
    }
    pending.indexes[left] = indexes;
    pending.key[left] = pending.key[i];
    left += set;
  }
  return left;
}

// For filters beyond them: one cell of every key, then the next of the keys that are left, and so on; each line is
// fetched a round ahead. An absent key reads two lines on average, the fewest there can be.
template <class Cell>
void contains_far(const std::uint8_t* bytes, Remainder remainder, std::uint32_t k, std::span<const Hash> hashes,
                  std::uint8_t* answers) {
  const std::uint64_t m = remainder.divisor();
  Pending pending;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    pending.indexes[i] = ClassicIndexes(remainder, hashes[i]);
    pending.key[i] = static_cast<std::uint32_t>(i);
    __builtin_prefetch(bytes + Cell::byte(pending.indexes[i].at()));
  }
  std::size_t left = hashes.size();
  for (std::uint32_t cell = 1; cell < k; ++cell) left = test_one_cell<Cell, true>(bytes, m, pending, left);
  left = test_one_cell<Cell, false>(bytes, m, pending, left);
  std::memset(answers, 0, hashes.size());
  for (std::size_t i = 0; i < left; ++i) answers[pending.key[i]] = 1;
}

template <class Cell>
void cells_contain_many(const std::uint8_t* bytes, const Remainder& remainder, std::uint32_t k,
                        std::span<const Hash> hashes, std::uint8_t* answers) {
  const auto contains = is_far<Cell>(remainder.divisor()) ? contains_far<Cell> : contains_near<Cell>;
  for_groups(hashes, [&](std::span<const Hash> group, std::size_t first) {
    contains(bytes, remainder, k, group, answers + first);
  });
}

}  // namespace BLOOMERY_NAMESPACE::detail::rounds
