#include "bloomery/classic.h"

#include "base/log.h"
#include "filter/basic_filter_impl.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kExactUpToM = 1024;  // m^2 lookups: a millisecond

// The share of all pairs of residues (start, stride) whose k bits are set. Exact, because for so small an m the
// residues of 32-bit halves are uniform.
double exact_fpr(const std::uint8_t* bits, const ClassicGeometry& geometry) {
  const auto [m, k] = geometry;
  std::uint64_t hits = 0;
  for (std::uint64_t start = 0; start < m; ++start) {
    if (detail::classic_bit(bits, start) == 0) continue;
    for (std::uint64_t stride = 0; stride < m; ++stride) {
      std::uint64_t at = start;
      std::uint32_t left = k - 1;
      for (; left > 0; --left) {
        at += stride;
        if (at >= m) at -= m;
        if (detail::classic_bit(bits, at) == 0) break;
      }
      hits += left == 0;
    }
  }
  return static_cast<double>(hits) / static_cast<double>(m * m);
}

}  // namespace

Result<ClassicGeometry> ClassicLayout::plan(std::uint64_t n, double fpr) {
  Result<ClassicPlan> plan = plan_classic(n, fpr);
  if (!plan.ok()) return std::move(plan).error();
  if (!plan->warning.empty()) log(LogLevel::warning, plan->warning);
  return plan->geometry;
}

Status ClassicLayout::check_payload(std::span<const std::uint8_t> bits) const {
  const std::uint64_t m = remainder_.divisor();
  if (m % 8 != 0 && bits.back() >> (m % 8) != 0) return corrupt("bits", "a bit above m is set: the bits are damaged");
  return {};
}

double ClassicLayout::predicted_fpr(std::span<const std::uint8_t> bits, std::uint64_t bits_set) const {
  if (geometry().m <= kExactUpToM) return exact_fpr(bits.data(), geometry());
  return geometry().predicted_fpr_at(bits_set);
}

template class BasicView<ClassicLayout>;
template class BasicFilter<ClassicLayout>;

}  // namespace bloomery
