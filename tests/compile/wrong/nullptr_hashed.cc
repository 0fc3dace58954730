// says: nullptr is no key, and "" is the empty one
#include <bloomery/hash.h>
bloomery::Hash hash(const bloomery::Hasher& hasher) { return hasher(nullptr); }
