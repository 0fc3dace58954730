// says: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept
#include <bloomery/live/watched.h>
struct Point {
  int x, y;
};
void put_in(bloomery::Watched<bloomery::PerNode<bloomery::BlockFilter>>& filter) { filter.add(Point{1, 2}); }
