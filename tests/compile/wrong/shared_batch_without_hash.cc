// says: no hash of its elements: write bloomery_hash
#include <bloomery/live/shared.h>

#include <vector>
struct Point {
  int x, y;
};
bloomery::Status put_in(bloomery::Shared<bloomery::SplitFilter>& filter, const std::vector<Point>& keys) {
  return filter.add_many(keys);
}
