// says: clone()
#include <bloomery/block.h>
bloomery::BlockFilter twice(const bloomery::BlockFilter& filter) { return filter; }
