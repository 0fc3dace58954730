// The kinds that an error names as a way out. Each is asked whether it can do what the other could not, so that nobody
// is sent from one refusal to the next.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "bloomery/geometry/block.h"
#include "bloomery/geometry/classic.h"
#include "bloomery/geometry/partitioned.h"
#include "bloomery/geometry/quotient.h"

namespace BLOOMERY_NAMESPACE::sizing {

// Whether a filter of that kind for n keys has the rate, as far as rounding goes: classic is sized for rates that it
// does not reach, and warns.
template <class Geometry>
bool reaches(std::uint64_t n, double fpr) {
  const Result<Geometry> geometry = Geometry::for_capacity(n, fpr);
  return geometry.ok() && geometry->predicted_fpr_after(n) <= 1.1 * fpr;
}

// Whether a filter of that kind for n keys can have so many bits for each.
template <class Geometry>
bool takes(std::uint64_t n, double bits_per_key) {
  return Geometry::for_bits_per_key(n, bits_per_key).ok();
}

struct OtherKind {
  const char* name;
  bool (*can)(std::uint64_t n, double fpr);
  bool (*can_have)(std::uint64_t n, double bits_per_key);
};

// Kinds that take keys one by one. The for_capacity of none of them asks for a kind that is before it here, and only
// the for_bits_per_key of quotient asks for another kind, block.
inline constexpr OtherKind kBlock = {"block", reaches<BlockGeometry>, takes<BlockGeometry>};
inline constexpr OtherKind kClassic = {"classic", reaches<ClassicGeometry>, takes<ClassicGeometry>};
inline constexpr OtherKind kPartitioned = {"partitioned", reaches<PartitionedGeometry>, takes<PartitionedGeometry>};
inline constexpr OtherKind kQuotient = {"quotient", reaches<QuotientGeometry>, takes<QuotientGeometry>};

// The first of them that can, in quotes; empty when none can.
inline std::string first_that_can(std::uint64_t n, double fpr, std::initializer_list<OtherKind> kinds) {
  for (const OtherKind& kind : kinds)
    if (kind.can(n, fpr)) return std::string("'") + kind.name + "'";
  return {};
}

// "use the kind 'block'", the first of them that can; what else helps when none can.
inline std::string use_first_that_can(std::uint64_t n, double fpr, std::initializer_list<OtherKind> kinds) {
  const std::string kind = first_that_can(n, fpr, kinds);
  return kind.empty() ? "ask for a higher rate" : "use the kind " + kind;
}

// "'ribbon' or 'block'", all of them that can have so many bits per key; empty when none can.
inline std::string all_that_can_have(std::uint64_t n, double bits_per_key, std::initializer_list<OtherKind> kinds) {
  std::string names;
  for (const OtherKind& kind : kinds)
    if (kind.can_have(n, bits_per_key)) names += (names.empty() ? "'" : " or '") + std::string(kind.name) + "'";
  return names;
}

// ": give it more, or use 'block'", where so many bits per key are too few.
inline std::string give_more_or_use(std::uint64_t n, double bits_per_key, std::initializer_list<OtherKind> kinds) {
  const std::string names = all_that_can_have(n, bits_per_key, kinds);
  return ": give it more" + (names.empty() ? "" : ", or use " + names);
}

}  // namespace BLOOMERY_NAMESPACE::sizing
