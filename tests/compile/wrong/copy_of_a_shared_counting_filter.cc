// says: copy() makes a plain filter
#include <bloomery/live/shared_counting.h>
using Filter = bloomery::Shared<bloomery::CountingFilter>;
Filter twice(const Filter& filter) { return filter; }
