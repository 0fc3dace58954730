#include "live/tenants.h"

#include <new>

#include "metrics/label.h"

namespace bloomery::detail {

// Under the lock. Names are told apart as they are printed, so that no two series are the same.
TenantStats& Tenants::stats_of(std::string_view tenant) {
  const std::string name = metrics::clean_label(tenant.substr(0, kLongest));
  if (name.empty() || name == other_.name) return other_;
  if (const auto known = named_.find(name); known != named_.end()) return known->second;
  if (named_.size() >= most_) return other_;
  return named_.try_emplace(name, TenantStats{.name = name}).first->second;
}

void Tenants::count(std::string_view tenant, std::uint64_t TenantStats::*event) {
  const std::lock_guard lock(mutex_);
  try {
    ++(stats_of(tenant).*event);
  } catch (const std::bad_alloc&) {  // no room for a name
    ++(other_.*event);
  }
}

std::vector<TenantStats> Tenants::stats() const {
  std::vector<TenantStats> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, stats] : named_) all.push_back(stats);
    all.push_back(other_);
  }
  for (TenantStats& tenant : all)
    tenant.wrong_maybes = observed_rate(tenant.false_positives, tenant.false_positives + tenant.true_positives);
  return all;
}

void describe(Figures& figures, const std::vector<TenantStats>& tenants) {
  const auto counters = [&](auto member) {
    Figures::ByTenant<std::uint64_t> values;
    for (const TenantStats& tenant : tenants) values.emplace_back(tenant.name, tenant.*member);
    return values;
  };
  const auto gauges = [&](auto member) {
    Figures::ByTenant<double> values;
    for (const TenantStats& tenant : tenants) values.emplace_back(tenant.name, tenant.wrong_maybes.*member);
    return values;
  };
  figures.counter("tenant_false_positives_total", "Maybes that the tenant reported as wrong",
                  counters(&TenantStats::false_positives));
  figures.counter("tenant_true_positives_total", "Maybes that the tenant reported as right",
                  counters(&TenantStats::true_positives));
  figures.counter("tenant_false_negatives_total", "Noes that the tenant reported as wrong; must stay 0",
                  counters(&TenantStats::false_negatives));
  figures.gauge("tenant_wrong_maybes_ratio", "Share of wrong ones among the maybes that the tenant reported",
                gauges(&ObservedRate::rate));
  figures.gauge("tenant_wrong_maybes_ratio_low", "Lower bound of it (95 %)", gauges(&ObservedRate::low));
  figures.gauge("tenant_wrong_maybes_ratio_high", "Upper bound of it (95 %)", gauges(&ObservedRate::high));
}

}  // namespace bloomery::detail
