// says: ask ok(); the value is *result
#include <bloomery/any.h>
int take_out(bloomery::AnyFilter& filter) {
  if (filter.remove("a")) return 1;
  return 0;
}
