// How many cells list d differences: the table behind IbltGeometry::cells_for (src/kinds/iblt/sizing.cc).
//
// For d from 1 to 25,000 it looks for the fewest cells with which d random items are all listed,
// but for one try in 1,000: the number that is printed failed less often than that by two standard deviations. Items
// stand for their places alone, because a checksum of 64 bits takes no wrong cell for a pure one in a run as short as
// this. Three hashes take 6 % fewer cells for very many differences, and twice as many for 1,000, because two items
// share all three cells too often: --hashes 3 shows it.
//
//   g++ -std=c++20 -O2 tools/iblt_cells.cc -o /tmp/iblt_cells && /tmp/iblt_cells      (a quarter of an hour)
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

struct Random {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t x = state += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
};

// A table of `hashes` parts of `part` cells, used for one try after the other.
class Tries {
 public:
  Tries(std::uint32_t hashes, std::uint32_t part, std::uint32_t d)
      : hashes_(hashes), part_(part), count_(hashes * part), items_(hashes * part), places_(hashes * d) {}

  // Whether all of d random items come out.
  bool lists(std::uint32_t d, Random& random) {
    std::fill(count_.begin(), count_.end(), 0);
    std::fill(items_.begin(), items_.end(), 0);
    for (std::uint32_t item = 0; item < d; ++item) {
      for (std::uint32_t i = 0; i < hashes_; ++i) {
        const auto cell = i * part_ + static_cast<std::uint32_t>((random.next() >> 32) * part_ >> 32);
        places_[hashes_ * item + i] = cell;
        ++count_[cell];
        items_[cell] ^= item;
      }
    }
    return peel() == d;
  }

 private:
  std::uint32_t peel() {
    std::uint32_t listed = 0;
    pure_.clear();
    for (std::uint32_t cell = 0; cell < count_.size(); ++cell)
      if (count_[cell] == 1) pure_.push_back(cell);
    while (!pure_.empty()) {
      const std::uint32_t cell = pure_.back();
      pure_.pop_back();
      if (count_[cell] != 1) continue;
      const std::uint32_t item = items_[cell];
      ++listed;
      for (std::uint32_t i = 0; i < hashes_; ++i) {
        const std::uint32_t other = places_[hashes_ * item + i];
        items_[other] ^= item;
        if (--count_[other] == 1) pure_.push_back(other);
      }
    }
    return listed;
  }

  std::uint32_t hashes_, part_;
  std::vector<std::uint32_t> count_, items_, places_, pure_;
};

constexpr double kMayFail = 0.001;

// Two standard deviations below one in a thousand; gives up as soon as that is out of reach.
bool enough(std::uint32_t hashes, std::uint32_t part, std::uint32_t d) {
  const auto tries = std::clamp<std::uint32_t>(40'000'000 / d, 8'000, 200'000);
  const double expected = kMayFail * tries;
  const auto allowed = static_cast<std::uint32_t>(expected - std::min(expected, 2 * std::sqrt(expected)));
  Random random{hashes * 1'000'003ull + part * 7919ull + d};
  Tries table(hashes, part, d);
  std::uint32_t failed = 0;
  for (std::uint32_t i = 0; i < tries && failed <= allowed; ++i) failed += table.lists(d, random) ? 0 : 1;
  return failed <= allowed;
}

// cells: a number that is surely not too many.
std::uint32_t fewest(std::uint32_t hashes, std::uint32_t d, std::uint32_t cells) {
  std::uint32_t low = cells / hashes, high = low;
  while (!enough(hashes, high, d)) low = high + 1, high += high / 8 + 1;
  while (high - low > high / 400) {  // to a quarter of a percent
    const std::uint32_t middle = low + (high - low) / 2;
    if (enough(hashes, middle, d)) high = middle;
    else low = middle + 1;
  }
  return hashes * high;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint32_t hashes =
      argc == 3 && std::strcmp(argv[1], "--hashes") == 0 ? std::strtoul(argv[2], nullptr, 10) : 4;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::puts("     d   cells  per item");
  std::uint32_t cells = hashes;
  for (const std::uint32_t d : {1,    2,    3,    4,    5,    6,    8,    10,   13,   16,    20,    25,   32,  40,
                                50,   64,   80,   100,  130,  160,  200,  250,  320,  400,   500,   640,  800, 1000,
                                1300, 1600, 2000, 2500, 3200, 4000, 5000, 6400, 8000, 10000, 16000, 25000}) {
    cells = fewest(hashes, d, std::max(cells, hashes == 4 ? 5 * d / 4 : d));
    std::printf("%6u  %6u  %8.4f\n", d, cells, cells / double(d));
  }
}
