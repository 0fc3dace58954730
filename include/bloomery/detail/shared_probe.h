// The doors to the layer kernel for adds to a block filter that threads share: the same bits as block_set, by atomic
// instructions. Blocks are read by vectors, so callers hide these reads from ThreadSanitizer (RacyReads).
#pragma once

#include <cstdint>
#include <span>

#include "bloomery/detail/blocked_probe.h"

namespace BLOOMERY_NAMESPACE::detail {

// Returns whether it saw a bit unset.
extern BLOOMERY_API RelaxedPointer<BlockAdd> g_block_add_shared;
BLOOMERY_PER_ISA inline bool block_set_shared(std::uint8_t* block, std::uint32_t k, Hash hash) {
  return g_block_add_shared.load()(block, k, hash.bits);
}

BLOOMERY_API void block_add_many_shared(std::uint8_t* bytes, std::uint64_t blocks, std::uint32_t k,
                                        std::span<const Hash> hashes);

}  // namespace BLOOMERY_NAMESPACE::detail
