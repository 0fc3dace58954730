// What the environment says of the kill switch of live filters.
#pragma once

#include <cstring>

#include "core/base/environment.h"

namespace BLOOMERY_NAMESPACE {

inline bool disabled_by_environment() {
  const char* value = environment("BLOOMERY_DISABLE");
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

}  // namespace BLOOMERY_NAMESPACE
