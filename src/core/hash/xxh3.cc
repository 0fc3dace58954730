#include "core/hash/hash_functions.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace bloomery::detail {

std::uint64_t xxh3(const void* data, std::size_t size, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(data, size, seed);
}

}  // namespace bloomery::detail
