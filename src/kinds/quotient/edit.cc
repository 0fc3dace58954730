// Slots of a quotient filter moved by one, a word of remainders at a time.
#include "kinds/quotient/edit.h"

namespace BLOOMERY_NAMESPACE::detail {
namespace {

constexpr std::uint64_t kPerBlock = QuotientSlots::kPerBlock;

std::uint64_t low_bits(unsigned count) { return (std::uint64_t{1} << count) - 1; }  // count < 64

// The bits first .. last of a word.
std::uint64_t bits_between(unsigned first, unsigned last) {
  return (~std::uint64_t{0} >> (63 - last)) & (~std::uint64_t{0} << first);
}

// The places first .. last - 1 of a block move up by one, over the last; the first takes what comes in.
void move_up(const QuotientSlots& slots, std::uint8_t* block, unsigned first, unsigned last, std::uint64_t remainder,
             bool end) {
  const std::uint64_t moved = bits_between(first, last), ends = QuotientSlots::ends(block);
  store_le<std::uint64_t>(block + 10,
                          (ends & ~moved) | ((ends << 1) & moved & (moved << 1)) | std::uint64_t{end} << first);
  const unsigned r = slots.remainder_bits(), from = first * r, behind = (last + 1) * r;
  const auto word = [&](unsigned i) { return block + QuotientGeometry::kHeadBytes + 8 * i; };
  unsigned i = (behind - 1) / 64;
  std::uint64_t old = load_le<std::uint64_t>(word(i));
  std::uint64_t keep = ~bits_between(0, (behind - 1) % 64);
  for (; i > from / 64; --i) {
    const std::uint64_t below = load_le<std::uint64_t>(word(i - 1));
    store_le<std::uint64_t>(word(i), (old & keep) | ((old << r | below >> (64 - r)) & ~keep));
    old = below;
    keep = 0;
  }
  keep |= low_bits(from % 64);
  store_le<std::uint64_t>(word(i), (old & keep) | ((old << r) & ~keep));
  set_remainder_in(slots, block, first, remainder);
}

// The places first + 1 .. last of a block move down by one, over the first; the last takes what comes in.
void move_down(const QuotientSlots& slots, std::uint8_t* block, unsigned first, unsigned last, std::uint64_t remainder,
               bool end) {
  const std::uint64_t moved = bits_between(first, last), ends = QuotientSlots::ends(block);
  store_le<std::uint64_t>(block + 10,
                          (ends & ~moved) | ((ends >> 1) & moved & (moved >> 1)) | std::uint64_t{end} << last);
  const unsigned r = slots.remainder_bits(), from = first * r, behind = (last + 1) * r;
  const auto word = [&](unsigned i) { return block + QuotientGeometry::kHeadBytes + 8 * i; };
  unsigned i = from / 64;
  std::uint64_t old = load_le<std::uint64_t>(word(i));
  std::uint64_t keep = low_bits(from % 64);
  for (; i < (behind - 1) / 64; ++i) {
    const std::uint64_t above = load_le<std::uint64_t>(word(i + 1));
    store_le<std::uint64_t>(word(i), (old & keep) | ((old >> r | above << (64 - r)) & ~keep));
    old = above;
    keep = 0;
  }
  keep |= ~bits_between(0, (behind - 1) % 64);
  store_le<std::uint64_t>(word(i), (old & keep) | ((old >> r) & ~keep));
  set_remainder_in(slots, block, last, remainder);
}

unsigned place(std::uint64_t slot) { return static_cast<unsigned>(slot % kPerBlock); }

}  // namespace

// It goes from the last block to the first, so that each still finds the slot before it as it was.
void open_slot(const QuotientSlots& slots, std::uint8_t* bytes, std::uint64_t first, std::uint64_t gap,
               std::uint64_t remainder, bool end) {
  std::uint64_t last = gap;
  for (std::uint64_t begin = gap / kPerBlock * kPerBlock; begin > first; begin -= kPerBlock, last = begin + 63) {
    const bool ends_before = slots.ends_at(bytes, begin - 1);
    move_up(slots, block_to_edit(slots, bytes, begin), 0, place(last), slots.remainder_at(bytes, begin - 1),
            ends_before);
  }
  move_up(slots, block_to_edit(slots, bytes, first), place(first), place(last), remainder, end);
}

void close_slot(const QuotientSlots& slots, std::uint8_t* bytes, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t next; (next = (first / kPerBlock + 1) * kPerBlock) <= last; first = next)
    move_down(slots, block_to_edit(slots, bytes, first), place(first), 63, slots.remainder_at(bytes, next),
              slots.ends_at(bytes, next));
  move_down(slots, block_to_edit(slots, bytes, first), place(first), place(last), 0, false);
}

}  // namespace BLOOMERY_NAMESPACE::detail
