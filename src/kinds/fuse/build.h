// The build of a fuse filter from sorted hashes (spec/fuse.md, "Building"): its size, and the bytes of all parts.
#pragma once

#include <cstdint>
#include <span>

#include "bloomery/detail/fnv.h"
#include "bloomery/geometry/fuse.h"
#include "bloomery/hash.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE::detail {

// A build makes that many attempts at one size; then the filter grows.
inline constexpr unsigned kFuseSeeds = 64;

// Returns what the hashes of a part are multiplied by. Seed 0 leaves their order; others mix them, and are the second
// byte.
inline std::uint64_t fuse_factor(std::uint64_t parts, std::uint64_t seed) {
  return seed == 0 ? parts : (splitmix64(seed) & ~std::uint64_t{0xffff}) | seed << 8 | 1;
}
inline std::uint64_t fuse_seed(std::uint64_t parts, std::uint64_t factor) {
  return factor == parts ? 0 : (factor >> 8) & 0xff;
}

// `target` with the parts, the window and the slots that these keys take. parts = 0: as many as the page says.
FuseGeometry fuse_geometry_for(std::span<const Hash> keys, FuseGeometry target, std::uint64_t parts = 0);

// Fills zeroed bytes. False when a part has no seed, and the filter has to grow; the bytes are then worth nothing. The
// only error is out_of_memory.
Result<bool> fuse_fill(std::span<const Hash> keys, const FuseGeometry& geometry, unsigned threads, std::uint8_t* bytes);

}  // namespace BLOOMERY_NAMESPACE::detail
