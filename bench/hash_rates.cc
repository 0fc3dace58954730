// How many bytes a second does each hash take in? Long keys show the rate of its inner loop, short ones its start and
// end. Each key is hashed on its own, and is in the nearest cache.
#include <cstdio>
#include <string>
#include <vector>

#include "bench/clock.h"
#include "bench/questions.h"
#include "bench/text.h"
#include "bloomery/hash.h"

namespace bloomery::bench {
namespace {

struct Named {
  const char* name;
  Hasher hasher;
};

double gb_per_second(const Hasher& hasher, const std::string& key, std::size_t windows) {
  const std::size_t times = 1 + (1 << 20) / key.size();
  std::vector<double> ns;
  for (std::size_t w = 0; w < windows; ++w)
    ns.push_back(ns_per_item(times, [&] {
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < times; ++i) {
        asm volatile("" ::: "memory");  // the key may have changed
        sum += hasher(std::string_view(key)).bits;
      }
      keep(sum);
    }));
  return static_cast<double>(key.size()) / median(ns);
}

}  // namespace

void hash_rates(const Options& options, Report& report) {
  const Secret secret({1, 2, 3});
  const Named all[] = {{"fnv_splitmix", Hasher()},
                       {"xxh3", Hasher::xxh3()},
                       {"xxh64", Hasher::xxh64()},
                       {"siphash13", Hasher::siphash13(secret)},
                       {"siphash24", Hasher::siphash24(secret)}};
  Table table({"GB/s, one key at a time", "8 bytes", "64 bytes", "1 KiB", "64 KiB"});
  for (const Named& named : all) {
    std::vector<std::string> row = {named.name};
    for (const std::size_t length : {8u, 64u, 1024u, 65536u}) {
      const double rate = gb_per_second(named.hasher, std::string(length, 'k'), options.windows);
      row.push_back(format("%.2f", rate));
      report.figure("hash", length, "rate", named.name, rate, "GB/s");
    }
    table.row(row);
  }
  table.print();
  std::printf("\n");
}

}  // namespace bloomery::bench
