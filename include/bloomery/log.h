// The log hook: where the library says things that are neither an answer nor an error, such as "this filter will miss
// its target". Off by default; the library itself prints nothing but the sentence with which it ends a program that
// misuses it (detail/check.h).
#pragma once

#include <string_view>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE {

enum class LogLevel { info, warning };

// Called from whichever thread has something to say; must be thread-safe. What it throws is dropped, with the message.
using LogHook = void (*)(LogLevel level, std::string_view message, void* context);

// Installs a hook (nullptr: none) with a context handed to each call. Not to be called while other threads use the
// library: install it at start-up.
BLOOMERY_API void set_log_hook(LogHook hook, void* context = nullptr) noexcept;

}  // namespace BLOOMERY_NAMESPACE
