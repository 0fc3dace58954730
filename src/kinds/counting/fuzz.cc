// Counting filters by hostile geometry and arbitrary counters; or a program of adds, removes, batches, merges and
// intersections against the definition, with plain `%` and counters of 64 bits.
#include <set>

#include "fuzz/kind_fuzz.h"

namespace {

using namespace bloomery;

struct Model {
  CountingGeometry geometry;
  std::vector<std::uint64_t> counters = std::vector<std::uint64_t>(geometry.m);

  std::uint64_t most() const { return (std::uint64_t{1} << geometry.counter_bits) - 1; }
  std::set<std::uint64_t> indexes(Hash h) const {
    std::set<std::uint64_t> all;
    for (std::uint64_t i = 0; i < geometry.k; ++i)
      all.insert(((h.bits & 0xffffffff) + i * (h.bits >> 32)) % geometry.m);
    return all;
  }
  std::uint64_t count(Hash h) const {
    std::uint64_t lowest = most();
    for (std::uint64_t i : indexes(h)) lowest = std::min(lowest, counters[i]);
    return lowest;
  }
  void step(Hash h, std::uint64_t by) {
    for (std::uint64_t i : indexes(h)) counters[i] += counters[i] == most() ? 0 : by;
  }
  bool add(Hash h) {
    const bool fresh = count(h) == 0;
    step(h, 1);
    return fresh;
  }
  bool remove(Hash h) {
    if (count(h) == 0) return false;
    step(h, ~std::uint64_t{0});
    return true;
  }
};

void combine(CountingFilter& filter, Model& model, Hash hash, std::uint64_t what) {
  CountingFilter other = *CountingFilter::with_geometry(model.geometry);
  Model theirs{model.geometry};
  for (std::uint64_t i = 0; i <= what % 40; ++i)
    other.add(Hash(hash.bits + i / 4)), theirs.add(Hash(hash.bits + i / 4));
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
  const std::vector<Hash> many(times, hash);
  std::vector<std::uint8_t> answers(times);
  if (what % 8 < 2) {
    FUZZ_CHECK(filter.add(hash) == model.add(hash));
  } else if (what % 8 < 4) {
    FUZZ_CHECK(filter.remove(hash) == model.remove(hash));
  } else if (what % 8 == 4) {
    (void)filter.add_many(many);
    for (Hash each : many) model.add(each);
  } else if (what % 8 == 5) {
    filter.remove_many(many, answers);
    for (std::uint8_t answer : answers) FUZZ_CHECK((answer != 0) == model.remove(hash));
  } else if (what % 8 == 6) {
    filter.contains_many(many, answers);
    for (std::uint8_t answer : answers) FUZZ_CHECK((answer != 0) == (model.count(hash) != 0));
  } else {
    combine(filter, model, hash, what);
  }
  FUZZ_CHECK(filter.count(hash) == model.count(hash));
  FUZZ_CHECK(filter.contains(hash) == (model.count(hash) != 0));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4 || data[0] % 4 != 3) return fuzz::one_kind<CountingLayout>(data, size);
  Model model{{1u + data[1], 1u + data[2] % 30u, data[3] % 2 == 0 ? 4u : 32u}};
  CountingFilter filter = *CountingFilter::with_geometry(model.geometry);
  fuzz::Input input({data + 4, size - 4});
  while (!input.empty()) change(filter, model, input);
  FUZZ_CHECK(filter.bits_set() +
                 static_cast<std::uint64_t>(std::count(model.counters.begin(), model.counters.end(), 0)) ==
             model.geometry.m);
  FUZZ_CHECK(to_classic(filter)->bits_set() == filter.bits_set());
  return 0;
}
