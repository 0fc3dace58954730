#include "bloomery/live/watched.h"

#include "core/base/error.h"
#include "format/snapshot.h"
#include "live/kill_switch.h"
#include "live/live_figures.h"
#include "live/tenants.h"

namespace BLOOMERY_NAMESPACE {
namespace {

// Measures each filter in the way of its class.

template <class Filter>
void measure(const Filter& filter, LiveStats& out) {
  out.fill = filter.fill();
  out.predicted_fpr = filter.predicted_fpr();
  out.estimated_count = filter.estimated_count();
}
Status measure(const Shared<CuckooFilter>& filter, LiveStats& out) {
  const std::uint64_t taken = filter.bits_set();  // once: it reads the whole filter
  out.bytes = filter.bytes();
  out.fill = static_cast<double>(taken) / static_cast<double>(filter.geometry().cells());
  out.predicted_fpr = filter.geometry().predicted_fpr_at(taken);
  out.estimated_count = taken;  // a fingerprint each
  return {};
}
Status measure(const Shared<CountingFilter>& filter, LiveStats& out) {
  out.bytes = filter.bytes();
  const Result<CountingFilter> copied = filter.copy();
  BLOOMERY_TRY(copied);
  measure<CountingFilter>(*copied, out);
  return {};
}
template <class Filter>
Status measure(const PerNode<Filter>& filter, LiveStats& out) {
  out.bytes = filter.bytes();
  measure<PerNode<Filter>>(filter, out);
  return {};
}
// A lookup asks all generations, each of which may err.
template <class Filter>
Status measure(const RotatingFilter<Filter>& filter, LiveStats& out) {
  const auto held = filter.hold();
  measure<Shared<Filter>>(*held.generations.front(), out);
  double all_right = 1;
  for (const auto& generation : held.generations) {
    out.bytes += generation->bytes();
    all_right *= 1 - generation->predicted_fpr();
  }
  out.predicted_fpr = 1 - all_right;
  return {};
}

template <class Filter>
Status save(const Filter& filter, const std::string& path, std::uint64_t rate) {
  const auto copied = filter.copy();
  BLOOMERY_TRY(copied);
  return format::save_snapshot(path, AnyView(copied->view()), copied->key_count(), rate);
}
template <class Filter>
Status save(const RotatingFilter<Filter>& filter, const std::string& path, std::uint64_t rate) {
  const auto held = filter.hold();
  const detail::RacyReads reads;
  for (std::size_t age = 0; age < held.generations.size() && age <= held.epoch; ++age)
    BLOOMERY_TRY(format::save_snapshot(path + "." + std::to_string(held.epoch - age),
                                       AnyView(held.generations[age]->view()), std::nullopt, rate));
  return {};
}

}  // namespace

template <class Filter>
Watched<Filter>::Watched(std::unique_ptr<Filter> filter, const WatchedOptions& options)
    : filter_(std::move(filter)),
      options_(options),
      disabled_(disabled_by_environment()),
      tenants_(std::make_unique<detail::Tenants>(options.tenants)) {}

template <class Filter>
Watched<Filter>::~Watched() = default;

template <class Filter>
Result<std::unique_ptr<Watched<Filter>>> Watched<Filter>::make(std::unique_ptr<Filter> filter,
                                                               const WatchedOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<Watched>> {
    if (filter == nullptr) return invalid_argument("filter", "there is no filter to watch: create it first");
    return std::unique_ptr<Watched>(new Watched(std::move(filter), options));
  });
}

template <class Filter>
Status Watched<Filter>::snapshot(const std::string& path, const SnapshotOptions& options) {
  const std::lock_guard turn(saving_);
  const auto start = std::chrono::steady_clock::now();
  Status status = guarded([&]() -> Status { return save(*filter_, path, options.bytes_per_second); });
  (status.ok() ? snapshots_ : failed_snapshots_).add();
  if (status.ok())
    last_snapshot_.store(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()),
                         std::memory_order_relaxed);
  snapshot_ms_.record(static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start).count()));
  return status;
}

template <class Filter>
void Watched<Filter>::was_false_positive(std::string_view tenant) {
  count(kFalsePositives);
  tenants_->count(tenant, &TenantStats::false_positives);
}

template <class Filter>
void Watched<Filter>::was_true_positive(std::string_view tenant) {
  tenants_->count(tenant, &TenantStats::true_positives);
}

template <class Filter>
void Watched<Filter>::was_false_negative(std::string_view tenant) {
  count(kFalseNegatives);
  tenants_->count(tenant, &TenantStats::false_negatives);
}

template <class Filter>
Result<LiveStats> Watched<Filter>::stats(std::uint64_t sample) const {
  return guarded([&]() -> Result<LiveStats> {
    LiveStats out;
    detail::count_events(readers_, {kQueries, kMaybes, kAdds, kNewAdds, kFalsePositives, kFalseNegatives}, out);
    out.snapshots = snapshots_.value();
    out.failed_snapshots = failed_snapshots_.value();
    out.last_snapshot = last_snapshot_.load(std::memory_order_relaxed);
    out.designed_count = options_.n;
    out.designed_fpr = options_.fpr;
    out.disabled = disabled();
    out.tenants = tenants_->stats();
    BLOOMERY_TRY(measure(*filter_, out));
    detail::measure_capacity_used(out);
    out.sampled_fpr = detail::sample_rate(*filter_, sample);
    return out;
  });
}

template <class Filter>
Result<Figures> Watched<Filter>::figures() const {
  return guarded([&]() -> Result<Figures> {
    const Result<LiveStats> now = stats();
    BLOOMERY_TRY(now);
    return detail::figures_of(options_.name, *now, Histogram(), snapshot_ms_);  // it is never rebuilt
  });
}

template class Watched<Shared<CuckooFilter>>;
template class Watched<Shared<CountingFilter>>;
template class Watched<PerNode<ClassicFilter>>;
template class Watched<PerNode<SplitFilter>>;
template class Watched<PerNode<BlockFilter>>;
template class Watched<RotatingFilter<ClassicFilter>>;
template class Watched<RotatingFilter<SplitFilter>>;
template class Watched<RotatingFilter<BlockFilter>>;

}  // namespace BLOOMERY_NAMESPACE
