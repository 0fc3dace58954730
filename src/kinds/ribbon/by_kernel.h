// Batches of a ribbon filter by a kernel of the caller's choice. The library takes the one in use; benchmarks compare
// several within one process.
#pragma once

#include <cstdint>

#include "bloomery/geometry/ribbon.h"
#include "bloomery/keys.h"
#include "kernel/kernel.h"

namespace BLOOMERY_NAMESPACE::detail {

// Whether each key may be present, 1 or 0.
void ribbon_contains_by(const kernel::Kernel& isa, const RibbonGeometry& geometry, const std::uint8_t* bytes,
                        const KeyRun& keys, std::uint8_t* answers);

}  // namespace BLOOMERY_NAMESPACE::detail
