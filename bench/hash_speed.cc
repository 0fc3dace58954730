// FNV-1a is one dependent multiplication per byte. One by one, a key waits for its own multiplications; hash_many has
// several keys in flight and is held back by the multiplier alone, which is the ceiling printed here.
#include <algorithm>
#include <cstdio>

#include "bench/clock.h"
#include "bench/keys.h"
#include "bench/questions.h"
#include "bench/text.h"
#include "bloomery/hash.h"

namespace bloomery::bench {
namespace {

constexpr double kGain = 1.8;
constexpr std::size_t kKeys = 8'192;
constexpr double kMixMultiplies = 2;  // splitmix64's, after one per byte

struct Lengths {
  const char* name;
  KeyShape shape;
};

volatile std::uint64_t g_sink;

// Nanoseconds of one 64-bit multiplication when eight chains keep the multiplier busy.
double multiply_ns() {
  constexpr std::size_t kRounds = 100'000, kChains = 8;
  std::uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
  const double ns = ns_per_item(kRounds * kChains, [&] {
    for (std::size_t i = 0; i < kRounds; ++i) {
      a = (a ^ i) * detail::kFnvPrime, b = (b ^ i) * detail::kFnvPrime;
      c = (c ^ i) * detail::kFnvPrime, d = (d ^ i) * detail::kFnvPrime;
      e = (e ^ i) * detail::kFnvPrime, f = (f ^ i) * detail::kFnvPrime;
      g = (g ^ i) * detail::kFnvPrime, h = (h ^ i) * detail::kFnvPrime;
    }
  });
  g_sink = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
  return ns;
}

struct Times {
  std::vector<double> one, many, multiply;
};

template <class T>
void window(std::span<const T> keys, Times& times) {
  const Hasher hasher;
  std::vector<Hash> singles(keys.size()), batch(keys.size());
  hasher.hash_many(keys, batch);  // brings the keys into the cache
  times.one.push_back(ns_per_item(keys.size(), [&] {
    for (std::size_t i = 0; i < keys.size(); ++i) singles[i] = hasher(keys[i]);
  }));
  times.many.push_back(ns_per_item(keys.size(), [&] { hasher.hash_many(keys, batch); }));
  times.multiply.push_back(multiply_ns());
  if (singles != batch) std::printf("  WRONG: hash_many differs from one by one\n");
}

double mean_length(const KeySet& keys) {
  return std::visit(
      [](const auto& span) {
        std::size_t bytes = 0;
        for (const auto& key : span) bytes += bytes_of(key).size();
        return static_cast<double>(bytes) / static_cast<double>(span.size());
      },
      keys.all());
}

}  // namespace

void hash_speed(const Options& options, Report& report) {
  const Lengths all[] = {{"8-byte integers", {}},
                         {"8 bytes", KeyShape::strings(8, 8)},
                         {"16 bytes", KeyShape::strings(16, 16)},
                         {"32 bytes", KeyShape::strings(32, 32)},
                         {"64 bytes", KeyShape::strings(64, 64)},
                         {"16 to 32 bytes", KeyShape::strings(16, 32)},
                         {"1 to 64 bytes", KeyShape::strings(1, 64)}};
  std::printf("fnv_splitmix, hash_many against one by one\n");
  Table table({"ns per key", "one by one", "hash_many", "ceiling", "gain", "gain at the ceiling"});
  for (const Lengths& lengths : all) {
    Times times;
    double multiplies = 0;
    for (std::size_t w = 0; w < 5 * options.windows; ++w) {
      const KeySet keys(lengths.shape, kAbsent + w * kKeys, kKeys);
      multiplies = mean_length(keys) + kMixMultiplies;
      std::visit([&](const auto& span) { window(span, times); }, keys.all());
    }
    const double one = median(times.one), many = median(times.many), ceiling = median(times.multiply) * multiplies;
    table.row({lengths.name, ns_text(one), ns_text(many), ns_text(ceiling), ratio_text(one / many),
               ratio_text(one / ceiling)});
    report.figure("hash", kKeys, lengths.name, "one by one", one);
    report.figure("hash", kKeys, lengths.name, "hash_many", many);
    report.figure("hash", kKeys, lengths.name, "ceiling", ceiling);
    if (lengths.shape.shortest == lengths.shape.longest)
      report.bar(
          one / many >= kGain,
          format("hash_many, %s: %.2fx as fast as one by one (bar: at least %.1fx); the multiplier would allow %.2fx",
                 lengths.name, one / many, kGain, one / ceiling));
  }
  table.print();
  std::printf("  ceiling: one 64-bit multiplication per byte and two for the mix, at the multiplier's full rate\n\n");
}

}  // namespace bloomery::bench
