// says: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept
#include <bloomery/live/per_node.h>
struct Point {
  int x, y;
};
bool ask(const bloomery::PerNode<bloomery::BlockFilter>& filter) { return filter.contains(Point{1, 2}); }
