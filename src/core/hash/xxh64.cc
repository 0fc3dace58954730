#include "core/hash/hash_functions.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace BLOOMERY_NAMESPACE::detail {

std::uint64_t xxh64(const void* data, std::size_t size, std::uint64_t seed) noexcept { return XXH64(data, size, seed); }

}  // namespace BLOOMERY_NAMESPACE::detail
