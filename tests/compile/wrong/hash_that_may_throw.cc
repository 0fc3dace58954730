// says: noexcept
#include <bloomery/block.h>
struct Point {
  int x, y;
};
bloomery::Hash bloomery_hash(const bloomery::Hasher& hasher, const Point& p) { return hasher(std::uint64_t(p.x)); }
bool ask(const bloomery::BlockFilter& filter) { return filter.contains(Point{1, 2}); }
