// Checks the bytes of a quotient filter that come from outside: in constant time the little that a lookup relies on,
// and slot by slot all that adding and removing rely on.
#include <algorithm>
#include <bit>
#include <string>

#include "bloomery/quotient.h"
#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using detail::QuotientSlots;
constexpr std::uint64_t kPerBlock = QuotientSlots::kPerBlock;

Error damaged(const char* what, std::uint64_t slot) {
  std::string message = "not the bytes of a quotient filter: ";
  message += what;
  message += " at slot " + std::to_string(slot) + "; take another copy, or build it again";
  return corrupt("payload", std::move(message));
}

// Follows all runs in order. Every bit is either looked at or zero; that quotients have a home and that no more slots
// are taken than may be, check_payload has seen.
class StructureCheck {
 public:
  StructureCheck(const QuotientSlots& slots, const std::uint8_t* bytes) : slots_(slots), bytes_(bytes) {}

  Status run() {
    for (std::uint64_t first = 0; first < slots_.count(); first += kPerBlock) {
      const std::uint8_t* block = slots_.block(bytes_, first);
      if (QuotientSlots::offset(block) != std::max(behind_, first) - first) return damaged("a wrong offset", first);
      for (std::uint64_t left = QuotientSlots::occupied(block); left != 0; left &= left - 1)
        BLOOMERY_TRY(follow(first + static_cast<unsigned>(std::countr_zero(left))));
    }
    BLOOMERY_TRY(gaps_up_to(slots_.count()));
    if (slots_.taken(bytes_) != taken_) return corrupt("payload", "the count of taken slots is wrong");
    return {};
  }

 private:
  Status follow(std::uint64_t quotient) {
    BLOOMERY_TRY(gaps_up_to(quotient));
    std::uint64_t before = 0;
    for (bool end = false; !end; ++behind_, ++taken_) {
      if (behind_ >= slots_.count()) return damaged("a run without an end", quotient);
      const std::uint64_t remainder = slots_.remainder_at(bytes_, behind_);
      if (remainder < before) return damaged("a run out of order", behind_);
      before = remainder;
      end = slots_.ends_at(bytes_, behind_);
    }
    return {};
  }

  // Slots that no run takes are all zero.
  Status gaps_up_to(std::uint64_t slot) {
    for (; behind_ < slot; ++behind_)
      if (slots_.ends_at(bytes_, behind_) || slots_.remainder_at(bytes_, behind_) != 0)
        return damaged("something that belongs to no run", behind_);
    return {};
  }

  QuotientSlots slots_;
  const std::uint8_t* bytes_;
  std::uint64_t behind_ = 0;  // the slot behind the last run
  std::uint64_t taken_ = 0;
};

}  // namespace

Status QuotientLayout::check_payload(std::span<const std::uint8_t> bytes) const {
  if (slots_.taken(bytes.data()) > slots_.capacity())
    return corrupt("payload", "more slots are taken than the filter has");
  for (std::uint64_t first = slots_.home_count() / kPerBlock * kPerBlock; first < slots_.count(); first += kPerBlock) {
    const std::uint64_t homes = slots_.home_count() - std::min(first, slots_.home_count());  // below 64
    if (QuotientSlots::occupied(slots_.block(bytes.data(), first)) >> homes != 0)
      return damaged("a run without a home", first);
  }
  return {};
}

Status QuotientLayout::check_structure(std::span<const std::uint8_t> bytes) const {
  return StructureCheck(slots_, bytes.data()).run();
}

}  // namespace BLOOMERY_NAMESPACE
