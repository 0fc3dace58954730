// says: nullptr is no key, and "" is the empty one
#include <bloomery/cuckoo.h>
bool put_in(bloomery::CuckooFilter& filter) { return filter.add(nullptr).ok(); }
