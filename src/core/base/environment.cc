#include "core/base/environment.h"

#include <atomic>
#include <cstdlib>

#include "bloomery/environment.h"

namespace BLOOMERY_NAMESPACE {
namespace {

constinit std::atomic<bool> g_ignored = false;

}  // namespace

void ignore_environment() noexcept { g_ignored.store(true, std::memory_order_relaxed); }

const char* environment(const char* name) noexcept {
  return g_ignored.load(std::memory_order_relaxed) ? nullptr : std::getenv(name);
}

}  // namespace BLOOMERY_NAMESPACE
