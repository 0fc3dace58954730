// What tests/replica/order.py looks at: one add of a replica, compiled for arm64. Of split, whose bits are set inline;
// those of block are set by a call.
#include "bloomery/bloomery.h"
#include "bloomery/replica/replica.h"

using Replica = bloomery::replica::ReplicaOf<bloomery::SplitFilter>;

extern "C" void logged_add(Replica& filter, std::uint64_t hash) { filter.add_logged(bloomery::Hash(hash)); }
