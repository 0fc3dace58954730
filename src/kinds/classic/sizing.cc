// The sizing of classic filters, formula by formula as spec/sizing.md.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "bloomery/geometry/classic.h"
#include "core/base/error.h"
#include "kinds/classic/crowding.h"
#include "kinds/classic/plan.h"
#include "kinds/common/instead.h"
#include "kinds/common/ln.h"
#include "kinds/common/target.h"

namespace BLOOMERY_NAMESPACE {
namespace {

constexpr double kLn2 = 0.6931471805599453;
constexpr double kTwo32 = 4294967296.0;
constexpr double kLargestM = 9223372036854775808.0;               // 2^63
constexpr std::uint64_t kHalfHashShows = std::uint64_t{1} << 30;  // from here on HalfHashModel
constexpr double kWarnAbove = 1.1;

using sizing::as_double;

sizing::HalfHashModel model_of(const ClassicGeometry& g) { return {as_double(g.m), g.k, kTwo32}; }

std::uint32_t euler_phi(std::uint32_t d) {
  std::uint32_t count = 0;
  for (std::uint32_t i = 1; i <= d; ++i) count += std::gcd(i, d) == 1;
  return count;
}

// Calls visit(d, probability) for each number d < k of distinct indexes that repeating indexes can leave, and returns
// the probability that all k are distinct.
template <class Visit>
double for_each_repeat(const ClassicGeometry& g, Visit visit) {
  double repeats = 0;
  for (std::uint32_t d = 1; d < g.k && d <= g.m; ++d) {
    if (g.m % d != 0) continue;
    const double probability = euler_phi(d) / as_double(g.m);
    visit(d, probability);
    repeats += probability;
  }
  return 1 - repeats;
}

// The chance that d given distinct bits are all among the s set ones of m.
double all_set(std::uint64_t s, std::uint64_t m, std::uint64_t d) {
  double chance = 1;
  for (std::uint64_t i = 0; i < d; ++i) chance *= s > i ? as_double(s - i) / as_double(m - i) : 0.0;
  return chance;
}

double count_at(const ClassicGeometry& g, std::uint64_t bits_set) {
  return -(as_double(g.m) / g.k) * std::log1p(-as_double(bits_set) / as_double(g.m));
}

// Absent keys with a present key's stride or its negative, starting j strides away from it, share k - |j| of its bits.
double shared_stride(const ClassicGeometry& g, std::uint64_t bits_set) {
  const double fill = as_double(bits_set) / as_double(g.m);
  const double all = std::pow(fill, g.k);
  double sum = 1 - all;
  for (std::uint32_t j = 1; j < g.k; ++j) sum += 2 * (std::pow(fill, j) - all);
  return 2 * count_at(g, bits_set) / as_double(g.m) / as_double(g.m) * sum;
}

Result<ClassicGeometry> geometry_from(double m, std::uint64_t n) {
  if (!(m <= kLargestM))
    return invalid_argument(
        "m", "the filter would need more than 2^63 bits: ask for fewer keys or a higher false-positive rate");
  ClassicGeometry g;
  g.m = static_cast<std::uint64_t>(m);
  const double k = std::round((as_double(g.m) / as_double(n)) * kLn2);
  g.k = static_cast<std::uint32_t>(std::clamp(k, 1.0, as_double(ClassicGeometry::kMaxK)));
  return g;
}

}  // namespace

Result<ClassicGeometry> ClassicGeometry::make(std::uint64_t m, std::uint64_t k) {
  return guarded([&]() -> Result<ClassicGeometry> {
    if (m == 0) return invalid_argument("m", "m is 0: a classic filter has at least one bit");
    if (k < 1 || k > kMaxK)
      return invalid_argument("k", "k is " + std::to_string(k) + ": a classic filter has 1 to 30 indexes per key");
    return ClassicGeometry{m, static_cast<std::uint32_t>(k)};
  });
}

Result<ClassicGeometry> ClassicGeometry::for_capacity(std::uint64_t n, double fpr) {
  return guarded([&]() -> Result<ClassicGeometry> {
    BLOOMERY_TRY(sizing::check_target(n, fpr));
    return geometry_from(std::ceil((-as_double(n) * sizing::ln(fpr)) / (kLn2 * kLn2)), n);
  });
}

Result<ClassicGeometry> ClassicGeometry::for_bits_per_key(std::uint64_t n, double bits_per_key) {
  return guarded([&]() -> Result<ClassicGeometry> {
    BLOOMERY_TRY(sizing::check_bits_per_key(n, bits_per_key));
    return geometry_from(std::max(1.0, std::ceil(as_double(n) * bits_per_key)), n);
  });
}

double ClassicGeometry::expected_fill(std::uint64_t n) const {
  if (m >= kHalfHashShows) return model_of(*this).mean_fill(as_double(n));
  double distinct = 0;
  const double rest = for_each_repeat(*this, [&](std::uint32_t d, double p) { distinct += p * d; });
  distinct += rest * k;
  if (distinct >= as_double(m)) return n > 0 ? 1 : 0;
  return -std::expm1(as_double(n) * std::log1p(-distinct / as_double(m)));
}

double ClassicGeometry::predicted_fpr_after(std::uint64_t n) const {
  if (m >= kHalfHashShows) return model_of(*this).fpr(as_double(n));
  return predicted_fpr_at(static_cast<std::uint64_t>(std::llround(as_double(m) * expected_fill(n))));
}

double ClassicGeometry::predicted_fpr_at(std::uint64_t bits_set) const {
  if (bits_set == 0) return 0;
  if (bits_set >= m) return 1;
  if (m >= kHalfHashShows) {
    const sizing::HalfHashModel model = model_of(*this);
    return model.fpr(model.count_at_fill(as_double(bits_set) / as_double(m)));
  }
  double fpr = 0;
  const double rest = for_each_repeat(*this, [&](std::uint32_t d, double p) { fpr += p * all_set(bits_set, m, d); });
  fpr += rest * all_set(bits_set, m, std::min<std::uint64_t>(k, m));
  fpr += rest * shared_stride(*this, bits_set);
  return std::min(fpr, 1.0);
}

std::optional<std::uint64_t> ClassicGeometry::estimated_count(std::uint64_t bits_set) const {
  if (bits_set >= m) return std::nullopt;
  if (m < kHalfHashShows) return static_cast<std::uint64_t>(std::llround(count_at(*this, bits_set)));
  return static_cast<std::uint64_t>(std::llround(model_of(*this).count_at_fill(as_double(bits_set) / as_double(m))));
}

Result<ClassicPlan> sizing::plan_like_classic(const char* kind, const char* instead, std::uint64_t n, double fpr) {
  return guarded([&]() -> Result<ClassicPlan> {
    Result<ClassicGeometry> geometry = ClassicGeometry::for_capacity(n, fpr);
    BLOOMERY_TRY(geometry);
    ClassicPlan plan{*geometry, geometry->predicted_fpr_after(n), {}};
    if (plan.predicted_fpr <= kWarnAbove * fpr) return plan;
    std::string miss = std::string("a ") + kind + " filter of " + std::to_string(n) + " keys at " + short_number(fpr) +
                       " really answers 'maybe' to " + short_number(plan.predicted_fpr) + " of absent keys, because ";
    if (as_double(plan.geometry.m) > kTwo32) {
      miss += "its two 32-bit half hashes cannot spread over more than 2^32 positions: ";
      std::string other = kind == std::string_view("classic")
                              ? first_that_can(n, fpr, {kBlock, kPartitioned, kQuotient})
                              : first_that_can(n, fpr, {kQuotient});
      if (!other.empty()) miss += "use the kind " + other + ", or ";
      return unsupported("n", miss + "give an exact geometry (m and k)");
    }
    if (as_double(plan.geometry.m) / as_double(n) * kLn2 < 0.5) miss += "a key sets at least one bit";
    else miss += "double hashing repeats positions in a filter this small";
    plan.warning = miss + ": the kind '" + instead + "' has no such limit";
    return plan;
  });
}

Result<ClassicPlan> plan_classic(std::uint64_t n, double fpr) {
  return sizing::plan_like_classic("classic", "partitioned", n, fpr);
}

}  // namespace BLOOMERY_NAMESPACE
