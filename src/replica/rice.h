// Sorted hashes as gaps in Rice code (spec/replica.md, Delta): the gap's high bits in unary, its low bits as they are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/hash.h"
#include "bloomery/replica/message.h"

namespace BLOOMERY_NAMESPACE::replica {

// How many low bits a gap between n hashes that are spread evenly has; n is at least 1. The unary parts of all gaps
// together are then at most 2n bits, whatever the hashes are.
unsigned rice_bits(std::size_t n);

// Appends the code of sorted, distinct hashes.
void rice_encode(std::span<const Hash> hashes, unsigned low_bits, Bytes& to);

// The hashes of exactly these bytes; an error when they are too few, too many, run past 2^64 or end in other bits than
// zeros. The caller has compared count with the number of bytes.
Result<std::vector<Hash>> rice_decode(std::span<const std::uint8_t> bytes, std::size_t count, unsigned low_bits);

}  // namespace BLOOMERY_NAMESPACE::replica
