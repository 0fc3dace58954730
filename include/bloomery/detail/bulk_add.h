// Adds very many keys to a split or block filter: it sorts them first by the part of the filter that they fall into, so
// that each part is worked on while it is in the cache, and by several threads, each with parts of its own.
#pragma once

#include <cstdint>

#include "bloomery/export.h"
#include "bloomery/keys.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE::detail {

// Adds all keys; the bits are the same for any number of threads. The only error is out_of_memory, and then nothing was
// added. The hash function runs on several threads at once and must not throw. Few keys are added one after the other.
// More keys take memory beside the filter: as much as the filter or 16 MiB, whichever is more, and little more
// than 10 bytes a key, of which the heap keeps up to 32 MiB. On two to four threads a filter below 8 MiB takes a copy
// for each thread but the first instead.
BLOOMERY_API Status split_bulk_add(std::uint8_t* bytes, std::uint64_t blocks, const KeyRun& keys, unsigned threads);
BLOOMERY_API Status block_bulk_add(std::uint8_t* bytes, std::uint64_t blocks, std::uint32_t k, const KeyRun& keys,
                                   unsigned threads);

// Returns whether so many keys are worth sorting for a filter of that size even on one thread.
bool worth_sorting(std::uint64_t filter_bytes, std::uint64_t keys);

}  // namespace BLOOMERY_NAMESPACE::detail
