// says: bloomery_hash
#include <bloomery/file.h>

#include <vector>
struct Point {
  int x, y;
};
void ask(const bloomery::FilterFile& file, const std::vector<Point>& keys, std::span<std::uint64_t> words) {
  file.contains_bitmap(keys, words);
}
