#include "bloomery/classic.h"

#include "core/base/log.h"
#include "kinds/classic/exact_rate.h"
#include "kinds/common/basic_filter_impl.h"

namespace BLOOMERY_NAMESPACE {

Result<ClassicGeometry> ClassicLayout::plan(std::uint64_t n, double fpr) {
  Result<ClassicPlan> plan = plan_classic(n, fpr);
  BLOOMERY_TRY(plan);
  if (!plan->warning.empty()) log(LogLevel::warning, plan->warning);
  return plan->geometry;
}

Status ClassicLayout::check_payload(std::span<const std::uint8_t> bits) const {
  const std::uint64_t m = remainder_.divisor();
  if (m % 8 != 0 && bits.back() >> (m % 8) != 0) return corrupt("bits", "a bit above m is set: the bits are damaged");
  return {};
}

double ClassicLayout::predicted_fpr(std::span<const std::uint8_t> bits, std::uint64_t bits_set) const {
  if (geometry().m <= detail::kExactUpToM) return detail::exact_fpr<detail::ClassicCell>(bits.data(), geometry());
  return geometry().predicted_fpr_at(bits_set);
}

template class BasicView<ClassicLayout>;
template class BasicFilter<ClassicLayout>;
template class BasicMutableView<ClassicLayout>;

}  // namespace BLOOMERY_NAMESPACE
