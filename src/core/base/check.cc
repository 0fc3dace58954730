#include "bloomery/detail/check.h"

#include <cstdio>
#include <cstdlib>

namespace BLOOMERY_NAMESPACE::detail {

[[gnu::cold]] void end_for_lengths(const char* function, std::size_t keys, std::size_t length,
                                   std::size_t needed) noexcept {
  std::fprintf(stderr, "bloomery: %s got %zu keys and an output of %zu elements: make the output %zu elements long\n",
               function, keys, length, needed);
  std::abort();
}

[[gnu::cold]] void end_for_positions(const char* function, std::size_t keys) noexcept {
  std::fprintf(stderr, "bloomery: %s got %zu keys, and positions have 32 bits: ask at most 2^32 keys at once\n",
               function, keys);
  std::abort();
}

[[gnu::cold]] void end_for_moved_from(const char* function) noexcept {
  std::fprintf(stderr, "bloomery: %s was called on a shared filter that was moved from: call it on the new owner\n",
               function);
  std::abort();
}

[[gnu::cold]] void end_for_no_memory() noexcept {
  std::fputs("bloomery: there is no memory for the first key of a filter that was moved from: free some\n", stderr);
  std::abort();
}

}  // namespace BLOOMERY_NAMESPACE::detail
