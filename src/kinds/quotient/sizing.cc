// The sizing of quotient filters. A fingerprint is p bits of the hash, so an absent key looks like one of n present
// ones with the chance 1 - (1 - 2^-p)^n, and that is all (spec/quotient.md).
#include <algorithm>
#include <cmath>
#include <string>

#include "bloomery/geometry/quotient.h"
#include "core/base/error.h"
#include "kinds/common/instead.h"
#include "kinds/common/target.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using Geometry = QuotientGeometry;

using sizing::as_double;
using sizing::short_number;

double fpr_of(double n, std::uint32_t fingerprint_bits) {
  return -std::expm1(n * std::log1p(-std::ldexp(1.0, -static_cast<int>(fingerprint_bits))));
}

Status check_room(std::uint64_t n) {
  if (n > Geometry{Geometry::kMostBits, 1}.capacity())
    return invalid_argument("n", "a quotient filter holds at most 95 % of 2^56 keys: ask for fewer");
  return {};
}

std::uint32_t smallest_quotient(std::uint64_t n) {
  Geometry geometry{1, 1};
  while (geometry.capacity() < n) ++geometry.quotient_bits;
  return geometry.quotient_bits;
}

Error bits_out_of_range(const char* field, std::uint64_t bits) {
  std::string message = field;
  message += " is " + std::to_string(bits) + ": it lies between 1 and " + std::to_string(Geometry::kMostBits);
  return invalid_argument(field, std::move(message));
}

}  // namespace

Result<Geometry> Geometry::from_values(const std::array<std::uint64_t, 2>& values) {
  return guarded([&]() -> Result<Geometry> {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] < 1 || values[i] > kMostBits) return bits_out_of_range(kFields[i], values[i]);
    if (values[0] + values[1] > kMostFingerprintBits)
      return invalid_argument(kFields[1], "quotient_bits + remainder_bits is " + std::to_string(values[0] + values[1]) +
                                              ": a hash has 64 bits");
    return Geometry{static_cast<std::uint32_t>(values[0]), static_cast<std::uint32_t>(values[1])};
  });
}

Result<Geometry> Geometry::for_capacity(std::uint64_t n, double fpr) {
  return guarded([&]() -> Result<Geometry> {
    BLOOMERY_TRY(sizing::check_target(n, fpr));
    BLOOMERY_TRY(check_room(n));
    std::uint32_t p = 2;
    while (p < kMostFingerprintBits && fpr_of(as_double(n), p) > fpr) ++p;
    // More home slots take a bit off every remainder: fewer bytes as long as they fill the same blocks.
    std::optional<Geometry> best;
    for (std::uint32_t q = smallest_quotient(n); q <= kMostBits; ++q) {
      const Geometry geometry{q, p > q ? p - q : 1};
      if (geometry.remainder_bits > kMostBits || geometry.fingerprint_bits() > kMostFingerprintBits) continue;
      if (!best || geometry.payload_bytes() < best->payload_bytes()) best = geometry;
    }
    return *best;  // check_room left at least 8 bits for the remainder
  });
}

Result<Geometry> Geometry::for_bits_per_key(std::uint64_t n, double bits_per_key) {
  return guarded([&]() -> Result<Geometry> {
    BLOOMERY_TRY(sizing::check_bits_per_key(n, bits_per_key));
    BLOOMERY_TRY(check_room(n));
    const double room = as_double(n) * bits_per_key;
    std::optional<Geometry> best;
    const std::uint32_t first = smallest_quotient(n);
    for (std::uint32_t q = first; q <= kMostBits; ++q) {
      for (std::uint32_t r = 1; r <= kMostBits && q + r <= kMostFingerprintBits; ++r) {
        const Geometry geometry{q, r};
        if (as_double(geometry.bits()) > room) break;
        if (!best || geometry.fingerprint_bits() > best->fingerprint_bits()) best = geometry;
      }
    }
    if (best) return *best;
    const double least = as_double(Geometry{first, 1}.bits());
    return invalid_argument("bits_per_key", "a quotient filter for " + std::to_string(n) + " keys takes at least " +
                                                sizing::least_bits_per_key(n, least) + " bits per key" +
                                                sizing::give_more_or_use(n, bits_per_key, {sizing::kBlock}));
  });
}

double Geometry::expected_fill(std::uint64_t n) const {
  return as_double(std::min(n, capacity())) / as_double(home_slots());
}

double Geometry::predicted_fpr_after(std::uint64_t n) const {
  return fpr_of(as_double(std::min(n, capacity())), fingerprint_bits());
}

double Geometry::predicted_fpr_at(std::uint64_t slots_taken) const {
  return fpr_of(as_double(slots_taken), fingerprint_bits());
}

double Geometry::fpr_of_fingerprints(std::uint64_t different) const {
  // Damaged bytes can show more fingerprints than there are.
  return std::min(1.0, std::ldexp(as_double(different), -static_cast<int>(fingerprint_bits())));
}

}  // namespace BLOOMERY_NAMESPACE
