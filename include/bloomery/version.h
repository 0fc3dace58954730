// The version of these headers, and of the library they were linked with.
#pragma once

#include "bloomery/export.h"

#define BLOOMERY_VERSION_MAJOR 0
#define BLOOMERY_VERSION_MINOR 1
#define BLOOMERY_VERSION_PATCH 0
#define BLOOMERY_VERSION "0.1.0"

namespace BLOOMERY_NAMESPACE {

// Returns the version of the linked library, "major.minor.patch". Compare it with BLOOMERY_VERSION to notice a stale
// shared library.
BLOOMERY_API const char* version() noexcept;

}  // namespace BLOOMERY_NAMESPACE
