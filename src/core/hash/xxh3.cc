#include "core/hash/hash_functions.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace BLOOMERY_NAMESPACE::detail {

// The usual seed 0 takes the function that knows it: the other one adds the seed to every word of the secret.
std::uint64_t xxh3(const void* data, std::size_t size, std::uint64_t seed) noexcept {
  return seed == 0 ? XXH3_64bits(data, size) : XXH3_64bits_withSeed(data, size, seed);
}

template <class Keys>
void xxh3_many(const Keys& keys, std::uint64_t seed, Hash* out) {
  const auto hash_all = [&](auto hash) {
    for_each_string(keys, [&](std::size_t i) {
      const std::string_view key = keys[i];
      out[i] = Hash(hash(key.data(), key.size()));
    });
  };
  if (seed == 0) hash_all([](const char* key, std::size_t size) { return XXH3_64bits(key, size); });
  else hash_all([seed](const char* key, std::size_t size) { return XXH3_64bits_withSeed(key, size, seed); });
}

template void xxh3_many(const std::span<const std::string_view>&, std::uint64_t, Hash*);
template void xxh3_many(const StringColumn<std::int32_t>&, std::uint64_t, Hash*);
template void xxh3_many(const StringColumn<std::uint32_t>&, std::uint64_t, Hash*);
template void xxh3_many(const StringColumn<std::int64_t>&, std::uint64_t, Hash*);
template void xxh3_many(const StringColumn<std::uint64_t>&, std::uint64_t, Hash*);

}  // namespace BLOOMERY_NAMESPACE::detail
