// Changes the bytes of a quotient filter: what adding, removing and writing in order share.
#pragma once

#include <cstdint>

#include "bloomery/detail/quotient_slots.h"

namespace BLOOMERY_NAMESPACE::detail {

inline std::uint8_t* block_to_edit(const QuotientSlots& slots, std::uint8_t* bytes, std::uint64_t slot) {
  return bytes + (slots.block(bytes, slot) - bytes);
}

inline void set_offset(std::uint8_t* block, std::uint64_t offset) {
  store_le<std::uint16_t>(block, static_cast<std::uint16_t>(offset));
}

inline void set_bit(std::uint8_t* word, std::uint64_t slot, bool value) {
  const std::uint64_t bit = std::uint64_t{1} << (slot % QuotientSlots::kPerBlock);
  const std::uint64_t old = load_le<std::uint64_t>(word);
  store_le<std::uint64_t>(word, value ? old | bit : old & ~bit);
}
inline void set_occupied(const QuotientSlots& slots, std::uint8_t* bytes, std::uint64_t quotient, bool value) {
  set_bit(block_to_edit(slots, bytes, quotient) + 2, quotient, value);
}
inline void set_end(const QuotientSlots& slots, std::uint8_t* bytes, std::uint64_t slot, bool value) {
  set_bit(block_to_edit(slots, bytes, slot) + 10, slot, value);
}

inline void set_remainder_in(const QuotientSlots& slots, std::uint8_t* block, unsigned place, std::uint64_t remainder) {
  const unsigned bit = place * slots.remainder_bits();
  std::uint8_t* word = block + QuotientGeometry::kHeadBytes + bit / 8;
  const std::uint64_t mask = ((std::uint64_t{1} << slots.remainder_bits()) - 1) << (bit % 8);
  store_le<std::uint64_t>(word, (load_le<std::uint64_t>(word) & ~mask) | remainder << (bit % 8));
}

inline void set_taken(const QuotientSlots& slots, std::uint8_t* bytes, std::uint64_t taken) {
  store_le<std::uint64_t>(block_to_edit(slots, bytes, slots.count()), taken);
}

// The slots first .. gap - 1 move up by one, into the gap; the first is then a new one.
void open_slot(const QuotientSlots& slots, std::uint8_t* bytes, std::uint64_t first, std::uint64_t gap,
               std::uint64_t remainder, bool end);
// The slots first + 1 .. last move down by one, over the first; the last is then a gap.
void close_slot(const QuotientSlots& slots, std::uint8_t* bytes, std::uint64_t first, std::uint64_t last);

}  // namespace BLOOMERY_NAMESPACE::detail
