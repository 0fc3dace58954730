// The slots of a quotient filter over raw bytes (spec/quotient.md): where runs lie and what they hold. All of it only
// reads, stays inside the payload and comes to an end whatever the bytes are; QuotientLayout and the files of
// src/filter/quotient*.cc build on it.
//
// The words: a key's quotient x names its home slot. The remainders of one quotient form a run, sorted, which starts at
// its home slot or, where an earlier run reaches beyond that, behind it. Bit x of the occupied quotients says that x has
// a run, bit s of the ends that a run ends in slot s: the k-th bit of one belongs to the k-th bit of the other. Counting
// starts anew in each block of 64 slots, behind the `offset` slots that runs of earlier blocks take there.
#pragma once

#include <algorithm>
#include <cstdint>

#include "bloomery/detail/bits.h"
#include "bloomery/detail/quotient_geometry.h"
#include "bloomery/detail/rank_select.h"
#include "bloomery/hash.h"

namespace bloomery::detail {

class QuotientSlots {
 public:
  static constexpr std::uint64_t kPerBlock = QuotientGeometry::kSlotsPerBlock;
  static constexpr std::uint64_t kMostOffset = 0xffff;
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  explicit QuotientSlots(const QuotientGeometry& geometry)
      : slots_(geometry.slots()),
        mask_((std::uint64_t{1} << geometry.remainder_bits) - 1),
        ones_(lowest_bits(geometry.remainder_bits)),
        block_bytes_(static_cast<std::uint32_t>(geometry.block_bytes())),
        q_(static_cast<std::uint8_t>(geometry.quotient_bits)),
        r_(static_cast<std::uint8_t>(geometry.remainder_bits)),
        window_(static_cast<std::uint8_t>(kWindowBits / geometry.remainder_bits)) {}

  QuotientGeometry geometry() const { return {q_, r_}; }
  std::uint64_t count() const { return slots_; }
  std::uint64_t home_count() const { return std::uint64_t{1} << q_; }
  std::uint64_t capacity() const { return geometry().capacity(); }
  unsigned remainder_bits() const { return r_; }

  std::uint64_t fingerprint(Hash hash) const { return hash.bits >> (64 - q_ - r_); }
  std::uint64_t quotient(Hash hash) const { return hash.bits >> (64 - q_); }
  std::uint64_t remainder(Hash hash) const { return fingerprint(hash) & mask_; }
  std::uint64_t joined(std::uint64_t quotient, std::uint64_t remainder) const { return quotient << r_ | remainder; }

  // A block: offset u16, occupied quotients u64, ends of runs u64, 64 remainders. `slot` is any of its slots.
  const std::uint8_t* block(const std::uint8_t* bytes, std::uint64_t slot) const {
    return bytes + slot / kPerBlock * block_bytes_;
  }
  static std::uint64_t offset(const std::uint8_t* block) { return load_le<std::uint16_t>(block); }
  static std::uint64_t occupied(const std::uint8_t* block) { return load_le<std::uint64_t>(block + 2); }
  static std::uint64_t ends(const std::uint8_t* block) { return load_le<std::uint64_t>(block + 10); }

  // May read up to 7 bytes behind the block: there is another one, or the count that ends the payload.
  std::uint64_t remainder_in(const std::uint8_t* block, unsigned place) const {
    const unsigned bit = place * r_;
    return (load_le<std::uint64_t>(block + QuotientGeometry::kHeadBytes + bit / 8) >> (bit % 8)) & mask_;
  }
  std::uint64_t remainder_at(const std::uint8_t* bytes, std::uint64_t slot) const {
    return remainder_in(block(bytes, slot), static_cast<unsigned>(slot % kPerBlock));
  }
  bool is_occupied(const std::uint8_t* bytes, std::uint64_t quotient) const {
    return ((occupied(block(bytes, quotient)) >> (quotient % kPerBlock)) & 1) != 0;
  }
  bool ends_at(const std::uint8_t* bytes, std::uint64_t slot) const {
    return ((ends(block(bytes, slot)) >> (slot % kPerBlock)) & 1) != 0;
  }
  std::uint64_t taken(const std::uint8_t* bytes) const {
    return load_le<std::uint64_t>(bytes + slots_ / kPerBlock * block_bytes_);
  }

  // The slot behind the last run of a quotient up to x; where that lies before x, any slot that does too. kNone when
  // the bytes are damaged. x is a slot, not always a home slot.
  std::uint64_t behind_runs(const std::uint8_t* bytes, std::uint64_t x) const {
    const std::uint8_t* at = block(bytes, x);
    const unsigned runs = count_bits(occupied(at) << (kPerBlock - 1 - x % kPerBlock));
    const std::uint64_t from = x / kPerBlock * kPerBlock + offset(at);
    if (runs == 0) return from;
    const std::uint64_t end = nth_end(bytes, from, runs);
    return end == kNone ? kNone : end + 1;
  }

  // Whether slot - 1 belongs to the run of x that reaches back to slot at least.
  bool continues_below(const std::uint8_t* bytes, std::uint64_t x, std::uint64_t slot) const {
    return slot > x && !ends_at(bytes, slot - 1);
  }

  // Nearly without branches: whether a quotient is occupied and a remainder is the larger are coin tosses, which a
  // processor guesses wrong half of the time, and waits for memory to learn it.
  bool contains(const std::uint8_t* bytes, Hash hash) const {
    const std::uint64_t x = quotient(hash);
    const std::uint8_t* at = block(bytes, x);
    const auto home = static_cast<unsigned>(x % kPerBlock);
    const std::uint64_t quotients = occupied(at), from = offset(at);
    const std::uint64_t own = ends(at) >> (from % kPerBlock), sums = bits_up_to_each_byte(own);
    const auto has_run = static_cast<unsigned>((quotients >> home) & 1);
    // Without a run of its own, the next one is looked at in vain.
    const unsigned before = count_bits(quotients << (kPerBlock - 1 - home)) - has_run;
    if (from >= kPerBlock || before >= sums >> 56) return has_run != 0 && holds_beyond(bytes, hash);
    const unsigned end = static_cast<unsigned>(from) + place_of_bit(own, sums, before);
    return (run_holds(at, home, end, remainder(hash)) & has_run) != 0;
  }

  // The lines that a lookup reads: the head of the block, and the remainders around the home slot.
  void prefetch(const std::uint8_t* bytes, Hash hash) const {
    const std::uint64_t x = quotient(hash);
    const std::uint8_t* at = block(bytes, x);
    __builtin_prefetch(at);
    __builtin_prefetch(at + QuotientGeometry::kHeadBytes + x % kPerBlock * r_ / 8);
  }

  // The same for a run that ends in a later block. Damaged bytes: maybe.
  BLOOMERY_API bool holds_beyond(const std::uint8_t* bytes, Hash hash) const;

 private:
  // Whether the run that ends at place `end` of its block holds the remainder.
  unsigned run_holds(const std::uint8_t* block, unsigned home, unsigned end, std::uint64_t remainder) const {
    const std::uint64_t before = (ends(block) << 1) & ((std::uint64_t{2} << end) - 1);
    unsigned first = std::max(home, 63 - static_cast<unsigned>(__builtin_clzll(before | 1)));
    unsigned found = window_holds(block, first, end, remainder);
    while (first + window_ <= end) found |= window_holds(block, first += window_, end, remainder);
    return found;
  }

  // The same for the places first .. end, as far as one load has them.
  unsigned window_holds(const std::uint8_t* block, unsigned first, unsigned end, std::uint64_t remainder) const {
    const unsigned bit = first * r_;
    const std::uint64_t loaded = load_le<std::uint64_t>(block + QuotientGeometry::kHeadBytes + bit / 8) >> (bit % 8);
    const std::uint64_t differences = loaded ^ (remainder * ones_), highs = ones_ << (r_ - 1), lows = highs - ones_;
    const std::uint64_t zeros = ~(((differences & lows) + lows) | differences) & highs;
    const unsigned bits = std::min(end + 1 - first, std::uint32_t{window_}) * r_;
    return (zeros & ((std::uint64_t{1} << bits) - 1)) != 0;
  }

  // Of the ends from a slot on, the n-th, n >= 1. No run of a whole filter ends further off than the walk goes.
  std::uint64_t nth_end(const std::uint8_t* bytes, std::uint64_t from, unsigned n) const {
    const std::uint64_t last = std::min(slots_, from + kMostOffset + 2 * kPerBlock);
    std::uint64_t unseen = ~std::uint64_t{0} << (from % kPerBlock);
    for (std::uint64_t slot = from / kPerBlock * kPerBlock; slot < last; slot += kPerBlock) {
      const std::uint64_t word = ends(block(bytes, slot)) & unseen, sums = bits_up_to_each_byte(word);
      const auto here = static_cast<unsigned>(sums >> 56);
      if (n <= here) return slot + place_of_bit(word, sums, n - 1);
      n -= here;
      unseen = ~std::uint64_t{0};
    }
    return kNone;
  }

  static constexpr unsigned kWindowBits = 57;  // what a load of 8 bytes has from any bit on

  // The lowest bit of each remainder that a window has.
  static constexpr std::uint64_t lowest_bits(unsigned r) {
    std::uint64_t ones = 0;
    for (unsigned bit = 0; bit + r <= kWindowBits; bit += r) ones |= std::uint64_t{1} << bit;
    return ones;
  }

  std::uint64_t slots_, mask_, ones_;
  std::uint32_t block_bytes_;
  std::uint8_t q_, r_, window_;  // bits, bits, remainders that one load has
};

}  // namespace bloomery::detail
