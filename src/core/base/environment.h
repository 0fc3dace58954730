// The one place where the library asks for environment variables.
#pragma once

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE {

// The value of one of the variables that bloomery/environment.h lists, or nullptr when it is unset or to be ignored.
const char* environment(const char* name) noexcept;

}  // namespace BLOOMERY_NAMESPACE
