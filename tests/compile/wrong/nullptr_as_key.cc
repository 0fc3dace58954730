// says: nullptr is no key, and "" is the empty one
#include <bloomery/block.h>
bool ask(const bloomery::BlockFilter& filter) { return filter.contains(nullptr); }
