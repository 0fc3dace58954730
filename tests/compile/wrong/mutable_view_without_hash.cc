// says: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept
#include <bloomery/block.h>
struct Point {
  int x, y;
};
bool put_in(bloomery::BlockMutableView& page) { return page.add(Point{1, 2}); }
