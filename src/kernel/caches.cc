#include "kernel/caches.h"
#include "core/base/environment.h"

#include <unistd.h>

#include <charconv>
#include <cstring>

namespace BLOOMERY_NAMESPACE::kernel {
namespace {

// sysconf says 0 or -1 where it does not know, as on many arm64 systems.
void ask(int name, std::uint64_t& size) {
  const long answer = ::sysconf(name);
  if (answer > 0) size = static_cast<std::uint64_t>(answer);
}

Caches detect() {
  Caches found;
  ask(_SC_LEVEL1_DCACHE_SIZE, found.l1d);
  ask(_SC_LEVEL2_CACHE_SIZE, found.l2);
  ask(_SC_LEVEL3_CACHE_SIZE, found.l3);
  return found;
}

}  // namespace

const Caches& caches() {
  static const Caches found = detect();
  return found;
}

unsigned rule_for(const Caches& caches, bool covers_l2, std::uint64_t filter_bytes) {
  return filter_bytes <= (covers_l2 ? caches.l2 : caches.l1d) / 2 ? 0 : kAhead;
}

std::optional<unsigned> parse_prefetch(const char* text) {
  if (text == nullptr) return std::nullopt;
  unsigned ahead = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, ahead);
  if (error != std::errc() || stop != end || ahead > kMostAhead) return std::nullopt;
  return ahead;
}

unsigned prefetch_ahead(std::uint64_t filter_bytes) { return prefetch_ahead(active(), filter_bytes); }

unsigned prefetch_ahead(const Kernel& kernel, std::uint64_t filter_bytes) {
  static const std::optional<unsigned> forced = parse_prefetch(environment("BLOOMERY_PREFETCH"));
  return forced.has_value() ? *forced : rule_for(caches(), kernel.covers_l2, filter_bytes);
}

}  // namespace BLOOMERY_NAMESPACE::kernel
