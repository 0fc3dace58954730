// says: clone()
#include <bloomery/iblt.h>
bloomery::Iblt twice(const bloomery::Iblt& table) { return table; }
