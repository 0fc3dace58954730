// says: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept
#include <bloomery/any.h>
struct Point {
  int x, y;
};
bool take_out(bloomery::AnyFilter& filter) { return filter.remove(Point{1, 2}).ok(); }
