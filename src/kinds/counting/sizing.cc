// The sizing of counting filters: that of classic, as spec/counting.md says.
#include "bloomery/geometry/counting.h"

#include "core/base/error.h"
#include "kinds/classic/plan.h"

namespace BLOOMERY_NAMESPACE {
namespace {

Status check_counter_bits(std::uint64_t bits) {
  if (bits == 4 || bits == 32) return {};
  std::string message = "counter_bits is ";
  message += std::to_string(bits);
  message += ": counters have 4 bits, or 32 where keys are added 15 times and more";
  return invalid_argument("counter_bits", std::move(message));
}

}  // namespace

Result<CountingGeometry> CountingGeometry::make(std::uint64_t m, std::uint64_t k, std::uint64_t counter_bits) {
  return guarded([&]() -> Result<CountingGeometry> {
    if (m == 0) return invalid_argument("m", "m is 0: a counting filter has at least one counter");
    if (m > kMaxM) {
      std::string message = "m is ";
      message += std::to_string(m);
      message += ": a counting filter has at most 2^58 counters";
      return invalid_argument("m", std::move(message));
    }
    if (k < 1 || k > ClassicGeometry::kMaxK) {
      std::string message = "k is ";
      message += std::to_string(k);
      message += ": a counting filter has 1 to 30 indexes per key";
      return invalid_argument("k", std::move(message));
    }
    BLOOMERY_TRY(check_counter_bits(counter_bits));
    return CountingGeometry{m, static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(counter_bits)};
  });
}

Result<CountingGeometry> CountingGeometry::for_capacity(std::uint64_t n, double fpr, std::uint64_t counter_bits) {
  Result<ClassicGeometry> classic = ClassicGeometry::for_capacity(n, fpr);
  BLOOMERY_TRY(classic);
  return make(classic->m, classic->k, counter_bits);
}

Result<CountingGeometry> CountingGeometry::for_bits_per_key(std::uint64_t n, double bits_per_key,
                                                            std::uint64_t counter_bits) {
  return guarded([&]() -> Result<CountingGeometry> {
    BLOOMERY_TRY(check_counter_bits(counter_bits));
    Result<ClassicGeometry> classic =
        ClassicGeometry::for_bits_per_key(n, bits_per_key / static_cast<double>(counter_bits));
    BLOOMERY_TRY(classic);
    return make(classic->m, classic->k, counter_bits);
  });
}

Result<CountingPlan> plan_counting(std::uint64_t n, double fpr, std::uint64_t counter_bits) {
  Result<ClassicPlan> plan = sizing::plan_like_classic("counting", "quotient", n, fpr);
  BLOOMERY_TRY(plan);
  Result<CountingGeometry> geometry = CountingGeometry::make(plan->geometry.m, plan->geometry.k, counter_bits);
  BLOOMERY_TRY(geometry);
  return CountingPlan{*geometry, plan->predicted_fpr, std::move(plan->warning)};
}

}  // namespace BLOOMERY_NAMESPACE
