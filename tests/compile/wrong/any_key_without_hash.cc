// says: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept
#include <bloomery/any.h>
struct Point {
  int x, y;
};
bloomery::Status put_in(bloomery::AnyFilter& filter) { return filter.add(Point{1, 2}); }
