// Layouts by kind, and geometries by name: what a SizeSpec means for each kind.
#pragma once

#include <optional>
#include <type_traits>

#include "bloomery/any.h"

namespace BLOOMERY_NAMESPACE::any {

// The geometry as names and numbers, in the order of the file.
template <class Geometry>
GeometryFields fields_of(const Geometry& geometry) {
  GeometryFields fields;
  const auto values = geometry.values();
  for (std::size_t i = 0; i < values.size(); ++i) fields.emplace_back(Geometry::kFields[i], values[i]);
  return fields;
}

// The bits of the payload that are in use: all but those that are left over in its last byte.
template <class Geometry>
std::uint64_t bits_of(const Geometry& geometry) {
  const std::uint64_t all = 8 * geometry.payload_bytes();
  return all - geometry.bits() < 8 ? geometry.bits() : all;
}

// A filter whose kind is no longer known, or why there is none.
template <class Filter>
Result<AnyFilter> erased(Result<Filter> filter) {
  BLOOMERY_TRY(filter);
  return AnyFilter(*std::move(filter));
}

// Returns use(std::type_identity<Layout>) for the layout of that kind, or `otherwise` when the kind is none of
// kAllKinds.
template <class Use>
auto with_layout(Kind kind, Use use, decltype(use(std::type_identity<BlockLayout>{})) otherwise) {
  AllLayouts::for_each([&]<class Layout>(std::type_identity<Layout> layout) {
    if (Layout::Geometry::kKind == kind) otherwise = use(layout);
  });
  return otherwise;
}

}  // namespace BLOOMERY_NAMESPACE::any
