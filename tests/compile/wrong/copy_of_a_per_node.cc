// says: copy() makes a plain filter
#include <bloomery/block.h>
#include <bloomery/live/per_node.h>
using Filter = bloomery::PerNode<bloomery::BlockFilter>;
Filter twice(const Filter& filter) { return filter; }
