// says: no hash of its elements: write bloomery_hash
#include <bloomery/live/live.h>

#include <vector>
struct Point {
  int x, y;
};
bloomery::Status put_in(bloomery::LiveFilter<bloomery::BlockFilter>& filter, const std::vector<Point>& keys) {
  return filter.add_many(keys);
}
