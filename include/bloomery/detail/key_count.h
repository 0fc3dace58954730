// Counting keys without an end: a count that no longer fits becomes unknown.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::detail {

// Adds to a count of keys. 2^64 - 1 stands for an unknown count in files, so the largest one that is known is 2^64 - 2.
inline void add_to_count(std::optional<std::uint64_t>& count, std::uint64_t added) {
  if (!count) return;
  *count += added;
  if (*count < added || *count == std::numeric_limits<std::uint64_t>::max()) count.reset();
}

}  // namespace BLOOMERY_NAMESPACE::detail
