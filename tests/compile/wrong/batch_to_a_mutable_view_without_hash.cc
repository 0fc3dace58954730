// says: bloomery_hash
#include <bloomery/block.h>

#include <vector>
struct Point {
  int x, y;
};
bool put_in(bloomery::BlockMutableView& page, const std::vector<Point>& keys) { return page.add_many(keys).ok(); }
