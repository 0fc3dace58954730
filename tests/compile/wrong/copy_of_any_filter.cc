// says: clone()
#include <bloomery/any.h>
bloomery::AnyFilter twice(const bloomery::AnyFilter& filter) { return filter; }
