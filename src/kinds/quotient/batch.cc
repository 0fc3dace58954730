// Batches at a quotient filter: the lines of later keys are fetched while earlier ones are looked at.
#include <algorithm>
#include <array>
#include <cstring>

#include "bloomery/quotient.h"
#include "kinds/common/run_hashes.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using detail::QuotientSlots;

// Hashes of a group. One to two groups are in flight: fewer keys leave the memory idle, more do not gain.
constexpr std::size_t kGroup = 64;

// Fetches the head of the block, and the remainders around the home slot. Inlined, because g++ 12 drops calls of a
// function that does nothing but prefetch (tests/prefetch).
[[gnu::always_inline]] inline void fetch(const QuotientSlots& slots, const std::uint8_t* bytes,
                                         std::span<const Hash> hashes) {
  for (Hash hash : hashes) {
    const std::uint64_t x = slots.quotient(hash);
    const std::uint8_t* block = slots.block(bytes, x);
    __builtin_prefetch(block);
    __builtin_prefetch(slots.place_of(block, static_cast<unsigned>(x % QuotientSlots::kPerBlock)));
  }
}

// Finds the keys with an occupied quotient first, without a branch, since that is a coin toss; then looks into their
// runs.
void contains_group(const QuotientSlots& slots, const std::uint8_t* bytes, std::span<const Hash> hashes,
                    std::uint8_t* answers) {
  std::uint8_t keys[kGroup];
  std::size_t left = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    keys[left] = static_cast<std::uint8_t>(i);
    left += slots.is_occupied(bytes, slots.quotient(hashes[i]));
  }
  std::memset(answers, 0, hashes.size());
  for (std::size_t i = 0; i < left; ++i)
    answers[keys[i]] = static_cast<std::uint8_t>(slots.run_contains(bytes, hashes[keys[i]]));
}

std::span<const Hash> group(std::span<const Hash> hashes, std::size_t first) {
  first = std::min(first, hashes.size());
  return hashes.subspan(first, std::min(kGroup, hashes.size() - first));
}

}  // namespace

void QuotientLayout::contains_run(const std::uint8_t* bytes, const KeyRun& keys, std::uint8_t* answers) const {
  std::array<std::array<Hash, kGroup>, 2> room;
  std::span<const Hash> now = detail::hashes_of(keys, 0, room[0]);
  fetch(slots_, bytes, now);
  for (std::size_t first = 0, turn = 1; first < keys.count; first += kGroup, turn = 1 - turn) {
    const std::span<const Hash> next = detail::hashes_of(keys, first + kGroup, room[turn]);
    fetch(slots_, bytes, next);
    contains_group(slots_, bytes, now, answers + first);
    now = next;
  }
}

void QuotientLayout::contains_many(const std::uint8_t* bytes, std::span<const Hash> hashes,
                                   std::uint8_t* answers) const {
  contains_run(bytes, detail::run_of(hashes), answers);
}

std::size_t QuotientLayout::place_many(std::uint8_t* bytes, std::span<const Hash> hashes) const {
  fetch(slots_, bytes, group(hashes, 0));
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i % kGroup == 0) fetch(slots_, bytes, group(hashes, i + kGroup));
    if (!place(bytes, hashes[i])) return i;
  }
  return hashes.size();
}

}  // namespace BLOOMERY_NAMESPACE
