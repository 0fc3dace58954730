#include "bloomery/live.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <thread>

#include "base/error.h"
#include "bloomery/detail/fnv.h"
#include "live/live_figures.h"
#include "live/tenants.h"
#include "wire/snapshot.h"

namespace bloomery {
namespace {

// Sentinels are hashes, so that no key of the caller's has to be set aside for them.
Hash sentinel(unsigned number) { return Hash(detail::splitmix64(0x5e47'1e1d'0000'0000 + number)); }

bool disabled_by_environment() {
  const char* value = std::getenv("BLOOMERY_DISABLE");
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

std::uint64_t ms_since(std::chrono::steady_clock::time_point start) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start).count());
}

}  // namespace

// Wilson's interval, which is sound for rates near 0 too.
ObservedRate observed_rate(std::uint64_t hits, std::uint64_t asked) {
  if (asked == 0) return {};
  constexpr double z = 1.96;
  const double n = static_cast<double>(asked), p = static_cast<double>(hits) / n;
  const double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z / (1 + z * z / n) * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  return {p, hits == 0 ? 0 : middle - half, hits == asked ? 1 : middle + half, asked};
}

template <class Filter>
Result<std::shared_ptr<typename LiveFilter<Filter>::Version>> LiveFilter<Filter>::new_version(
    Result<Filter> filter, std::uint64_t n, double fpr, const LiveOptions& options) {
  if (!filter.ok()) return std::move(filter).error();
  if (options.lock_memory)
    if (Status status = filter->lock_in_memory(); !status.ok()) return std::move(status).error();
  auto version = std::make_shared<Version>(Shared<Filter>(*std::move(filter)), n, fpr);
  for (unsigned i = 0; i < options.sentinels; ++i) version->filter.add(sentinel(i));
  return version;
}

template <class Filter>
LiveFilter<Filter>::LiveFilter(LiveOptions options, std::shared_ptr<Version> first)
    : state_(std::make_unique<const State>(first, nullptr)),
      doubts_(disabled_by_environment() ? std::uint8_t{kDisabled} : std::uint8_t{0}),
      options_(std::move(options)),
      current_(std::move(first)),
      tenants_(std::make_unique<detail::Tenants>(options_.tenants)) {}

template <class Filter>
LiveFilter<Filter>::~LiveFilter() = default;

template <class Filter>
Result<std::unique_ptr<LiveFilter<Filter>>> LiveFilter<Filter>::make(const LiveOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<LiveFilter>> {
    const Hasher hasher = options.hasher.value_or(View().hasher());
    Result<std::shared_ptr<Version>> first =
        new_version(Filter::with_capacity(options.n, options.fpr, hasher), options.n, options.fpr, options);
    if (!first.ok()) return std::move(first).error();
    return std::unique_ptr<LiveFilter>(new LiveFilter(options, *std::move(first)));
  });
}

template <class Filter>
Result<std::unique_ptr<LiveFilter<Filter>>> LiveFilter<Filter>::load(const std::string& path,
                                                                     const LiveOptions& options,
                                                                     const OpenOptions& open) {
  return guarded([&]() -> Result<std::unique_ptr<LiveFilter>> {
    Result<FilterFile> file = FilterFile::open(path, open);
    if (!file.ok()) return std::move(file).error();
    const View* view = file->view().as<View>();
    if (view == nullptr)
      return in_file(unsupported("kind", std::string("holds a ") + to_string(file->view().kind()) +
                                             " filter, and this live filter is of another kind: load it as that"),
                     path);
    if (!file->answers_keys()) return in_file(unsupported("secret", "was opened without its secret"), path);
    Result<std::shared_ptr<Version>> first =
        new_version(Filter::copy_of(*view, file->info().key_count), options.n, options.fpr, options);
    if (!first.ok()) return std::move(first).error();
    return std::unique_ptr<LiveFilter>(new LiveFilter(options, *std::move(first)));
  });
}

template <class Filter>
Status LiveFilter<Filter>::no_rebuild(const char* what) {
  return guarded([&]() -> Status {
    return invalid_argument("rebuild", std::string("no rebuild is under way: begin_rebuild comes before ") + what);
  });
}

// Under the lock. What is in neither place any more goes when nobody can be reading it.
template <class Filter>
void LiveFilter<Filter>::publish(std::shared_ptr<Version> current, std::shared_ptr<Version> next) {
  replaced_.reserve(replaced_.size() + 2);
  state_.replace(std::make_unique<const State>(current, next));
  for (const std::shared_ptr<Version>& before : {current_, next_})
    if (before && before != current && before != next) replaced_.push_back(before);
  current_ = std::move(current);
  next_ = std::move(next);
}

// Under the lock. Frees what can be freed, and tells how much cannot.
template <class Filter>
std::uint64_t LiveFilter<Filter>::retired_bytes_locked() const {
  state_.reclaim();
  std::erase_if(replaced_, [](const std::weak_ptr<Version>& version) { return version.expired(); });
  std::uint64_t bytes = 0;
  for (const std::weak_ptr<Version>& version : replaced_)
    if (const std::shared_ptr<Version> alive = version.lock()) bytes += alive->filter.size_bytes();
  return bytes;
}

// Whether nothing that was replaced is held any more, after waiting for readers and snapshots if need be; others may
// have the lock meanwhile.
template <class Filter>
bool LiveFilter<Filter>::wait_for_retired(std::unique_lock<std::mutex>& lock) const {
  const auto start = std::chrono::steady_clock::now();
  while (retired_bytes_locked() > 0) {
    if (std::chrono::steady_clock::now() - start > options_.patience) return false;
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    lock.lock();
  }
  return true;
}

template <class Filter>
Status LiveFilter<Filter>::begin_rebuild(std::uint64_t n, double fpr, std::optional<Hasher> hasher) {
  Status status = guarded([&]() -> Status {
    std::unique_lock lock(mutex_);
    const bool all_freed = next_ || wait_for_retired(lock);
    if (next_)
      return invalid_argument("rebuild", "a rebuild is under way already: commit or abort it before another begins");
    if (!all_freed)
      return invalid_argument("rebuild",
                              "the filter before this one is still being read, and a third would have to be held: look "
                              "for a Reading or a snapshot that does not end (oldest_reader_age)");
    Result<std::shared_ptr<Version>> next =
        new_version(Filter::with_capacity(n, fpr, hasher.value_or(current_->filter.hasher())), n, fpr, options_);
    if (!next.ok()) return std::move(next).error();
    fed_before_ = counters_.total(kFed);
    rebuild_began_ = std::chrono::steady_clock::now();
    publish(current_, *std::move(next));
    // An add that began before may have missed the new filter, and may return after us: wait until none is left.
    if (detail::wait_for_readers(options_.patience)) return {};
    publish(current_, nullptr);
    return invalid_argument("rebuild",
                            "a thread has been reading all the time since: a rebuild cannot begin before its "
                            "Reading ends (oldest_reader_age)");
  });
  if (!status.ok()) failed_rebuilds_.add();
  return status;
}

template <class Filter>
Status LiveFilter<Filter>::commit() {
  return guarded([&]() -> Status {
    const std::lock_guard lock(mutex_);
    if (!next_) return no_rebuild("commit");
    publish(next_, nullptr);
    end(kDamaged);
    rebuilds_.add();
    rebuild_ms_.record(ms_since(rebuild_began_));
    (void)retired_bytes_locked();
    return {};
  });
}

template <class Filter>
Status LiveFilter<Filter>::abort() {
  return guarded([&]() -> Status {
    const std::lock_guard lock(mutex_);
    if (!next_) return no_rebuild("abort");
    publish(current_, nullptr);
    aborted_.add();
    (void)retired_bytes_locked();
    return {};
  });
}

template <class Filter>
void LiveFilter<Filter>::reclaim() const {
  const std::lock_guard lock(mutex_);
  (void)retired_bytes_locked();
}

template <class Filter>
Status LiveFilter<Filter>::snapshot(const std::string& path, const SnapshotOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const std::shared_ptr<Version> version = [&] {
    const detail::ReadGuard guard;
    return state_.read(guard).current;
  }();
  Status status = [&] {
    const detail::RacyReads reads;
    return wire::save_snapshot(path, AnyView(version->filter.view()), std::nullopt, options.bytes_per_second);
  }();
  (status.ok() ? snapshots_ : failed_snapshots_).add();
  if (status.ok())
    last_snapshot_.store(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()),
                         std::memory_order_relaxed);
  snapshot_ms_.record(ms_since(start));
  return status;
}

template <class Filter>
bool LiveFilter<Filter>::sentinels_found(const Version& version) const {
  for (unsigned i = 0; i < options_.sentinels; ++i)
    if (!version.filter.contains(sentinel(i))) return false;
  return true;
}

template <class Filter>
bool LiveFilter<Filter>::self_check() {
  const detail::ReadGuard guard;
  self_checks_.add();
  if (sentinels_found(*state_.read(guard).current)) return true;
  begin(kDamaged);
  sentinel_failures_.add();
  return false;
}

template <class Filter>
void LiveFilter<Filter>::was_false_positive(std::string_view tenant) {
  count(kFalsePositives);
  tenants_->count(tenant, &TenantStats::false_positives);
}

template <class Filter>
void LiveFilter<Filter>::was_true_positive(std::string_view tenant) {
  tenants_->count(tenant, &TenantStats::true_positives);
}

template <class Filter>
void LiveFilter<Filter>::was_false_negative(std::string_view tenant) {
  count(kFalseNegatives);
  tenants_->count(tenant, &TenantStats::false_negatives);
}

template <class Filter>
LiveStats LiveFilter<Filter>::stats(std::uint64_t sample) const {
  LiveStats out;
  {
    const std::lock_guard lock(mutex_);
    out.retired_bytes = retired_bytes_locked();
    out.rebuilding = next_ != nullptr;
    out.bytes = current_->filter.size_bytes() + (out.rebuilding ? next_->filter.size_bytes() : 0);
    out.fed = out.rebuilding ? counters_.total(kFed) - fed_before_ : 0;
  }
  // Maybes first: with queries read later there are never more of them.
  out.maybes = counters_.total(kMaybes);
  out.queries = counters_.total(kQueries);
  out.new_adds = counters_.total(kNewAdds);
  out.adds = counters_.total(kAdds);
  out.false_positives = counters_.total(kFalsePositives);
  out.false_negatives = counters_.total(kFalseNegatives);
  out.self_checks = self_checks_.value();
  out.sentinel_failures = sentinel_failures_.value();
  out.rebuilds = rebuilds_.value();
  out.aborted_rebuilds = aborted_.value();
  out.failed_rebuilds = failed_rebuilds_.value();
  out.snapshots = snapshots_.value();
  out.failed_snapshots = failed_snapshots_.value();
  out.last_snapshot = last_snapshot_.load(std::memory_order_relaxed);
  out.disabled = disabled();
  out.damaged = damaged();
  out.reported_fpr = observed_rate(out.false_positives, out.queries - out.maybes + out.false_positives);
  {
    const detail::ReadGuard guard;
    const Version& version = *state_.read(guard).current;
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
  out.oldest_reader_age = detail::oldest_reader_age();
  out.tenants = tenants_->stats();
  return out;
}

template <class Filter>
Figures LiveFilter<Filter>::figures() const {
  Figures text(options_.name);
  detail::describe(text, stats());
  text.durations("rebuild_duration_seconds", "Duration of rebuilds, from begin to commit", rebuild_ms_);
  text.durations("snapshot_duration_seconds", "Duration of snapshots", snapshot_ms_);
  return text;
}

template class LiveFilter<ClassicFilter>;
template class LiveFilter<SplitFilter>;
template class LiveFilter<BlockFilter>;

}  // namespace bloomery
