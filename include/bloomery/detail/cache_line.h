// How far apart in memory variables must be that different threads write.
#pragma once

#include <cstddef>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::detail {

inline constexpr std::size_t kCacheLine = 64;
// Processors fetch the adjacent line with each line, so what threads write all the time must be two lines apart.
inline constexpr std::size_t kNoSharing = 2 * kCacheLine;

}  // namespace BLOOMERY_NAMESPACE::detail
