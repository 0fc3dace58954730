// What callers report of a live filter's answers, by tenant. Off the way of lookups: it takes a lock.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/live/live.h"

namespace BLOOMERY_NAMESPACE::detail {

// Any thread may use it. It keeps the first names that come, as many as it was made for, cut to kLongest bytes, and
// counts the rest as "other": names may come from outside, and must not take memory without end.
class Tenants {
 public:
  static constexpr std::size_t kLongest = 128;

  explicit Tenants(unsigned most) : most_(most) {}

  void count(std::string_view tenant, std::uint64_t TenantStats::*event);
  // Returns them sorted by name; "other" is always there, and last.
  std::vector<TenantStats> stats() const;

 private:
  TenantStats& stats_of(std::string_view tenant);

  const unsigned most_;
  mutable std::mutex mutex_;
  std::map<std::string, TenantStats, std::less<>> named_;
  TenantStats other_{.name = "other"};
};

}  // namespace BLOOMERY_NAMESPACE::detail
