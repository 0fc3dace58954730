// The kinds as envelopes know them: by number, with their geometry as words. All of it follows from the list of kinds
// in bloomery/kind.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "bloomery/any.h"
#include "bloomery/geometry/iblt.h"

namespace BLOOMERY_NAMESPACE::any {

using GeometryWords = std::array<std::uint64_t, 8>;

template <class List>
struct GeometriesOf;
template <class... Layouts>
struct GeometriesOf<LayoutList<Layouts...>> {
  using Variant = std::variant<typename Layouts::Geometry..., IbltGeometry>;
};
// A geometry of any kind, or of an iblt. One that KindEntry::parse returned is good, and is not checked again.
using CheckedGeometry = GeometriesOf<AllLayouts>::Variant;

struct KindEntry {
  Kind kind;
  // Checks the words.
  Result<CheckedGeometry> (*parse)(const GeometryWords& words);
  // A view over a payload, of a geometry that parse returned. Checks the payload's length and what it may hold.
  Result<AnyView> (*view_over)(std::span<const std::uint8_t> payload, const CheckedGeometry& geometry,
                               const Hasher& hasher);
};

// nullptr for a kind that this version cannot read.
const KindEntry* find_kind(Kind kind);

// The iblt, which is no filter: it has no view.
const KindEntry& iblt_entry();

GeometryWords geometry_words(const AnyView& view);
GeometryWords geometry_words(const IbltGeometry& geometry);
std::uint64_t payload_bytes(const CheckedGeometry& geometry);

// The names of the kinds this version can make, for messages: "classic".
std::string available_kinds();

}  // namespace BLOOMERY_NAMESPACE::any
