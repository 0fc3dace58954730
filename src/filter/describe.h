// Geometries in words, for messages, and their checks by name.
#pragma once

#include <string>

#include "base/error.h"
#include "bloomery/hash.h"
#include "bloomery/sizing.h"

namespace bloomery::detail {

std::string describe(const ClassicGeometry& geometry);  // "m = 9586, k = 7"
std::string describe(const SplitGeometry& geometry);    // "blocks = 42"
std::string describe(const BlockGeometry& geometry);    // "blocks = 21, k = 6"

template <class Geometry>
std::string describe(const Geometry& geometry, const Hasher& hasher) {
  std::string text = describe(geometry) + ", " + to_string(hasher.id());
  if (takes_seed(hasher.id())) text += " seed " + std::to_string(hasher.seed());
  return text;
}

Status check_geometry(const ClassicGeometry& geometry);
Status check_geometry(const SplitGeometry& geometry);
Status check_geometry(const BlockGeometry& geometry);

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

}  // namespace bloomery::detail
