// The one logarithm that decides bytes (spec/sizing.md): m of a classic filter is the ceiling of a product with it, and
// the logarithms of systems and languages differ in the last digit now and then.
#pragma once

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::sizing {

// ln x, correctly rounded, for finite x > 0.
double ln(double x) noexcept;

}  // namespace BLOOMERY_NAMESPACE::sizing
