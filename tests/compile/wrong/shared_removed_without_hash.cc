// says: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept
#include <bloomery/live/shared_cuckoo.h>
struct Point {
  int x, y;
};
bool take_out(bloomery::Shared<bloomery::CuckooFilter>& filter) { return filter.remove(Point{1, 2}); }
