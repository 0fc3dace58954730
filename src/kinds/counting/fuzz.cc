// Counting filters by hostile geometry and arbitrary counters; or a program of adds, removes, batches, merges and
// intersections against the definition, with plain `%` and counters of 64 bits.
#include "fuzz/kind_fuzz.h"

namespace {

using namespace bloomery;

constexpr std::uint32_t kMostCells = 30;
constexpr int kMostSteps = 200;

// The counters of one key, each once.
class Cells {
 public:
  Cells(const CountingGeometry& geometry, Hash h) {
    for (std::uint64_t i = 0; i < geometry.k; ++i) {
      const std::uint64_t cell = ((h.bits & 0xffffffff) + i * (h.bits >> 32)) % geometry.m;
      if (std::find(begin(), end(), cell) == end()) cells_[size_++] = cell;
    }
  }
  const std::uint64_t* begin() const { return cells_.data(); }
  const std::uint64_t* end() const { return cells_.data() + size_; }

 private:
  std::array<std::uint64_t, kMostCells> cells_;
  std::size_t size_ = 0;
};

struct Model {
  CountingGeometry geometry;
  std::vector<std::uint64_t> counters = std::vector<std::uint64_t>(geometry.m);

  std::uint64_t most() const { return (std::uint64_t{1} << geometry.counter_bits) - 1; }
  std::uint64_t count(const Cells& key) const {
    std::uint64_t lowest = most();
    for (std::uint64_t i : key) lowest = std::min(lowest, counters[i]);
    return lowest;
  }
  void step(const Cells& key, std::uint64_t by) {
    for (std::uint64_t i : key) counters[i] += counters[i] == most() ? 0 : by;
  }
  bool add(const Cells& key) {
    const bool fresh = count(key) == 0;
    step(key, 1);
    return fresh;
  }
  bool remove(const Cells& key) {
    if (count(key) == 0) return false;
    step(key, ~std::uint64_t{0});
    return true;
  }
};

void combine(CountingFilter& filter, Model& model, Hash hash, std::uint64_t what) {
  CountingFilter other = *CountingFilter::with_geometry(model.geometry);
  Model theirs{model.geometry};
  for (std::uint64_t i = 0; i <= what % 40; ++i) {
    const Hash each(hash.bits + i / 4);
    other.add(each);
    theirs.add(Cells(model.geometry, each));
  }
  FUZZ_CHECK((what < 128 ? filter.merge(other) : filter.intersect(other)).ok());
  for (std::uint64_t i = 0; i < model.geometry.m; ++i) {
    const std::uint64_t mine = model.counters[i], their = theirs.counters[i];
    model.counters[i] = what < 128 ? std::min(mine + their, model.most()) : std::min(mine, their);
  }
}

void change(CountingFilter& filter, Model& model, fuzz::Input& input) {
  const std::uint64_t what = input.take(1), times = input.take(1) % 20;
  const std::uint64_t low = input.take(1), high = input.take(1);
  const Hash hash(low | high << 32);
  const Cells key(model.geometry, hash);
  const std::vector<Hash> many(times, hash);
  std::vector<std::uint8_t> answers(times);
  if (what % 8 < 2) {
    FUZZ_CHECK(filter.add(hash) == model.add(key));
  } else if (what % 8 < 4) {
    FUZZ_CHECK(filter.remove(hash) == model.remove(key));
  } else if (what % 8 == 4) {
    (void)filter.add_many(many);
    for (std::uint64_t i = 0; i < times; ++i) model.add(key);
  } else if (what % 8 == 5) {
    filter.remove_many(many, answers);
    for (std::uint8_t answer : answers) FUZZ_CHECK((answer != 0) == model.remove(key));
  } else if (what % 8 == 6) {
    filter.contains_many(many, answers);
    const bool there = model.count(key) != 0;
    for (std::uint8_t answer : answers) FUZZ_CHECK((answer != 0) == there);
  } else {
    combine(filter, model, hash, what);
  }
  FUZZ_CHECK(filter.count(hash) == model.count(key));
  FUZZ_CHECK(filter.contains(hash) == (model.count(key) != 0));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4 || data[0] % 4 != 3) return fuzz::one_kind<CountingLayout>(data, size);
  Model model{{1u + data[1], 1u + data[2] % kMostCells, data[3] % 2 == 0 ? 4u : 32u}};
  CountingFilter filter = *CountingFilter::with_geometry(model.geometry);
  fuzz::Input input({data + 4, size - 4});
  for (int step = 0; step < kMostSteps && !input.empty(); ++step) change(filter, model, input);
  FUZZ_CHECK(filter.bits_set() +
                 static_cast<std::uint64_t>(std::count(model.counters.begin(), model.counters.end(), 0)) ==
             model.geometry.m);
  FUZZ_CHECK(to_classic(filter)->bits_set() == filter.bits_set());
  return 0;
}
