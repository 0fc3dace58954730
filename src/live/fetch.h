// Hints to the processor that threads which share memory give: internal to the layer live.
#pragma once

#include <cstdint>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::detail {

// Asks for the line of an address, to write to it. __builtin_prefetch asks for a copy to read on x86-64 unless it is
// compiled for newer machines; a line that another core has written would then have to be asked for twice. Processors
// that do not know the instruction ignore it.
inline void fetch_to_write(const void* at) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(at)));
#else
  __builtin_prefetch(at, 1);
#endif
}

// Loads 8 bytes at any address while others may write to them: its parts may be of different moments, and nothing is
// ordered by it. For a look that decides nothing by itself. C++ has no such load; it is defined where kCanGlance.
inline std::uint64_t glance(const std::uint8_t* at);
#if defined(__x86_64__)
inline constexpr bool kCanGlance = true;
inline std::uint64_t glance(const std::uint8_t* at) {
  std::uint64_t bytes;
  asm volatile("movq %1, %0" : "=r"(bytes) : "m"(*reinterpret_cast<const std::uint8_t(*)[8]>(at)));
  return bytes;
}
#else
inline constexpr bool kCanGlance = false;
#endif

// Lets the other thread of a core run for a moment.
inline void spin_wait() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace BLOOMERY_NAMESPACE::detail
