// says: bloomery_hash
#include <bloomery/block.h>

#include <vector>
struct Point {
  int x, y;
};
std::size_t ask(const bloomery::BlockFilter& filter, const std::vector<Point>& keys, std::span<std::uint32_t> out) {
  return filter.select_present(keys, out);
}
