// says: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept
#include <bloomery/any_mutable_view.h>
struct Point {
  int x, y;
};
bool put_in(bloomery::AnyMutableView& page) { return page.add(Point{1, 2}).ok(); }
