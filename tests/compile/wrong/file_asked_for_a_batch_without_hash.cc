// says: no hash of its elements: write bloomery_hash
#include <bloomery/file.h>

#include <vector>
struct Point {
  int x, y;
};
void ask(const bloomery::FilterFile& file, const std::vector<Point>& keys, std::span<std::uint8_t> answers) {
  file.contains_many(keys, answers);
}
