#include "core/hash/by_length.h"
#include "core/hash/hash_functions.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace BLOOMERY_NAMESPACE::detail {
namespace {

template <class Keys>
bool have_one_length(const Keys& keys, std::size_t first, std::size_t count) {
  const std::size_t size = keys[first].size();
  std::size_t differ = 0;
  for (std::size_t i = 1; i < count; ++i) differ |= keys[first + i].size() ^ size;
  return differ == 0;
}

}  // namespace

std::uint64_t xxh64(const void* data, std::size_t size, std::uint64_t seed) noexcept { return XXH64(data, size, seed); }

template <class Keys>
void xxh64_many(const Keys& keys, std::uint64_t seed, Hash* out) {
  const auto hash = [&](std::size_t i) {
    const std::string_view key = keys[i];
    out[i] = Hash(XXH64(key.data(), key.size(), seed));
  };
  const bool apart = lie_apart(keys);
  std::uint8_t order[kMostByLength];
  for (std::size_t first = 0; first < keys.size(); first += kMostByLength) {
    const std::size_t count = std::min(kMostByLength, keys.size() - first);
    const auto in_order = [&](auto place) {
      if (!apart) {
        for (std::size_t i = 0; i < count; ++i) hash(first + place(i));
        return;
      }
      for (std::size_t i = 0; i < count; ++i) {
        if (count - i > kStringsAhead) fetch_string(keys, first + place(i + kStringsAhead));
        hash(first + place(i));
      }
    };
    if (have_one_length(keys, first, count)) {
      in_order([](std::size_t i) { return i; });
    } else {
      order_by_length(
          count, [&](std::size_t i) { return keys[first + i].size(); }, order);
      in_order([&](std::size_t i) { return order[i]; });
    }
  }
}

template void xxh64_many(const std::span<const std::string_view>&, std::uint64_t, Hash*);
template void xxh64_many(const StringColumn<std::int32_t>&, std::uint64_t, Hash*);
template void xxh64_many(const StringColumn<std::uint32_t>&, std::uint64_t, Hash*);
template void xxh64_many(const StringColumn<std::int64_t>&, std::uint64_t, Hash*);
template void xxh64_many(const StringColumn<std::uint64_t>&, std::uint64_t, Hash*);

}  // namespace BLOOMERY_NAMESPACE::detail
