// says: copy() makes a plain filter
#include <bloomery/live/shared_cuckoo.h>
using Filter = bloomery::Shared<bloomery::CuckooFilter>;
Filter twice(const Filter& filter) { return filter; }
