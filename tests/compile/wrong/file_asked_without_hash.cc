// says: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept
#include <bloomery/file.h>
struct Point {
  int x, y;
};
bool ask(const bloomery::FilterFile& file) { return file.contains(Point{1, 2}); }
