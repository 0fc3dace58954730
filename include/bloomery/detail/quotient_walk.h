// A quotient filter from its first fingerprint to its last: reading all of it in order, and writing one from
// fingerprints in order. Merging, resizing and iterating are made of these two.
#pragma once

#include <bit>
#include <cstdint>

#include "bloomery/detail/compiled_for.h"
#include "bloomery/detail/quotient_slots.h"
#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::detail {

// Reads the fingerprints in order. On damaged bytes it gives some numbers and comes to an end.
//   for (QuotientCursor at(slots, bytes); !at.done(); at.next()) use(at.fingerprint());
class QuotientCursor {
 public:
  BLOOMERY_PER_ISA QuotientCursor(const QuotientSlots& slots, const std::uint8_t* bytes)
      : slots_(slots), bytes_(bytes), left_(QuotientSlots::occupied(bytes)) {
    next_run();
  }

  BLOOMERY_PER_ISA bool done() const { return slot_ >= slots_.count(); }
  BLOOMERY_PER_ISA std::uint64_t fingerprint() const {
    return slots_.joined(quotient_, slots_.remainder_at(bytes_, slot_));
  }
  BLOOMERY_PER_ISA void next() {
    if (slots_.ends_at(bytes_, slot_++)) next_run();
  }

 private:
  // Goes to the run of the next occupied quotient; slot_ is the first one behind the run before.
  BLOOMERY_PER_ISA void next_run() {
    while (left_ == 0) {
      first_ += QuotientSlots::kPerBlock;
      if (first_ >= slots_.home_count()) return finish();
      left_ = QuotientSlots::occupied(slots_.block(bytes_, first_));
    }
    quotient_ = first_ + static_cast<std::uint64_t>(std::countr_zero(left_));
    left_ &= left_ - 1;
    if (quotient_ >= slots_.home_count()) return finish();
    if (slot_ < quotient_) slot_ = quotient_;
  }
  BLOOMERY_PER_ISA void finish() { slot_ = slots_.count(); }

  QuotientSlots slots_;
  const std::uint8_t* bytes_;
  std::uint64_t first_ = 0, left_;         // a block, and its occupied quotients that are still to come
  std::uint64_t quotient_ = 0, slot_ = 0;  // where the cursor is
};

// Writes fingerprints into zeroed bytes. The protocol is: append* finish, with ascending fingerprints. Both return
// false when a run would reach too far; the bytes are then of no use.
class QuotientWriter {
 public:
  QuotientWriter(const QuotientSlots& slots, std::uint8_t* bytes) : slots_(slots), bytes_(bytes) {}

  bool append(std::uint64_t fingerprint);
  bool finish();

 private:
  bool set_offsets_up_to(std::uint64_t slot);

  QuotientSlots slots_;
  std::uint8_t* bytes_;
  std::uint64_t last_ = QuotientSlots::kNone;  // the quotient of the fingerprint before
  std::uint64_t behind_ = 0;                   // the slot behind it
  std::uint64_t block_ = 0;                    // the first slot of the last block that has its offset
  std::uint64_t taken_ = 0;
};

}  // namespace BLOOMERY_NAMESPACE::detail
