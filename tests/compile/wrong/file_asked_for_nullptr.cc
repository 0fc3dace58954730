// says: nullptr is no key, and "" is the empty one
#include <bloomery/file.h>
bool ask(const bloomery::FilterFile& file) { return file.contains(nullptr); }
