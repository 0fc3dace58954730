// says: nullptr is no key, and "" is the empty one
#include <bloomery/any.h>
bool put_in(bloomery::AnyFilter& filter) { return filter.add(nullptr).ok(); }
