// The kinds as envelopes know them: by number, with their geometry as words. All of it follows from the list of kinds
// in bloomery/kind.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "bloomery/any.h"
#include "bloomery/geometry/iblt.h"

namespace BLOOMERY_NAMESPACE::any {

using GeometryWords = std::array<std::uint64_t, 8>;

struct KindEntry {
  Kind kind;
  // Checks the words and tells the payload's length.
  Result<std::uint64_t> (*payload_bytes)(const GeometryWords& words);
  // A view over a payload of that length.
  Result<AnyView> (*view_over)(std::span<const std::uint8_t> payload, const GeometryWords& words, const Hasher& hasher);
};

// nullptr for a kind that this version cannot read.
const KindEntry* find_kind(Kind kind);

// The iblt, which is no filter: it has no view.
const KindEntry& iblt_entry();

GeometryWords geometry_words(const AnyView& view);
GeometryWords geometry_words(const IbltGeometry& geometry);
// Of words that iblt_entry() has found good.
IbltGeometry iblt_geometry(const GeometryWords& words);

// The names of the kinds this version can make, for messages: "classic".
std::string available_kinds();

}  // namespace BLOOMERY_NAMESPACE::any
