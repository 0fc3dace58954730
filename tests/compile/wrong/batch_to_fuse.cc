// says: this kind is built of all its keys at once: build(keys, fpr)
#include <bloomery/fuse.h>

#include <vector>
bool put_in(bloomery::FuseFilter& filter, const std::vector<int>& keys) { return filter.add_many(keys).ok(); }
