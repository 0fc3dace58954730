// says: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept
#include <bloomery/live/shared_counting.h>
struct Point {
  int x, y;
};
std::uint64_t count(const bloomery::Shared<bloomery::CountingFilter>& filter) { return filter.count(Point{1, 2}); }
