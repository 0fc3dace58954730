// Adding to a quotient filter and removing from it: both find the key's place in its run and the next gap behind it,
// and move the slots between by one.
#include "bloomery/quotient.h"

#include <algorithm>

#include "core/base/error.h"
#include "kinds/common/basic_filter_impl.h"
#include "kinds/quotient/edit.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using detail::QuotientSlots;

// Calls use for the slots that begin a block behind quotient x, up to slot `last`.
template <class Use>
void for_blocks_behind(std::uint64_t x, std::uint64_t last, Use use) {
  constexpr std::uint64_t kPerBlock = QuotientSlots::kPerBlock;
  for (std::uint64_t begin = (x / kPerBlock + 1) * kPerBlock; begin <= last; begin += kPerBlock) use(begin);
}

bool offsets_can_grow(const QuotientSlots& slots, const std::uint8_t* bytes, std::uint64_t x, std::uint64_t gap) {
  bool can = true;
  for_blocks_behind(x, gap, [&](std::uint64_t begin) {
    can &= QuotientSlots::offset(slots.block(bytes, begin)) < QuotientSlots::kMostOffset;
  });
  return can;
}

// Runs of earlier quotients take one slot more, or less, of the blocks behind x up to slot `last`.
void change_offsets(const QuotientSlots& slots, std::uint8_t* bytes, std::uint64_t x, std::uint64_t last,
                    std::uint64_t change) {
  for_blocks_behind(x, last, [&](std::uint64_t begin) {
    std::uint8_t* block = detail::block_to_edit(slots, bytes, begin);
    detail::set_offset(block, QuotientSlots::offset(block) + change);
  });
}

// Returns where in the run of x, which ends before `behind`, a remainder belongs: behind all that are not larger.
std::uint64_t place_in_run(const QuotientSlots& slots, const std::uint8_t* bytes, std::uint64_t x, std::uint64_t behind,
                           std::uint64_t remainder) {
  std::uint64_t slot = behind;
  do {
    if (slots.remainder_at(bytes, slot - 1) <= remainder) break;
    --slot;
  } while (slots.continues_below(bytes, x, slot));
  return slot;
}

// Returns the last slot that holds the remainder in the run of x, which ends before `behind`; or kNone.
std::uint64_t find_in_run(const QuotientSlots& slots, const std::uint8_t* bytes, std::uint64_t x, std::uint64_t behind,
                          std::uint64_t remainder) {
  for (std::uint64_t slot = behind - 1;; --slot) {
    const std::uint64_t here = slots.remainder_at(bytes, slot);
    if (here <= remainder) return here == remainder ? slot : QuotientSlots::kNone;
    if (!slots.continues_below(bytes, x, slot)) return QuotientSlots::kNone;
  }
}

}  // namespace

bool detail::QuotientSlots::holds_beyond(const std::uint8_t* bytes, Hash hash) const {
  const std::uint64_t x = quotient(hash), behind = behind_runs(bytes, x);
  if (behind == kNone || behind <= x) return true;
  return find_in_run(*this, bytes, x, behind, remainder(hash)) != kNone;
}

bool QuotientLayout::place(std::uint8_t* bytes, Hash hash) const {
  const std::uint64_t x = slots_.quotient(hash), remainder = slots_.remainder(hash), taken = slots_.taken(bytes);
  if (taken >= slots_.capacity()) return false;
  const std::uint64_t behind = slots_.behind_runs(bytes, x);
  std::uint64_t gap = x;  // a slot is one when every run of a quotient up to it ends before it
  for (std::uint64_t next = behind; next > gap; next = slots_.behind_runs(bytes, gap)) {
    gap = next;
    if (gap >= slots_.count()) return false;
  }
  if (!offsets_can_grow(slots_, bytes, x, gap)) return false;
  std::uint64_t slot = std::max(x, behind);
  bool end = true;
  if (slots_.is_occupied(bytes, x)) {
    slot = place_in_run(slots_, bytes, x, behind, remainder);
    end = slot == behind;
    if (end) detail::set_end(slots_, bytes, behind - 1, false);
  }
  detail::set_occupied(slots_, bytes, x, true);
  detail::open_slot(slots_, bytes, slot, gap, remainder, end);
  change_offsets(slots_, bytes, x, gap, 1);
  detail::set_taken(slots_, bytes, taken + 1);
  return true;
}

bool QuotientLayout::remove(std::uint8_t* bytes, Hash hash) const {
  const std::uint64_t x = slots_.quotient(hash);
  if (!slots_.is_occupied(bytes, x)) return false;
  const std::uint64_t behind = slots_.behind_runs(bytes, x), end = behind - 1;
  const std::uint64_t slot = find_in_run(slots_, bytes, x, behind, slots_.remainder(hash));
  if (slot == QuotientSlots::kNone) return false;
  std::uint64_t last = end;  // runs move back up to a gap, or to one that is at home
  for (std::uint64_t next; (next = slots_.behind_runs(bytes, last)) > last + 1;) last = next - 1;
  if (slot == end) {
    if (slots_.continues_below(bytes, x, end)) detail::set_end(slots_, bytes, end - 1, true);
    else detail::set_occupied(slots_, bytes, x, false);
  }
  detail::close_slot(slots_, bytes, slot, last);
  change_offsets(slots_, bytes, x, last, ~std::uint64_t{0});
  detail::set_taken(slots_, bytes, slots_.taken(bytes) - 1);
  return true;
}

std::uint64_t QuotientLayout::count(const std::uint8_t* bytes, Hash hash) const {
  const std::uint64_t x = slots_.quotient(hash), remainder = slots_.remainder(hash);
  if (!slots_.is_occupied(bytes, x)) return 0;
  const std::uint64_t behind = slots_.behind_runs(bytes, x);
  if (behind == QuotientSlots::kNone || behind <= x) return 1;  // damaged bytes: maybe
  std::uint64_t slot = find_in_run(slots_, bytes, x, behind, remainder), count = 0;
  for (; slot != QuotientSlots::kNone && slots_.remainder_at(bytes, slot) == remainder; --slot) {
    ++count;
    if (!slots_.continues_below(bytes, x, slot)) break;
  }
  return count;
}

Error QuotientLayout::full(const Geometry& geometry) {
  std::string message = "the quotient filter is full: with quotient_bits = " + std::to_string(geometry.quotient_bits);
  message += " it holds " + std::to_string(geometry.capacity());
  message += " keys (95 % of its slots, a key added twice counted twice; fewer where one was added hundreds of times):";
  if (geometry.remainder_bits > 1) message += " resize it, or";  // each resize takes a bit off the remainders
  message += " remove keys, or make one for more keys";
  return {ErrorCode::full, std::move(message), {}, "quotient_bits"};
}

template class BasicView<QuotientLayout>;
template class BasicFilter<QuotientLayout>;
template class BasicMutableView<QuotientLayout>;

}  // namespace BLOOMERY_NAMESPACE
