// A program of adds, batches, merges and reloads on a classic filter against the definition with plain `%`.
#include <string_view>
#include <vector>

#include "fuzz/fuzz.h"

namespace {

using namespace bloomery;

constexpr int kMostSteps = 300;

struct Model {
  std::uint64_t m;
  std::uint32_t k;
  std::vector<std::uint8_t> bits = std::vector<std::uint8_t>(m);
  std::uint64_t bits_set = 0;

  std::uint64_t index(Hash h, std::uint32_t i) const { return ((h.bits & 0xffffffff) + i * (h.bits >> 32)) % m; }
  bool contains(Hash h) const {
    for (std::uint32_t i = 0; i < k; ++i)
      if (bits[index(h, i)] == 0) return false;
    return true;
  }
  void add(Hash h) {
    for (std::uint32_t i = 0; i < k; ++i) {
      std::uint8_t& bit = bits[index(h, i)];
      bits_set += bit == 0;
      bit = 1;
    }
  }
};

// Up to 4,096, or with the upper four bits of the second byte set, large: every reload and merge copies all of it.
std::uint64_t bits_of(const std::uint8_t* data) {
  return 1u + data[0] + 256u * (data[1] < 0xf0 ? data[1] % 16u : data[1]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  Model model{bits_of(data), 1u + data[2] % 30u};
  ClassicFilter filter = *ClassicFilter::with_geometry(model.m, model.k);
  std::string_view rest(reinterpret_cast<const char*>(data) + 3, size - 3);
  for (int step = 0; step < kMostSteps && !rest.empty(); ++step) {
    const auto op = static_cast<std::uint8_t>(rest[0]);
    const std::string_view key = rest.substr(1, op >> 3);
    rest.remove_prefix(1 + key.size());
    const Hash hash = filter.hasher()(key);
    if (op % 8 < 4) {
      FUZZ_CHECK(filter.add(key) == !model.contains(hash));
      model.add(hash);
    } else if (op % 8 < 6) {
      const std::vector<std::string_view> keys(3 + op % 67, key);
      std::vector<std::uint8_t> answers(keys.size());
      filter.contains_many(keys, answers);
      const bool there = model.contains(hash);
      for (std::uint8_t answer : answers) FUZZ_CHECK((answer != 0) == there);
    } else if (op % 8 == 6) {
      const std::vector<std::uint8_t> file = *encode(filter.view(), Format::raw);
      filter = *ClassicFilter::copy_of(*decode(file)->view.as<ClassicView>(), {});
    } else {
      ClassicFilter other = *ClassicFilter::with_geometry(model.m, model.k);
      (void)other.add_many(std::vector<std::string_view>{key, rest.substr(0, 2)});
      model.add(hash);
      model.add(filter.hasher()(rest.substr(0, 2)));
      FUZZ_CHECK(filter.merge(other).ok());
    }
    FUZZ_CHECK(filter.contains(key) == model.contains(hash));
  }
  FUZZ_CHECK(filter.bits_set() == model.bits_set);
  return 0;
}
