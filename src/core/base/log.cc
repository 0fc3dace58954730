#include "core/base/log.h"

namespace BLOOMERY_NAMESPACE {
namespace {

LogHook g_hook = nullptr;
void* g_context = nullptr;

}  // namespace

void set_log_hook(LogHook hook, void* context) noexcept {
  g_hook = hook;
  g_context = context;
}

bool log_enabled() noexcept { return g_hook != nullptr; }

void log(LogLevel level, std::string_view message) noexcept {
  if (g_hook == nullptr) return;
  try {
    g_hook(level, message, g_context);
  } catch (...) {  // a message is lost, and nothing else
  }
}

}  // namespace BLOOMERY_NAMESPACE
