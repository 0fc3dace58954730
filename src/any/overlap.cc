#include "bloomery/overlap.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "any/overlap_estimate.h"
#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE {
namespace {

template <class Layout>
concept TellingLayout = requires(const typename Layout::Geometry& geometry) {
  sizing::cell_model(geometry);
};

// Cells that are in use in a or in b: those that are not 0 in the or of the bytes, of counters as of bits.
template <class Layout>
std::uint64_t cells_of_both(const BasicView<Layout>& a, const BasicView<Layout>& b) {
  constexpr std::size_t kPiece = 16384;
  std::array<std::uint8_t, kPiece> piece;
  const Layout layout(a.geometry());
  const std::span<const std::uint8_t> of_a = a.payload(), of_b = b.payload();
  std::uint64_t set = 0;
  for (std::size_t at = 0; at < of_a.size(); at += kPiece) {
    const std::span<std::uint8_t> some = std::span(piece).first(std::min(kPiece, of_a.size() - at));
    std::memcpy(some.data(), of_a.data() + at, some.size());
    detail::unite_bits(some, of_b.data() + at);
    set += layout.cells_set(some);
  }
  return set;
}

Estimate estimate(const sizing::Interval& found) { return {found.value, found.low, found.high}; }

template <class Layout>
Result<Overlap> overlap_of(const BasicView<Layout>& a, const BasicView<Layout>& b) {
  BLOOMERY_TRY(a.check_combinable(b));
  const sizing::CellCounts counts = {a.bits_set(), b.bits_set(), cells_of_both(a, b)};
  Result<sizing::SetSizes> sizes = sizing::set_sizes(sizing::cell_model(a.geometry()), counts);
  BLOOMERY_TRY(sizes);
  return Overlap{estimate(sizes->a), estimate(sizes->b), estimate(sizes->all), estimate(sizes->common),
                 estimate(sizes->jaccard)};
}

Error does_not_tell(Kind kind) {
  std::string message = to_string(kind);
  message += " filters do not tell what two of them have in common: ";
  std::string last;
  AllLayouts::for_each([&]<class Layout>(std::type_identity<Layout>) {
    if constexpr (!TellingLayout<Layout>) return;
    if (!last.empty()) message += last + ", ";
    last = to_string(Layout::Geometry::kKind);
  });
  message.erase(message.size() - 2);
  message += " and " + last + " filters do";
  return unsupported("kind", std::move(message));
}

}  // namespace

Result<Overlap> overlap(const AnyView& a, const AnyView& b) {
  return guarded([&] {
    return std::visit(
        [&]<class Layout>(const BasicView<Layout>& one) -> Result<Overlap> {
          if constexpr (!TellingLayout<Layout>) return does_not_tell(one.geometry().kKind);
          else if (const auto* other = b.as<BasicView<Layout>>()) return overlap_of(one, *other);
          std::string message = "filters of different kinds cannot be compared: one is ";
          message += std::string(to_string(a.kind())) + ", the other " + to_string(b.kind());
          return mismatch("kind", message + "; build both as one kind, with the same n and fpr");
        },
        a.variant());
  });
}

}  // namespace BLOOMERY_NAMESPACE
