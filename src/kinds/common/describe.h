// Geometries in words, for messages, and their checks.
#pragma once

#include <string>

#include "bloomery/hash.h"
#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE::detail {

// "m = 9586, k = 7"
template <class Geometry>
std::string describe(const Geometry& geometry) {
  std::string text;
  const auto values = geometry.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ", ";
    text += Geometry::kFields[i];
    text += " = ";
    text += std::to_string(values[i]);
  }
  return text;
}

template <class Geometry>
std::string describe(const Geometry& geometry, const Hasher& hasher) {
  std::string text = describe(geometry) + ", " + to_string(hasher.id());
  if (takes_seed(hasher.id())) text += " seed " + std::to_string(hasher.seed());
  return text;
}

// A geometry that was put together by hand holds what one from a file must hold.
template <class Geometry>
Status check_geometry(const Geometry& geometry) {
  Result<Geometry> made = Geometry::from_values(geometry.values());
  BLOOMERY_TRY(made);
  return {};
}

// The payload has as many bytes as the geometry takes.
template <class Geometry>
Status check_size(const Geometry& geometry, std::uint64_t bytes) {
  if (bytes == geometry.payload_bytes()) return {};
  return corrupt("geometry", describe(geometry) + " takes " + std::to_string(geometry.payload_bytes()) +
                                 " bytes, but there are " + std::to_string(bytes));
}

// The error for two filters that cannot be merged or intersected; equal descriptions mean different secrets.
Error cannot_combine(const std::string& one, const std::string& other);

// Whether two views can be merged or intersected.
template <class View>
Status check_combinable(const View& a, const View& b) {
  if (a.geometry() == b.geometry() && a.hasher() == b.hasher()) return {};
  return guarded([&]() -> Status {
    return cannot_combine(describe(a.geometry(), a.hasher()), describe(b.geometry(), b.hasher()));
  });
}

}  // namespace BLOOMERY_NAMESPACE::detail
