#include "live/tenants.h"

#include <new>

#include "core/metrics/label.h"

namespace BLOOMERY_NAMESPACE::detail {

// Call it under the lock. Names are told apart as they are printed, so that no two series are the same.
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

}  // namespace BLOOMERY_NAMESPACE::detail
