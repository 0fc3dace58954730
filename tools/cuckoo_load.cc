// How full a cuckoo filter gets: the tables behind CuckooGeometry::buckets_for (src/kinds/cuckoo/sizing.cc).
//
// First, for each n, a bound of the chance that n keys do not fit into the buckets that they are given, because too
// many of them share too few buckets. A set of a even and c odd buckets has 4 (a + c) slots, and a key has both its
// buckets in it with the chance 4ac / B^2. The bound sums over all sets; above n = 1500 it counts sets that cannot
// matter. Then the load at which tables of random keys refuse the first one, by the library's own search.
//
//   g++ -std=c++20 -O2 -Iinclude -Isrc tools/cuckoo_load.cc build/release/libbloomery.a -o /tmp/cuckoo_load &&
//   /tmp/cuckoo_load
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "bloomery/detail/fnv.h"
#include "bloomery/geometry/cuckoo.h"
#include "kinds/cuckoo/place.h"

namespace {

using namespace bloomery;

double log_choose(double n, double k) { return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1); }

// The logarithm of the chance of at least `least` of n, with the chance p each.
double log_tail(double n, double p, double least) {
  double sum = 1, term = 1;
  for (double k = least; k < n && (term > 1e-12 * sum || k < n * p); ++k)
    sum += term *= (n - k) / (k + 1) * p / (1 - p);
  return log_choose(n, least) + least * std::log(p) + (n - least) * std::log1p(-p) + std::log(sum);
}

double chance_not_to_fit(double n, double buckets) {
  const double half = buckets / 2;
  double chance = 0;
  for (double a = 1; a <= half; ++a) {
    for (double c = 1; c <= half; ++c) {
      const double slots = 4 * (a + c), p = 4 * a * c / (buckets * buckets);
      if (slots < n && p < 1) chance += std::exp(log_choose(half, a) + log_choose(half, c) + log_tail(n, p, slots + 1));
    }
  }
  return chance;
}

void print_chances() {
  std::puts("keys  buckets  load   chance not to fit (bound)");
  double worst = 0;
  for (std::uint64_t n = 9; n <= 750; n = n < 200 ? n + 1 : n + 53) {
    const std::uint64_t buckets = CuckooGeometry::buckets_for(n);
    const double chance = chance_not_to_fit(static_cast<double>(n), static_cast<double>(buckets));
    worst = std::max(worst, chance);
    if (n % 10 == 9 || n > 200)
      std::printf("%4lu  %7lu  %.3f  %.1e\n", n, buckets, static_cast<double>(n) / (4 * static_cast<double>(buckets)),
                  chance);
  }
  std::printf("the worst of them: %.1e\n\n", worst);
}

// The number of keys that a table took before it refused one.
template <class Bucket>
std::uint64_t keys_until_refused(std::uint64_t buckets, std::uint64_t& next) {
  std::vector<std::uint8_t> bytes(buckets * Bucket::kBytes + 8);
  for (std::uint64_t n = 0;; ++n)
    if (!detail::cuckoo_place<Bucket>(bytes.data(), buckets,
                                      detail::cuckoo_places<Bucket>(buckets, Hash(detail::splitmix64(next++)))))
      return n;
}

void print_loads(std::uint32_t bits) {
  constexpr std::uint64_t kKeys = 10'000'000;  // of all tables of a size
  std::printf("bits  buckets   tables  first refusal at a load of: lowest, 1 %%, median\n");
  std::uint64_t next = 1;
  for (std::uint64_t buckets = 8; buckets <= 1 << 22; buckets *= 2) {
    std::vector<double> loads(std::max<std::uint64_t>(3, kKeys / (4 * buckets)));
    for (double& load : loads)
      load = static_cast<double>(detail::with_cuckoo_bucket(
                 bits, [&]<class Bucket>(Bucket) { return keys_until_refused<Bucket>(buckets, next); })) /
             static_cast<double>(4 * buckets);
    std::sort(loads.begin(), loads.end());
    std::printf("%4u  %7lu  %7zu  %.4f  %.4f  %.4f\n", bits, buckets, loads.size(), loads[0], loads[loads.size() / 100],
                loads[loads.size() / 2]);
  }
}

}  // namespace

int main() {
  print_chances();
  for (const std::uint32_t bits : CuckooGeometry::kFingerprintBits) print_loads(bits);
}
