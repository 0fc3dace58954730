// Estimates from its bits how many items a link of a chain has taken. A dump that goes on while items are added has the
// count of its beginning and the bits of later, more of them in the parts that were read last. By that count the link
// would take far more items than its rate allows.
#pragma once

#include <cstdint>

#include "bloomery/any.h"
#include "bloomery/block.h"

namespace bloomery::server {

// Returns `items`, or what the bits of the fullest part of the link say of all of it, when that is more and no chance:
// at most `capacity`, and never less than `items`.
std::uint64_t link_items(const BlockView& link, std::uint64_t items, std::uint64_t capacity);

// Counts the newest link of a scalable filter again, of a dump or a file: it may have gained bits while it was read.
void count_again(AnyFilter& filter);

}  // namespace bloomery::server
