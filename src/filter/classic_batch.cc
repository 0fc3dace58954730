// Batched probes of the classic filter. A lookup of an absent key reads two cache lines on average and stops, a present
// key reads k; one at a time each would wait for the last. Here a group of keys goes through in stages, and each stage
// prefetches what the next one reads:
//   1. first and second index of every key, both lines prefetched;
//   2. those two bits tested without a branch; the keys that pass (a quarter, of absent ones) are kept and all their
//      other lines prefetched;
//   3. the kept keys are finished.
#include <algorithm>
#include <array>
#include <cstddef>

#include "bloomery/detail/classic_probe.h"

namespace bloomery::detail {
namespace {

constexpr std::size_t kGroup = 32;

// A filter this small lives in the nearest caches, where a prefetch only costs an instruction.
constexpr std::uint64_t kPrefetchFromBits = std::uint64_t{8} * 1024 * 1024;

template <bool kPrefetch>
inline void prefetch(const std::uint8_t* bits, std::uint64_t index) {
  if constexpr (kPrefetch) __builtin_prefetch(bits + (index >> 3));
}

template <bool kPrefetch>
void contains_group(const std::uint8_t* bits, const Remainder& remainder, std::uint32_t k, std::span<const Hash> hashes,
                    std::uint8_t* answers) {
  ClassicIndexes first[kGroup];
  std::uint32_t kept[kGroup];
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    first[i] = ClassicIndexes(remainder, hashes[i]);
    prefetch<kPrefetch>(bits, first[i].at());
    ClassicIndexes second = first[i];
    second.next();
    prefetch<kPrefetch>(bits, second.at());
  }
  std::size_t survivors = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const unsigned one = classic_bit(bits, first[i].at());
    first[i].next();
    const unsigned two = classic_bit(bits, first[i].at());
    answers[i] = static_cast<std::uint8_t>(one & two);
    kept[survivors] = static_cast<std::uint32_t>(i);
    survivors += one & two;
  }
  if (k <= 2) return;
  if constexpr (kPrefetch) {
    for (std::size_t s = 0; s < survivors; ++s) {
      ClassicIndexes ahead = first[kept[s]];
      for (std::uint32_t left = k - 2; left > 0; --left) {
        ahead.next();
        prefetch<true>(bits, ahead.at());
      }
    }
  }
  for (std::size_t s = 0; s < survivors; ++s) {
    ClassicIndexes& indexes = first[kept[s]];
    for (std::uint32_t left = k - 2; left > 0; --left) {
      indexes.next();
      if (classic_bit(bits, indexes.at()) != 0) continue;
      answers[kept[s]] = 0;
      break;
    }
  }
}

template <bool kPrefetch>
void add_group(std::uint8_t* bits, const Remainder& remainder, std::uint32_t k, std::span<const Hash> hashes) {
  if constexpr (kPrefetch) {
    for (Hash hash : hashes) {
      ClassicIndexes ahead(remainder, hash);
      for (std::uint32_t left = k; left > 0; --left, ahead.next()) __builtin_prefetch(bits + (ahead.at() >> 3), 1);
    }
  }
  for (Hash hash : hashes) classic_add(bits, remainder, k, hash);
}

}  // namespace

void classic_contains_many(const std::uint8_t* bits, const Remainder& remainder, std::uint32_t k,
                           std::span<const Hash> hashes, std::uint8_t* answers) {
  if (k == 1) {
    for (std::size_t i = 0; i < hashes.size(); ++i) answers[i] = classic_contains(bits, remainder, k, hashes[i]) ? 1 : 0;
    return;
  }
  const bool far = remainder.divisor() >= kPrefetchFromBits;
  for (std::size_t first = 0; first < hashes.size(); first += kGroup) {
    const std::span<const Hash> group = hashes.subspan(first, std::min(kGroup, hashes.size() - first));
    if (far) contains_group<true>(bits, remainder, k, group, answers + first);
    else contains_group<false>(bits, remainder, k, group, answers + first);
  }
}

void classic_add_many(std::uint8_t* bits, const Remainder& remainder, std::uint32_t k, std::span<const Hash> hashes) {
  const bool far = remainder.divisor() >= kPrefetchFromBits;
  for (std::size_t first = 0; first < hashes.size(); first += kGroup / 2) {
    const std::span<const Hash> group = hashes.subspan(first, std::min(kGroup / 2, hashes.size() - first));
    if (far) add_group<true>(bits, remainder, k, group);
    else add_group<false>(bits, remainder, k, group);
  }
}

}  // namespace bloomery::detail
