// The caches of this machine, and what follows from them for a batch: how far ahead to prefetch a filter of some size.
#pragma once

#include <cstdint>
#include <optional>

#include "bloomery/export.h"
#include "kernel/kernel.h"

namespace BLOOMERY_NAMESPACE::kernel {

// Bytes that one core sees; what the system does not tell is taken from a machine of the smaller kind.
struct Caches {
  std::uint64_t l1d = std::uint64_t{32} << 10;
  std::uint64_t l2 = std::uint64_t{1} << 20;
  std::uint64_t l3 = std::uint64_t{16} << 20;
};

// Returns the caches of this machine. It asks the system once.
const Caches& caches();

// The rule, measured by tools/tune_prefetch.cc (bench/results/*-prefetch-*.txt): none for a filter that fits half of
// the cache in which the kernel needs none; else kAhead keys.
inline constexpr unsigned kAhead = 64;
unsigned rule_for(const Caches& caches, bool covers_l2, std::uint64_t filter_bytes);

// The rule for this machine and the kernel in use, or what BLOOMERY_PREFETCH says (0 to kMostAhead; anything else there
// is ignored).
unsigned prefetch_ahead(std::uint64_t filter_bytes);
unsigned prefetch_ahead(const Kernel& kernel, std::uint64_t filter_bytes);
std::optional<unsigned> parse_prefetch(const char* text);

}  // namespace BLOOMERY_NAMESPACE::kernel
