// How layers reach the log hook (bloomery/log.h).
#pragma once

#include <string_view>

#include "bloomery/log.h"

namespace BLOOMERY_NAMESPACE {

void log(LogLevel level, std::string_view message) noexcept;
bool log_enabled() noexcept;  // so that no message is put together for nobody

}  // namespace BLOOMERY_NAMESPACE
