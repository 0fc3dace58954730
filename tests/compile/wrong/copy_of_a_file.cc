// says: copy()
#include <bloomery/file.h>
bloomery::FilterFile twice(const bloomery::FilterFile& file) { return file; }
