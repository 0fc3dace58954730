// says: no hash of its elements: write bloomery_hash
#include <bloomery/live/watched.h>

#include <vector>
struct Point {
  int x, y;
};
bloomery::Status put_in(bloomery::Watched<bloomery::PerNode<bloomery::BlockFilter>>& filter,
                        const std::vector<Point>& keys) {
  return filter.add_many(keys);
}
