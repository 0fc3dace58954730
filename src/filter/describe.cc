#include "filter/describe.h"

#include "base/error.h"

namespace bloomery::detail {
namespace {

template <class Geometry>
Status status_of(const Result<Geometry>& made) {
  return made.ok() ? Status() : Status(made.error());
}

}  // namespace

std::string describe(const ClassicGeometry& g) { return "m = " + std::to_string(g.m) + ", k = " + std::to_string(g.k); }
std::string describe(const SplitGeometry& g) { return "blocks = " + std::to_string(g.blocks); }
std::string describe(const BlockGeometry& g) {
  return "blocks = " + std::to_string(g.blocks) + ", k = " + std::to_string(g.k);
}

Status check_geometry(const ClassicGeometry& g) { return status_of(ClassicGeometry::make(g.m, g.k)); }
Status check_geometry(const SplitGeometry& g) { return status_of(SplitGeometry::make(g.blocks)); }
Status check_geometry(const BlockGeometry& g) { return status_of(BlockGeometry::make(g.blocks, g.k)); }

Error cannot_combine(const std::string& one, const std::string& other) {
  if (one == other)
    return mismatch("secret", "the filters were made with different secrets, so they cannot be combined");
  return mismatch("geometry", "the filters differ: one has " + one + ", the other " + other +
                                  "; only filters of one geometry and one hash can be combined, so build both with the "
                                  "same n and fpr");
}

}  // namespace bloomery::detail
