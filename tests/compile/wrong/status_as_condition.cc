// says: ask ok()
#include <bloomery/cuckoo.h>
int put_in(bloomery::CuckooFilter& filter) {
  if (filter.add("a")) return 1;
  return 0;
}
