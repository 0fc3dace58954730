// says: bloomery_hash
#include <bloomery/any.h>

#include <vector>
struct Point {
  int x, y;
};
bool make(const std::vector<Point>& keys) { return bloomery::AnyFilter::build(bloomery::Kind::fuse, keys).ok(); }
