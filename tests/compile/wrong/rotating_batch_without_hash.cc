// says: no hash of its elements: write bloomery_hash
#include <bloomery/live/rotating.h>

#include <vector>
struct Point {
  int x, y;
};
void ask(const bloomery::RotatingFilter<bloomery::BlockFilter>& filter, const std::vector<Point>& keys,
         std::span<std::uint8_t> answers) {
  filter.contains_many(keys, answers);
}
