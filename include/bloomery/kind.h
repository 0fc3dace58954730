// The kinds of filter there are, by the numbers of files (spec/envelope.md).
#pragma once

#include <cstdint>

#include "bloomery/export.h"

namespace bloomery {

enum class Kind : std::uint16_t {
  classic = 1,
  split = 2,
  block = 3,
  counting = 4,
  partitioned = 5,
  scalable = 6,
  stable = 7,
  cuckoo = 8,
  quotient = 9,
  fuse = 10,
  ribbon = 11,
  iblt = 12,
};
inline constexpr std::uint16_t kLastKind = 12;

BLOOMERY_API const char* to_string(Kind kind) noexcept;

}  // namespace bloomery
