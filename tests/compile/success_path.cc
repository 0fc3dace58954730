// What a success costs: run.py looks at the machine code of these functions.
#include <bloomery/block.h>
#include <bloomery/cuckoo.h>

extern "C" bool add_to_cuckoo(bloomery::CuckooFilter& filter, bloomery::Hash hash) { return filter.add(hash).ok(); }
extern "C" bool ask_block(const bloomery::BlockFilter& filter, bloomery::Hash hash) { return filter.contains(hash); }
