// The environment variables that the library reads, all of them:
//   BLOOMERY_ISA       the kernel to use instead of the best one: scalar, neon, avx2, avx512, avx512vbmi
//   BLOOMERY_PREFETCH  how many keys ahead batches fetch, instead of what suits the machine
//   BLOOMERY_DISABLE   when set to anything but 0, live filters, and Watched ones, answer "maybe" from their start
//   TMPDIR             the folder of temporary files
#pragma once

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE {

// From now on the library treats these variables as unset. What it has read before stays as it is, so call this first
// in main. Any thread may call it.
BLOOMERY_API void ignore_environment() noexcept;

}  // namespace BLOOMERY_NAMESPACE
