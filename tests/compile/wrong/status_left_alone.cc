// says: nodiscard
#include <bloomery/cuckoo.h>
void put_in(bloomery::CuckooFilter& filter) { filter.add("a"); }
