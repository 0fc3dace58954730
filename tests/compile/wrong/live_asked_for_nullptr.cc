// says: nullptr is no key, and "" is the empty one
#include <bloomery/live/live.h>
bool ask(const bloomery::LiveFilter<bloomery::BlockFilter>& filter) { return filter.contains(nullptr); }
