#include "bloomery/live/watched.h"

#include <algorithm>
#include <limits>

#include "bloomery/detail/fnv.h"
#include "core/base/error.h"
#include "format/snapshot.h"
#include "live/live_figures.h"
#include "live/tenants.h"

namespace BLOOMERY_NAMESPACE {
namespace {

// What the filters have to say, each in its own way.

template <class Filter>
void measure(const Filter& filter, LiveStats& out) {
  out.fill = filter.fill();
  out.predicted_fpr = filter.predicted_fpr();
  out.estimated_count = filter.estimated_count();
}
Status measure(const Shared<CuckooFilter>& filter, LiveStats& out) {
  out.bytes = filter.bytes();
  out.fill = filter.fill();
  out.predicted_fpr = filter.predicted_fpr();
  out.estimated_count = filter.key_count().value_or(filter.bits_set());  // a fingerprint each
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
    : filter_(std::move(filter)), options_(options), tenants_(std::make_unique<detail::Tenants>(options.tenants)) {}

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

// Of two counts that go together the smaller is read first, and the other is at least as large.
template <class Filter>
Result<LiveStats> Watched<Filter>::stats(std::uint64_t sample) const {
  return guarded([&]() -> Result<LiveStats> {
    LiveStats out;
    out.maybes = readers_.total(kMaybes);
    out.queries = std::max(readers_.total(kQueries), out.maybes);
    out.new_adds = readers_.total(kNewAdds);
    out.adds = std::max(readers_.total(kAdds), out.new_adds);
    out.false_positives = readers_.total(kFalsePositives);
    out.false_negatives = readers_.total(kFalseNegatives);
    out.reported_fpr = observed_rate(out.false_positives, out.queries - out.maybes + out.false_positives);
    out.snapshots = snapshots_.value();
    out.failed_snapshots = failed_snapshots_.value();
    out.last_snapshot = last_snapshot_.load(std::memory_order_relaxed);
    out.designed_count = options_.n;
    out.designed_fpr = options_.fpr;
    out.disabled = disabled();
    out.tenants = tenants_->stats();
    BLOOMERY_TRY(measure(*filter_, out));
    if (!out.estimated_count) out.capacity_used = std::numeric_limits<double>::infinity();
    else if (options_.n > 0)
      out.capacity_used = static_cast<double>(*out.estimated_count) / static_cast<double>(options_.n);
    static std::atomic<std::uint64_t> calls{0};  // another stream in every call
    const std::uint64_t seed = detail::splitmix64(~calls.fetch_add(1, std::memory_order_relaxed));
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < sample; ++i) hits += filter_->contains(Hash(detail::splitmix64(seed + i))) ? 1 : 0;
    out.sampled_fpr = observed_rate(hits, sample);
    return out;
  });
}

template <class Filter>
Result<Figures> Watched<Filter>::figures() const {
  return guarded([&]() -> Result<Figures> {
    const Result<LiveStats> now = stats();
    BLOOMERY_TRY(now);
    Figures text(options_.name);
    detail::describe(text, *now);
    const Histogram never;
    text.durations("rebuild_duration_seconds", "Duration of rebuilds, from begin to commit", never);
    text.durations("snapshot_duration_seconds", "Duration of snapshots", snapshot_ms_);
    return text;
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
