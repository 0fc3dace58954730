// The sizing of cuckoo filters: enough buckets that every key finds a slot, and enough of them for the rate. The number
// of buckets that n keys need is whole arithmetic; spec/cuckoo.md derives the rate.
#include <algorithm>
#include <cmath>
#include <string>

#include "bloomery/geometry/cuckoo.h"
#include "core/base/error.h"
#include "kinds/common/instead.h"
#include "kinds/common/target.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using sizing::as_double;
using sizing::short_number;

// An absent key is taken for a present one when a key with its fingerprint has its pair of buckets: each of n others
// has with the chance 2 / buckets / (2^bits - 1).
double cuckoo_fpr(double n, double buckets, std::uint32_t bits) {
  return -std::expm1(n * std::log1p(-2 / (buckets * (std::ldexp(1, static_cast<int>(bits)) - 1))));
}

Error too_many_buckets() {
  return invalid_argument("n", "a filter of the kind 'cuckoo' has at most 2^48 buckets: ask for fewer keys");
}

// Before anything is multiplied by n.
Status check_n(std::uint64_t n) {
  if (n > CuckooGeometry::kMaxBuckets * CuckooGeometry::kSlots) return too_many_buckets();
  return {};
}

Status check_target(std::uint64_t n, double fpr) {
  BLOOMERY_TRY(sizing::check_target(n, fpr));
  if (fpr >= CuckooGeometry::kLowestFpr) return check_n(n);
  std::string message = "the kind 'cuckoo' does not go below a false-positive rate of " +
                        short_number(CuckooGeometry::kLowestFpr) + ": " +
                        sizing::use_first_that_can(n, fpr, {sizing::kBlock, sizing::kClassic, sizing::kPartitioned});
  if (sizing::kQuotient.can(n, fpr)) message += ", or 'quotient' to remove keys";
  return invalid_argument("fpr", std::move(message));
}

// The smallest even number of buckets, at least `low`, at which n keys meet fpr; beyond the limit when there is none.
std::uint64_t buckets_for_fpr(std::uint64_t n, double fpr, std::uint32_t bits, std::uint64_t low) {
  return 2 * sizing::smallest(low / 2, CuckooGeometry::kMaxBuckets / 2 + 1, [&](std::uint64_t pairs) {
           return cuckoo_fpr(as_double(n), as_double(2 * pairs), bits) <= fpr;
         });
}

}  // namespace

// Up to eight keys fit in two buckets, because every key has both. Above, tools/cuckoo_load.cc has the chance that keys
// do not fit: below 10^-9. In small tables it is the chance that nine keys share a pair of buckets that asks for the
// slots beyond n * 1.05; in large ones the search finds room up to a load of 97 %.
std::uint64_t CuckooGeometry::buckets_for(std::uint64_t n) {
  if (n <= 2 * kSlots) return 2;
  const std::uint64_t slots = n + n / 20 + std::min<std::uint64_t>(72, n + 24);
  return 2 * (slots / (2 * kSlots) + 1);
}

Result<CuckooGeometry> CuckooGeometry::from_values(const std::array<std::uint64_t, 2>& values) {
  return guarded([&]() -> Result<CuckooGeometry> {
    const auto [buckets, bits] = values;
    if (buckets < 2 || buckets % 2 != 0 || buckets > kMaxBuckets)
      return invalid_argument("buckets",
                              "a filter of the kind 'cuckoo' has an even number of buckets from 2 to 2^48, "
                              "not " +
                                  std::to_string(buckets));
    if (bits != 8 && bits != 12 && bits != 16)
      return invalid_argument("fingerprint_bits",
                              "the fingerprints of a cuckoo filter have 8, 12 or 16 bits, not " + std::to_string(bits));
    return CuckooGeometry{buckets, static_cast<std::uint32_t>(bits)};
  });
}

Result<CuckooGeometry> CuckooGeometry::for_capacity(std::uint64_t n, double fpr) {
  return guarded([&]() -> Result<CuckooGeometry> {
    BLOOMERY_TRY(check_target(n, fpr));
    std::optional<CuckooGeometry> best;
    for (const std::uint32_t bits : kFingerprintBits) {
      const CuckooGeometry geometry{buckets_for_fpr(n, fpr, bits, buckets_for(n)), bits};
      if (geometry.buckets > kMaxBuckets) continue;
      if (!best || geometry.payload_bytes() < best->payload_bytes()) best = geometry;
    }
    if (!best) return too_many_buckets();
    return *best;
  });
}

Result<CuckooGeometry> CuckooGeometry::for_bits_per_key(std::uint64_t n, double bits_per_key) {
  return guarded([&]() -> Result<CuckooGeometry> {
    BLOOMERY_TRY(sizing::check_bits_per_key(n, bits_per_key));
    BLOOMERY_TRY(check_n(n));
    // NOLINTNEXTLINE(modernize-loop-convert): a range would need a reversing view
    for (auto bits = kFingerprintBits.rbegin(); bits != kFingerprintBits.rend(); ++bits) {
      const double buckets = 2 * std::ceil(as_double(n) * bits_per_key / as_double(2 * kSlots * *bits));
      if (buckets < as_double(buckets_for(n))) continue;
      if (buckets > as_double(kMaxBuckets)) return too_many_buckets();
      return CuckooGeometry{static_cast<std::uint64_t>(buckets), *bits};
    }
    const double least = 8 * as_double(CuckooGeometry{buckets_for(n), 8}.payload_bytes());
    return invalid_argument("bits_per_key", "a cuckoo filter for " + std::to_string(n) + " keys takes at least " +
                                                sizing::least_bits_per_key(n, least) + " bits per key" +
                                                sizing::give_more_or_use(n, bits_per_key, {sizing::kBlock}));
  });
}

double CuckooGeometry::expected_fill(std::uint64_t n) const { return std::min(1.0, as_double(n) / as_double(cells())); }

double CuckooGeometry::predicted_fpr_after(std::uint64_t n) const { return predicted_fpr_at(std::min(n, cells())); }

double CuckooGeometry::predicted_fpr_at(std::uint64_t slots_taken) const {
  return cuckoo_fpr(as_double(slots_taken), as_double(buckets), fingerprint_bits);
}

}  // namespace BLOOMERY_NAMESPACE
