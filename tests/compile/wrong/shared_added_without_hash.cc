// says: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept
#include <bloomery/live/shared.h>
struct Point {
  int x, y;
};
bool put_in(bloomery::Shared<bloomery::BlockFilter>& filter) { return filter.add(Point{1, 2}); }
