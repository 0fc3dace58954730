// says: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept
#include <bloomery/any.h>
struct Point {
  int x, y;
};
bool ask(const bloomery::AnyView& view) { return view.contains(Point{1, 2}); }
