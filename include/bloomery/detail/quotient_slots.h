// The slots of a quotient filter over raw bytes (spec/quotient.md): where runs lie and what they hold. All of it only
// reads, stays inside the payload and comes to an end whatever the bytes are; QuotientLayout and the files of
// src/kinds/quotient/ build on it.
//
// The words: a key's quotient x names its home slot. The remainders of one quotient form a run, sorted, which starts at
// its home slot or, where an earlier run reaches beyond that, behind it. Bit x of the occupied quotients says that x
// has a run, bit s of the ends that a run ends in slot s: the k-th bit of one belongs to the k-th bit of the other.
// Counting starts anew in each block of 64 slots, behind the `offset` slots that runs of earlier blocks take there.
#pragma once

#include <algorithm>
#include <cstdint>

#include "bloomery/detail/bits.h"
#include "bloomery/detail/rank_select.h"
#include "bloomery/geometry/quotient.h"
#include "bloomery/hash.h"

namespace BLOOMERY_NAMESPACE::detail {

class QuotientSlots {
 public:
  static constexpr std::uint64_t kPerBlock = QuotientGeometry::kSlotsPerBlock;
  static constexpr std::uint64_t kMostOffset = 0xffff;
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  BLOOMERY_PER_ISA explicit QuotientSlots(const QuotientGeometry& geometry)
      : slots_(geometry.slots()),
        mask_((std::uint64_t{1} << geometry.remainder_bits) - 1),
        ones_(lowest_bits(geometry.remainder_bits)),
        highs_(ones_ << (geometry.remainder_bits - 1)),
        block_bytes_(static_cast<std::uint32_t>(geometry.block_bytes())),
        q_(static_cast<std::uint8_t>(geometry.quotient_bits)),
        r_(static_cast<std::uint8_t>(geometry.remainder_bits)),
        window_(static_cast<std::uint8_t>(kWindowBits / geometry.remainder_bits)) {}

  BLOOMERY_PER_ISA QuotientGeometry geometry() const { return {q_, r_}; }
  BLOOMERY_PER_ISA std::uint64_t count() const { return slots_; }
  BLOOMERY_PER_ISA std::uint64_t home_count() const { return std::uint64_t{1} << q_; }
  BLOOMERY_PER_ISA std::uint64_t capacity() const { return geometry().capacity(); }
  BLOOMERY_PER_ISA unsigned remainder_bits() const { return r_; }

  BLOOMERY_PER_ISA std::uint64_t fingerprint(Hash hash) const { return hash.bits >> (64 - q_ - r_); }
  BLOOMERY_PER_ISA std::uint64_t quotient(Hash hash) const { return hash.bits >> (64 - q_); }
  BLOOMERY_PER_ISA std::uint64_t remainder(Hash hash) const { return fingerprint(hash) & mask_; }
  BLOOMERY_PER_ISA std::uint64_t joined(std::uint64_t quotient, std::uint64_t remainder) const {
    return quotient << r_ | remainder;
  }

  // A block: offset u16, occupied quotients u64, ends of runs u64, 64 remainders. `slot` is any of its slots.
  BLOOMERY_PER_ISA const std::uint8_t* block(const std::uint8_t* bytes, std::uint64_t slot) const {
    return bytes + slot / kPerBlock * block_bytes_;
  }
  BLOOMERY_PER_ISA static std::uint64_t offset(const std::uint8_t* block) { return load_le<std::uint16_t>(block); }
  BLOOMERY_PER_ISA static std::uint64_t occupied(const std::uint8_t* block) {
    return load_le<std::uint64_t>(block + 2);
  }
  BLOOMERY_PER_ISA static std::uint64_t ends(const std::uint8_t* block) { return load_le<std::uint64_t>(block + 10); }

  // May read up to 7 bytes behind the block: there is another one, or the count that ends the payload.
  BLOOMERY_PER_ISA std::uint64_t remainder_in(const std::uint8_t* block, unsigned place) const {
    return (load_le<std::uint64_t>(place_of(block, place)) >> (place * r_ % 8)) & mask_;
  }
  BLOOMERY_PER_ISA const std::uint8_t* place_of(const std::uint8_t* block, unsigned place) const {
    return block + QuotientGeometry::kHeadBytes + place * r_ / 8;
  }
  BLOOMERY_PER_ISA std::uint64_t remainder_at(const std::uint8_t* bytes, std::uint64_t slot) const {
    return remainder_in(block(bytes, slot), static_cast<unsigned>(slot % kPerBlock));
  }
  BLOOMERY_PER_ISA bool is_occupied(const std::uint8_t* bytes, std::uint64_t quotient) const {
    return ((occupied(block(bytes, quotient)) >> (quotient % kPerBlock)) & 1) != 0;
  }
  BLOOMERY_PER_ISA bool ends_at(const std::uint8_t* bytes, std::uint64_t slot) const {
    return ((ends(block(bytes, slot)) >> (slot % kPerBlock)) & 1) != 0;
  }
  BLOOMERY_PER_ISA std::uint64_t taken(const std::uint8_t* bytes) const {
    return load_le<std::uint64_t>(bytes + slots_ / kPerBlock * block_bytes_);
  }

  // Returns the slot behind the last run of a quotient up to x; where that slot lies before x, perhaps another slot
  // before x. Returns kNone when the bytes are damaged. x is a slot, not always a home slot.
  BLOOMERY_PER_ISA std::uint64_t behind_runs(const std::uint8_t* bytes, std::uint64_t x) const {
    const std::uint8_t* at = block(bytes, x);
    const unsigned runs = count_bits(occupied(at) << (kPerBlock - 1 - x % kPerBlock));
    const std::uint64_t from = x / kPerBlock * kPerBlock + offset(at);
    if (runs == 0) return from;
    const std::uint64_t end = nth_end(bytes, from, runs);
    return end == kNone ? kNone : end + 1;
  }

  // Whether slot - 1 belongs to the run of x that reaches back to slot at least.
  BLOOMERY_PER_ISA bool continues_below(const std::uint8_t* bytes, std::uint64_t x, std::uint64_t slot) const {
    return slot > x && !ends_at(bytes, slot - 1);
  }

  BLOOMERY_PER_ISA bool contains(const std::uint8_t* bytes, Hash hash) const {
    return is_occupied(bytes, quotient(hash)) && run_contains(bytes, hash);
  }

  // Looks up a key whose quotient is occupied. It compares the whole run at once: which of two remainders is the larger
  // is a coin toss, which no branch predictor learns.
  BLOOMERY_PER_ISA bool run_contains(const std::uint8_t* bytes, Hash hash) const {
    const std::uint64_t x = quotient(hash);
    const std::uint8_t* at = block(bytes, x);
    const auto home = static_cast<unsigned>(x % kPerBlock);
    const auto from = static_cast<unsigned>(offset(at));
    __builtin_prefetch(place_of(at, home));  // often another line than the offset
    // Of the runs of this block, those up to this one that have not ended before its home slot, or before `from`.
    const std::uint64_t below = (std::uint64_t{1} << home) - 1;
    unsigned open =
        count_difference(occupied(at) & (2 * below + 1), ends(at) & below & (~std::uint64_t{0} << from % kPerBlock));
    if (from >= kPerBlock || open == 0) return holds_beyond(bytes, hash);
    const unsigned base = std::max(home, from);
    std::uint64_t left = ends(at) >> base;
    for (; open > 2; --open) left &= left - 1;
    if (left == 0) return holds_beyond(bytes, hash);
    const std::uint64_t second = std::uint64_t{1} - open;  // all ones for the second, else zero
    const unsigned first = (lowest_bit(left) + 1) & static_cast<unsigned>(second);
    left &= (left - 1) | ~second;
    if (left == 0) return holds_beyond(bytes, hash);
    return places_hold(at, base + first, base + lowest_bit(left), remainder(hash));
  }

  // Looks up a key whose run ends in a later block. With damaged bytes the answer is true.
  BLOOMERY_API bool holds_beyond(const std::uint8_t* bytes, Hash hash) const;

 private:
  // The word must not be 0.
  BLOOMERY_PER_ISA static unsigned lowest_bit(std::uint64_t word) {
    return static_cast<unsigned>(__builtin_ctzll(word));
  }

  // Whether one of the places first .. last of a block holds the remainder.
  BLOOMERY_PER_ISA bool places_hold(const std::uint8_t* block, unsigned first, unsigned last,
                                    std::uint64_t remainder) const {
    for (; last - first >= window_; first += window_)
      if (window_holds(block, first, window_, remainder)) return true;
    return window_holds(block, first, last - first + 1, remainder);
  }

  // Whether one of `count` places holds the remainder: at most as many as one load has.
  BLOOMERY_PER_ISA bool window_holds(const std::uint8_t* block, unsigned first, unsigned count,
                                     std::uint64_t remainder) const {
    const std::uint64_t loaded = load_le<std::uint64_t>(place_of(block, first)) >> (first * r_ % 8);
    const std::uint64_t differences = loaded ^ (remainder * ones_), lows = highs_ - ones_;
    const std::uint64_t zeros = ~(((differences & lows) + lows) | differences) & highs_;
    return (zeros & ((std::uint64_t{1} << (count * r_)) - 1)) != 0;
  }

  // Returns the slot of the n-th end of a run from a slot on, n >= 1; kNone when it is too far away. In an undamaged
  // filter no run ends further away than the walk goes.
  BLOOMERY_PER_ISA std::uint64_t nth_end(const std::uint8_t* bytes, std::uint64_t from, unsigned n) const {
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

  std::uint64_t slots_, mask_, ones_, highs_;
  std::uint32_t block_bytes_;
  std::uint8_t q_, r_, window_;  // bits, bits, remainders that one load has
};

}  // namespace BLOOMERY_NAMESPACE::detail
