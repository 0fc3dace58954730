// fnv_splitmix of many keys. FNV-1a is one dependent multiplication per byte, so a single key runs at the multiplier's
// latency; several keys side by side run at its throughput.
#include <algorithm>

#include "core/hash/by_length.h"
#include "core/hash/hash_functions.h"

namespace BLOOMERY_NAMESPACE::detail {
namespace {

// One of the keys in flight. Each step of FNV waits for the multiplication before it; the chains of several keys fill
// that time. `bloomery_bench --only hash` prints hash_many beside the rate of the multiplier alone.
struct Lane {
  const std::uint8_t* at;
  std::size_t size;
  std::uint64_t state = kFnvOffset;

  explicit Lane(const std::string_view& key)
      : at(reinterpret_cast<const std::uint8_t*>(key.data())), size(key.size()) {}

  void step(std::size_t i) { state = (state ^ at[i]) * kFnvPrime; }
  Hash finish(std::size_t done) const { return Hash(splitmix64(fnv1a64(at + done, size - done, state))); }
};

// Keys i, j, k, l in lockstep up to the length of the shortest, then what is left of each.
inline void hash_four(const std::string_view* keys, std::size_t i, std::size_t j, std::size_t k, std::size_t l,
                      Hash* out) {
  Lane a(keys[i]), b(keys[j]), c(keys[k]), d(keys[l]);
  const std::size_t shortest = std::min(std::min(a.size, b.size), std::min(c.size, d.size));
  for (std::size_t at = 0; at < shortest; ++at) a.step(at), b.step(at), c.step(at), d.step(at);
  out[i] = a.finish(shortest);
  out[j] = b.finish(shortest);
  out[k] = c.finish(shortest);
  out[l] = d.finish(shortest);
}

bool same_length(const std::string_view* four) {
  const std::size_t size = four[0].size();
  return ((four[1].size() ^ size) | (four[2].size() ^ size) | (four[3].size() ^ size)) == 0;
}

constexpr std::size_t kBlock = 64;
static_assert(kBlock <= kMostByLength);

void hash_in_disorder(std::span<const std::string_view> keys, bool apart, Hash* out) {
  std::uint8_t order[kBlock];
  order_by_length(
      keys.size(), [&](std::size_t i) { return keys[i].size(); }, order);
  for (std::size_t j = 0; apart && j < keys.size(); ++j) fetch_string(keys, order[j]);
  std::size_t i = 0;
  for (; i + 4 <= keys.size(); i += 4) hash_four(keys.data(), order[i], order[i + 1], order[i + 2], order[i + 3], out);
  for (; i < keys.size(); ++i) out[order[i]] = Lane(keys[order[i]]).finish(0);
}

}  // namespace

void fnv_splitmix_many(std::span<const std::string_view> keys, Hash* out) {
  const bool apart = lie_apart(keys);
  std::size_t i = 0;
  while (i < keys.size()) {
    if (keys.size() - i >= 4 && same_length(&keys[i])) {
      for (std::size_t j = 0; apart && j < 4; ++j) fetch_string(keys, i + j + kStringsAhead);
      hash_four(&keys[i], 0, 1, 2, 3, out + i);
      i += 4;
    } else {
      const std::size_t count = std::min(kBlock, keys.size() - i);
      hash_in_disorder(keys.subspan(i, count), apart, out + i);
      i += count;
    }
  }
}

}  // namespace BLOOMERY_NAMESPACE::detail
