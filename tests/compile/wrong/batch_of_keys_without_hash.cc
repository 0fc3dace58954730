// says: bloomery_hash
#include <bloomery/block.h>

#include <vector>
struct Point {
  int x, y;
};
void ask(const bloomery::BlockFilter& filter, const std::vector<Point>& keys, std::span<std::uint8_t> answers) {
  filter.contains_many(keys, answers);
}
