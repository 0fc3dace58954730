// says: bloomery_hash
#include <bloomery/block.h>

#include <vector>
struct Point {
  int x, y;
};
bool make(const std::vector<Point>& keys) { return bloomery::BlockFilter::build(keys, 0.01, 2).ok(); }
