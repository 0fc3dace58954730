// says: this kind is built of all its keys at once: build(keys, fpr)
#include <bloomery/fuse.h>
bool make() { return bloomery::FuseFilter::with_capacity(1'000, 0.01).ok(); }
