#include "core/hash/hash_functions.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace BLOOMERY_NAMESPACE::detail {

std::uint64_t xxh3(const void* data, std::size_t size, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(data, size, seed);
}

void xxh3_many(std::span<const std::string_view> keys, std::uint64_t seed, Hash* out) {
  for (std::size_t i = 0; i < keys.size(); ++i)
    out[i] = Hash(XXH3_64bits_withSeed(keys[i].data(), keys[i].size(), seed));
}

}  // namespace BLOOMERY_NAMESPACE::detail
