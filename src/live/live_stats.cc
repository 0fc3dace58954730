// What a live filter says of itself; the rest of it is in live.cc.
#include <algorithm>
#include <limits>

#include "bloomery/detail/fnv.h"
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

// Counts of what has happened since the start. Of two that go together the smaller is read first; and since on some
// machines it may still be seen first, the other one is at least as large.
template <class Filter>
void LiveFilter<Filter>::count_events(LiveStats& out) const {
  const detail::Readers& readers = state_.readers();
  out.maybes = readers.total(kMaybes);
  out.queries = std::max(readers.total(kQueries), out.maybes);
  out.new_adds = readers.total(kNewAdds);
  out.adds = std::max(readers.total(kAdds), out.new_adds);
  out.false_positives = readers.total(kFalsePositives);
  out.false_negatives = readers.total(kFalseNegatives);
  out.reported_fpr = observed_rate(out.false_positives, out.queries - out.maybes + out.false_positives);
  out.self_checks = self_checks_.value();
  out.sentinel_failures = sentinel_failures_.value();
  out.rebuilds = rebuilds_.value();
  out.aborted_rebuilds = aborted_.value();
  out.failed_rebuilds = failed_rebuilds_.value();
  out.snapshots = snapshots_.value();
  out.failed_snapshots = failed_snapshots_.value();
  out.last_snapshot = last_snapshot_.load(std::memory_order_relaxed);
}

// The filter in use, read as a whole.
template <class Filter>
void LiveFilter<Filter>::measure(LiveStats& out, std::uint64_t sample) const {
  const detail::ReadGuard guard(state_.readers());
  const Version& version = *state_.read(guard).current;
  out.damaged = version.damaged.load(std::memory_order_relaxed);
  out.designed_count = version.n;
  out.designed_fpr = version.fpr;
  out.fill = version.filter.fill();
  out.predicted_fpr = version.filter.predicted_fpr();
  out.estimated_count = version.filter.estimated_count();
  // With all bits set there is no estimate, and no end to what may be in it.
  if (!out.estimated_count) out.capacity_used = std::numeric_limits<double>::infinity();
  else if (version.n > 0)
    out.capacity_used = static_cast<double>(*out.estimated_count) / static_cast<double>(version.n);
  std::uint64_t hits = 0;
  // Another stream in every call, so that the samples of a day are worth more than one.
  static std::atomic<std::uint64_t> calls{0};
  const std::uint64_t seed = detail::splitmix64(~calls.fetch_add(1, std::memory_order_relaxed));
  for (std::uint64_t i = 0; i < sample; ++i) hits += version.filter.contains(Hash(detail::splitmix64(seed + i)));
  out.sampled_fpr = observed_rate(hits, sample);
}

template <class Filter>
Result<LiveStats> LiveFilter<Filter>::stats(std::uint64_t sample) const {
  return guarded([&]() -> Result<LiveStats> {
    LiveStats out;
    {
      const std::lock_guard lock(mutex_);
      out.retired_bytes = retired_bytes_locked();
      out.rebuilding = next_ != nullptr;
      out.bytes = current_->filter.bytes() + (out.rebuilding ? next_->filter.bytes() : 0);
      out.fed = out.rebuilding ? state_.readers().total(kFed) - fed_before_ : 0;
    }
    count_events(out);
    measure(out, sample);
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
    Figures text(options_.name);
    detail::describe(text, *now);
    text.durations("rebuild_duration_seconds", "Duration of rebuilds, from begin to commit", rebuild_ms_);
    text.durations("snapshot_duration_seconds", "Duration of snapshots", snapshot_ms_);
    return text;
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
