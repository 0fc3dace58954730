// The build of a fuse filter from sorted hashes (spec/fuse.md, "Building"): its size, and the bytes of all parts.
#pragma once

#include <cstdint>
#include <span>

#include "bloomery/detail/fuse_geometry.h"
#include "bloomery/hash.h"
#include "bloomery/result.h"

namespace bloomery::detail {

// Attempts at one size; then it grows.
inline constexpr unsigned kFuseSeeds = 64;

// `wish` with the parts, the window and the slots that these keys take. parts = 0: as many as the page says.
FuseGeometry fuse_geometry_for(std::span<const Hash> keys, FuseGeometry wish, std::uint64_t parts = 0);

// Fills zeroed bytes. False when a part has no seed, and the filter has to grow; the bytes are then worth nothing. The
// only error is out_of_memory.
Result<bool> fuse_fill(std::span<const Hash> keys, const FuseGeometry& geometry, unsigned threads, std::uint8_t* bytes);

}  // namespace bloomery::detail
