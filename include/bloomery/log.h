// The log hook receives what is neither an answer nor an error, such as "this filter will miss its target". There is
// none by default: the library itself prints nothing but the sentence with which it ends a program that misuses it
// (detail/check.h).
#pragma once

#include <string_view>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE {

enum class LogLevel { info, warning };

// The library calls it from any thread, so it must be thread-safe. What it throws is dropped, together with the
// message.
using LogHook = void (*)(LogLevel level, std::string_view message, void* context);

// Installs a hook, or none for nullptr; each call of the hook gets `context`. Call it at start-up, while no other
// thread uses the library.
BLOOMERY_API void set_log_hook(LogHook hook, void* context = nullptr) noexcept;

}  // namespace BLOOMERY_NAMESPACE
