// What goes through a whole quotient filter: writing one in order, merging, growing, and checking foreign bytes.
#include "bloomery/detail/quotient_walk.h"

#include <algorithm>
#include <string>
#include <utility>

#include "bloomery/quotient.h"
#include "core/base/error.h"
#include "kinds/common/describe.h"
#include "kinds/quotient/edit.h"

namespace BLOOMERY_NAMESPACE {
namespace detail {

bool QuotientWriter::append(std::uint64_t fingerprint) {
  const unsigned r = slots_.remainder_bits();
  const std::uint64_t quotient = fingerprint >> r;
  if (quotient == last_) {
    set_end(slots_, bytes_, behind_ - 1, false);
  } else {
    if (!set_offsets_up_to(quotient)) return false;
    behind_ = std::max(behind_, quotient);
    set_occupied(slots_, bytes_, quotient, true);
    last_ = quotient;
  }
  if (behind_ >= slots_.count()) return false;
  set_remainder_in(slots_, block_to_edit(slots_, bytes_, behind_),
                   static_cast<unsigned>(behind_ % QuotientSlots::kPerBlock),
                   fingerprint & ((std::uint64_t{1} << r) - 1));
  set_end(slots_, bytes_, behind_++, true);
  ++taken_;
  return true;
}

bool QuotientWriter::finish() {
  set_taken(slots_, bytes_, taken_);
  return taken_ <= slots_.capacity() && set_offsets_up_to(slots_.count() - 1);
}

bool QuotientWriter::set_offsets_up_to(std::uint64_t slot) {
  while (block_ + QuotientSlots::kPerBlock <= slot) {
    block_ += QuotientSlots::kPerBlock;
    if (behind_ <= block_) continue;
    if (behind_ - block_ > QuotientSlots::kMostOffset) return false;
    set_offset(block_to_edit(slots_, bytes_, block_), behind_ - block_);
  }
  return true;
}

}  // namespace detail

namespace {

using detail::QuotientCursor;
using detail::QuotientSlots;
using detail::QuotientWriter;

Result<QuotientFilter> no_bit_left(const QuotientGeometry& geometry) {
  return guarded([&]() -> Result<QuotientFilter> {
    std::string message = "a quotient filter grows by a bit of its remainders, and with ";
    message += detail::describe(geometry) + " there is none left: build a new one from the keys, for more of them";
    return Error{ErrorCode::full, std::move(message), {}, "remainder_bits"};
  });
}

Result<QuotientFilter> unlike(const QuotientFilter& a, const QuotientFilter& b) {
  return guarded([&]() -> Result<QuotientFilter> {
    const std::string of_a = detail::describe(a.geometry(), a.hasher()),
                      of_b = detail::describe(b.geometry(), b.hasher());
    if (of_a == of_b) return detail::cannot_combine(of_a, of_b);
    std::string message = "the filters differ: one has " + of_a + ", the other " + of_b;
    message += "; quotient filters merge when their hashes are equal and their fingerprints (quotient_bits + ";
    message += "remainder_bits) equally long: build both for the same number of keys, or with the same exact geometry";
    return mismatch("geometry", std::move(message));
  });
}

// Writes the fingerprints of both, in order.
bool write_both(QuotientCursor a, QuotientCursor b, QuotientWriter out) {
  while (!a.done() || !b.done()) {
    QuotientCursor& next = b.done() || (!a.done() && a.fingerprint() <= b.fingerprint()) ? a : b;
    if (!out.append(next.fingerprint())) return false;
    next.next();
  }
  return out.finish();
}

bool write_all(QuotientCursor from, QuotientWriter out) {
  for (; !from.done(); from.next())
    if (!out.append(from.fingerprint())) return false;
  return out.finish();
}

}  // namespace

Result<QuotientFilter> QuotientLayout::merged(const QuotientFilter& a, const QuotientFilter& b) {
  const Geometry of_a = a.geometry(), of_b = b.geometry();
  if (of_a.fingerprint_bits() != of_b.fingerprint_bits() || !(a.hasher() == b.hasher())) return unlike(a, b);
  const std::uint64_t keys = a.bits_set() + b.bits_set();
  Geometry geometry = of_a.quotient_bits > of_b.quotient_bits ? of_a : of_b;
  for (;; ++geometry.quotient_bits, --geometry.remainder_bits) {
    if (geometry.capacity() >= keys) {
      Result<QuotientFilter> out = QuotientFilter::with_geometry(geometry, a.options());
      BLOOMERY_TRY(out);
      const QuotientCursor from_a(QuotientSlots(of_a), a.view().payload().data());
      const QuotientCursor from_b(QuotientSlots(of_b), b.view().payload().data());
      if (write_both(from_a, from_b, {QuotientSlots(geometry), out->bytes_.data()})) return out;
    }
    if (geometry.remainder_bits == 1) return no_bit_left(geometry);
  }
}

Result<QuotientFilter> QuotientLayout::resized(const QuotientFilter& filter) {
  Geometry geometry = filter.geometry();
  if (geometry.remainder_bits == 1) return no_bit_left(geometry);
  const QuotientCursor from(QuotientSlots(geometry), filter.view().payload().data());
  ++geometry.quotient_bits, --geometry.remainder_bits;
  Result<QuotientFilter> out = QuotientFilter::with_geometry(geometry, filter.options());
  BLOOMERY_TRY(out);
  if (write_all(from, {QuotientSlots(geometry), out->bytes_.data()})) return out;
  return guarded([&]() -> Result<QuotientFilter> { return full(geometry); });
}

double QuotientLayout::predicted_fpr(std::span<const std::uint8_t> bytes, std::uint64_t) const {
  std::uint64_t different = 0;
  for_each(bytes.data(), [&](std::uint64_t, std::uint64_t) { ++different; });
  return geometry().fpr_of_fingerprints(different);
}

}  // namespace BLOOMERY_NAMESPACE
