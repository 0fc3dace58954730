// What a live filter says of itself; the rest of it is in live.cc.
#include "bloomery/live/live.h"
#include "bloomery/rate.h"
#include "core/base/error.h"
#include "live/live_figures.h"
#include "live/tenants.h"

namespace BLOOMERY_NAMESPACE {

ObservedRate observed_rate(std::uint64_t hits, std::uint64_t asked) {
  if (asked == 0) return {};
  const SampledRate seen = sampled_rate(hits, asked);
  return {seen.rate, seen.low, seen.high, asked};
}

// Counts of what has happened since the start.
template <class Filter>
void LiveFilter<Filter>::count_events(LiveStats& out) const {
  detail::count_events(state_.readers(), {kQueries, kMaybes, kAdds, kNewAdds, kFalsePositives, kFalseNegatives}, out);
  out.self_checks = self_checks_.value();
  out.sentinel_failures = sentinel_failures_.value();
  out.rebuilds = rebuilds_.value();
  out.aborted_rebuilds = aborted_.value();
  out.failed_rebuilds = failed_rebuilds_.value();
  out.snapshots = snapshots_.value();
  out.failed_snapshots = failed_snapshots_.value();
  out.last_snapshot = last_snapshot_.load(std::memory_order_relaxed);
}

// Reads the whole filter, which takes seconds when it is large: its caller shares the version and holds no guard, for
// which begin_rebuild would wait.
template <class Filter>
void LiveFilter<Filter>::measure(const Version& version, LiveStats& out, std::uint64_t sample) {
  out.damaged = version.damaged.load(std::memory_order_relaxed);
  out.designed_count = version.n;
  out.designed_fpr = version.fpr;
  out.fill = version.filter.fill();
  out.predicted_fpr = version.filter.predicted_fpr();
  out.estimated_count = version.filter.estimated_count();
  detail::measure_capacity_used(out);
  out.sampled_fpr = detail::sample_rate(version.filter, sample);
}

template <class Filter>
Result<LiveStats> LiveFilter<Filter>::stats(std::uint64_t sample) const {
  return guarded([&]() -> Result<LiveStats> {
    LiveStats out;
    std::shared_ptr<const Version> version;
    {
      const std::lock_guard lock(mutex_);
      version = current_;
      out.retired_bytes = retired_bytes_locked();
      out.rebuilding = next_ != nullptr;
      out.bytes = current_->filter.bytes() + (out.rebuilding ? next_->filter.bytes() : 0);
      out.fed = out.rebuilding ? state_.readers().total(kFed) - fed_before_ : 0;
    }
    count_events(out);
    measure(*version, out, sample);
    out.disabled = disabled();
    out.oldest_reader_age = state_.readers().oldest_age();
    out.tenants = tenants_->stats();
    return out;
  });
}

template <class Filter>
Result<Figures> LiveFilter<Filter>::figures() const {
  return guarded([&]() -> Result<Figures> {
    const Result<LiveStats> now = stats();
    BLOOMERY_TRY(now);
    return detail::figures_of(options_.name, *now, rebuild_ms_, snapshot_ms_);
  });
}

template <class Filter>
Result<std::string> LiveFilter<Filter>::prometheus() const {
  return guarded([&]() -> Result<std::string> {
    const Result<Figures> all = figures();
    BLOOMERY_TRY(all);
    return all->prometheus();
  });
}

template <class Filter>
Result<std::string> LiveFilter<Filter>::json() const {
  return guarded([&]() -> Result<std::string> {
    const Result<Figures> all = figures();
    BLOOMERY_TRY(all);
    return all->json();
  });
}

// The members that are called from elsewhere; the class is instantiated in live.cc.
#define BLOOMERY_LIVE_STATS(Filter)                                                 \
  template Result<LiveStats> LiveFilter<Filter>::stats(std::uint64_t sample) const; \
  template Result<Figures> LiveFilter<Filter>::figures() const;                     \
  template Result<std::string> LiveFilter<Filter>::prometheus() const;              \
  template Result<std::string> LiveFilter<Filter>::json() const;
BLOOMERY_LIVE_STATS(ClassicFilter)
BLOOMERY_LIVE_STATS(SplitFilter)
BLOOMERY_LIVE_STATS(BlockFilter)
#undef BLOOMERY_LIVE_STATS

}  // namespace BLOOMERY_NAMESPACE
