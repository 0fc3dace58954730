// says: copy() makes a plain filter
#include <bloomery/block.h>
#include <bloomery/live/shared.h>
using Filter = bloomery::Shared<bloomery::BlockFilter>;
Filter twice(const Filter& filter) { return filter; }
