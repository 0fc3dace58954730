// says: built of all its keys at once
#include <bloomery/fuse.h>
void put_in(bloomery::FuseFilter& filter) { filter.add("a"); }
