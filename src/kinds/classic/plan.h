// The planning of kinds that have the indexes of classic, and with them its limits.
#pragma once

#include <cstdint>

#include "bloomery/geometry/classic.h"

namespace BLOOMERY_NAMESPACE::sizing {

// plan_classic in the name of another kind; `instead` is the one its messages point to, which has no such limits at any
// rate.
Result<ClassicPlan> plan_like_classic(const char* kind, const char* instead, std::uint64_t n, double fpr);

}  // namespace BLOOMERY_NAMESPACE::sizing
