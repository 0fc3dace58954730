#include "bloomery/detail/check.h"

#include <cstdio>
#include <cstdlib>

namespace bloomery::detail {

[[gnu::cold]] void end_for_lengths(const char* function, std::size_t keys, std::size_t length,
                                   std::size_t needed) noexcept {
  std::fprintf(stderr, "bloomery: %s got %zu keys and an output of %zu elements: make the output %zu elements long\n",
               function, keys, length, needed);
  std::abort();
}

}  // namespace bloomery::detail
