// How many slots n keys of a fuse filter take: what the table of src/kinds/fuse/sizing.cc comes from, and what it does.
//
// Without numbers it peels random sets at the sizes of the table, at each power of two and between, and prints how
// often the first seed does. With arity, n, the logarithm of the window, slots per key and the size of the gap in
// windows
// (`3 500000 13 1.1275 0.75`) it does that of any size: the table was found by trying windows, gaps and sizes this way.
//
//   g++ -std=c++20 -O2 -Iinclude -Isrc tools/fuse_slots.cc build/release/libbloomery.a -o /tmp/fuse_slots &&
//   /tmp/fuse_slots
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bloomery/detail/fnv.h"
#include "kinds/fuse/peel.h"

namespace {

using namespace bloomery;

std::uint64_t next_key = 1;

template <unsigned kArity>
double share_solved(std::uint64_t n, const detail::FuseRing& ring, int sets) {
  using Probe = detail::FuseProbe<kArity, std::uint8_t>;
  auto peeler = detail::FusePeeler<detail::FuseSmallWords>::make(ring.slots, n);
  std::vector<Hash> keys(n);
  std::vector<std::uint8_t> slots(ring.slots);
  int solved = 0;
  for (int set = 0; set < sets; ++set) {
    for (Hash& key : keys) key = Hash(detail::splitmix64(next_key++));
    std::fill(slots.begin(), slots.end(), std::uint8_t{0});
    solved += peeler->solve<Probe>(keys, ring, 1, slots.data()) ? 1 : 0;
  }
  return static_cast<double>(solved) / sets;
}

void print(std::uint64_t arity, std::uint64_t n, const detail::FuseRing& ring, int sets) {
  const double share = arity == 3 ? share_solved<3>(n, ring, sets) : share_solved<4>(n, ring, sets);
  std::printf("%llu-wise, %8llu keys, window %6llu, %.4f slots per key: first seed does for %6.2f %% of %d sets\n",
              static_cast<unsigned long long>(arity), static_cast<unsigned long long>(n),
              static_cast<unsigned long long>(ring.mask + 1), static_cast<double>(ring.slots) / static_cast<double>(n),
              100 * share, sets);
}

void print_table() {
  for (const std::uint32_t arity : {3u, 4u}) {
    for (std::uint64_t power = 1; power <= std::uint64_t{1} << 20; power *= 2) {
      for (const std::uint64_t quarters : {4u, 5u, 6u, 7u}) {
        const std::uint64_t n = power * quarters / 4;
        if (n * 4 != power * quarters) continue;
        const int sets = static_cast<int>(std::clamp<std::uint64_t>(20'000'000 / n, 100, 10'000));
        print(arity, n, detail::FuseRing(FuseGeometry{arity}.for_part_of(n)), sets);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    print_table();
    return 0;
  }
  const std::uint64_t arity = std::strtoull(argv[1], nullptr, 10), n = std::strtoull(argv[2], nullptr, 10);
  FuseGeometry geometry{static_cast<std::uint32_t>(arity)};
  geometry.window = std::uint64_t{1} << std::strtoull(argv[3], nullptr, 10);
  geometry.slots = static_cast<std::uint64_t>(static_cast<double>(n) * std::strtod(argv[4], nullptr));
  detail::FuseRing ring(geometry);
  ring.begins =
      ring.slots - static_cast<std::uint64_t>(static_cast<double>(geometry.window) * std::strtod(argv[5], nullptr));
  print(arity, n, ring, 200);
}
