// says: seen_recently(key)
#include <bloomery/stable.h>
bool ask(const bloomery::StableFilter& filter) { return filter.contains("a"); }
