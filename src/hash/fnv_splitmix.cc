// fnv_splitmix of many keys. FNV-1a is one dependent multiplication per byte, so a single key runs at the multiplier's
// latency; eight keys side by side run at its throughput.
#include "hash/hash_functions.h"

#include <algorithm>

#include "bloomery/detail/bits.h"

namespace bloomery::detail {
namespace {

constexpr std::size_t kLanes = 8;

// Eight keys up to the length of the shortest in lockstep, then each one's rest. Bytes are taken eight at a time from
// one load, which leaves the multiplier as the only bottleneck.
void hash_lanes(const std::string_view* keys, Hash* out) {
  const std::uint8_t* data[kLanes];
  std::uint64_t state[kLanes];
  std::size_t shortest = keys[0].size();
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    data[lane] = reinterpret_cast<const std::uint8_t*>(keys[lane].data());
    state[lane] = kFnvOffset;
    shortest = std::min(shortest, keys[lane].size());
  }
  for (std::size_t i = 0; i < shortest; ++i)
    for (std::size_t lane = 0; lane < kLanes; ++lane) state[lane] = (state[lane] ^ data[lane][i]) * kFnvPrime;
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    out[lane] = Hash(splitmix64(fnv1a64(data[lane] + shortest, keys[lane].size() - shortest, state[lane])));
}

void hash_lanes(const std::uint64_t* keys, Hash* out) {
  std::uint64_t state[kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane) state[lane] = kFnvOffset;
  for (unsigned shift = 0; shift < 64; shift += 8)
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      state[lane] = (state[lane] ^ ((keys[lane] >> shift) & 0xff)) * kFnvPrime;
  for (std::size_t lane = 0; lane < kLanes; ++lane) out[lane] = Hash(splitmix64(state[lane]));
}

template <class T>
void hash_all(std::span<const T> keys, Hash* out) {
  std::size_t i = 0;
  for (; i + kLanes <= keys.size(); i += kLanes) hash_lanes(&keys[i], out + i);
  for (; i < keys.size(); ++i) out[i] = Hasher::fnv_splitmix()(keys[i]);
}

}  // namespace

void fnv_splitmix_many(std::span<const std::string_view> keys, Hash* out) { hash_all(keys, out); }
void fnv_splitmix_many(std::span<const std::uint64_t> keys, Hash* out) { hash_all(keys, out); }

}  // namespace bloomery::detail
