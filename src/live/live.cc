#include "bloomery/live/live.h"

#include <algorithm>
#include <thread>

#include "bloomery/detail/fnv.h"
#include "core/base/error.h"
#include "format/snapshot.h"
#include "live/kill_switch.h"
#include "live/tenants.h"

namespace BLOOMERY_NAMESPACE {
namespace {

// Sentinels are hashes, so that no key of the caller's has to be set aside for them.
Hash sentinel(unsigned number) { return Hash(detail::splitmix64(0x5e47'1e1d'0000'0000 + number)); }

constexpr std::chrono::milliseconds kLongestPatience = std::chrono::hours(24);

std::uint64_t ms_since(std::chrono::steady_clock::time_point start) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start).count());
}

Error other_hash(const Hasher& of_file, const Hasher& given) {
  std::string difference = std::string("hashes by ") + to_string(of_file.id()) + ", and the options ask for ";
  if (given.id() != of_file.id()) difference += to_string(given.id());
  else difference += takes_secret(given.id()) ? "another secret" : "another seed";
  return mismatch("hash", std::move(difference) +
                              ": leave the hash out to load the file as it is, and give begin_rebuild the new one");
}

}  // namespace

template <class Filter>
Result<std::shared_ptr<typename LiveFilter<Filter>::Version>> LiveFilter<Filter>::new_version(
    Result<Filter> filter, std::uint64_t n, double fpr, const LiveOptions& options) {
  BLOOMERY_TRY(filter);
  if (options.prefault > 0) BLOOMERY_TRY(filter->prefault(options.prefault));
  if (options.lock_memory) BLOOMERY_TRY(filter->lock_in_memory());
  auto version = std::make_shared<Version>(Shared<Filter>(*std::move(filter)), n, fpr);
  for (unsigned i = 0; i < options.sentinels; ++i) version->filter.add(sentinel(i));
  return version;
}

// Limits the patience, which is compared with elapsed nanoseconds: 64 bits hold 292 years of them.
template <class Filter>
LiveFilter<Filter>::LiveFilter(LiveOptions options, std::shared_ptr<Version> first)
    : state_(std::make_unique<const State>(first, nullptr)),
      doubts_(disabled_by_environment() ? std::uint8_t{kDisabled} : std::uint8_t{0}),
      options_(std::move(options)),
      current_(std::move(first)),
      tenants_(std::make_unique<detail::Tenants>(options_.tenants)) {
  options_.patience = std::clamp(options_.patience, std::chrono::milliseconds(0), kLongestPatience);
}

template <class Filter>
LiveFilter<Filter>::~LiveFilter() = default;

template <class Filter>
Result<std::unique_ptr<LiveFilter<Filter>>> LiveFilter<Filter>::make(const LiveOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<LiveFilter>> {
    Result<std::shared_ptr<Version>> first =
        new_version(Filter::with_capacity(options.n, options.fpr, {options.hasher, options.memory}), options.n,
                    options.fpr, options);
    BLOOMERY_TRY(first);
    return std::unique_ptr<LiveFilter>(new LiveFilter(options, *std::move(first)));
  });
}

template <class Filter>
Result<std::unique_ptr<LiveFilter<Filter>>> LiveFilter<Filter>::load(const std::string& path,
                                                                     const LiveOptions& options,
                                                                     const OpenOptions& open) {
  return guarded([&]() -> Result<std::unique_ptr<LiveFilter>> {
    Result<FilterFile> file = FilterFile::open(path, open);
    BLOOMERY_TRY(file);
    const View* view = file->view().as<View>();
    if (view == nullptr)
      return in_file(unsupported("kind", std::string("holds a ") + to_string(file->view().kind()) +
                                             " filter, and this live filter is of another kind: load it as that"),
                     path);
    if (!file->answers_keys()) return in_file(unsupported("secret", "was opened without its secret"), path);
    if (options.hasher && *options.hasher != view->hasher())
      return in_file(other_hash(view->hasher(), *options.hasher), path);
    Result<std::shared_ptr<Version>> first =
        new_version(Filter::copy_of(*view, file->info().key_count, options.memory), options.n, options.fpr, options);
    BLOOMERY_TRY(first);
    return std::unique_ptr<LiveFilter>(new LiveFilter(options, *std::move(first)));
  });
}

template <class Filter>
Status LiveFilter<Filter>::no_rebuild(const char* what) {
  return guarded([&]() -> Status {
    return invalid_argument("rebuild", std::string("no rebuild is under way: begin_rebuild comes before ") + what);
  });
}

// Takes memory now, so that the next two calls of publish need none.
template <class Filter>
void LiveFilter<Filter>::make_room() {
  const std::lock_guard lock(mutex_);
  replaced_.reserve(replaced_.size() + 4);
  state_.make_room(2);
}

// Call it after make_room, under rebuilding_. A version that is neither current nor next any more is freed when nobody
// can be reading it.
template <class Filter>
void LiveFilter<Filter>::publish(std::unique_ptr<const State> state) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Version> current = state->current, next = state->next;
  state_.replace(std::move(state));
  for (const std::shared_ptr<Version>& before : {current_, next_})
    if (before && before != current && before != next) replaced_.push_back(before);
  current_ = std::move(current);
  next_ = std::move(next);
}

// Frees what can be freed, and returns how much cannot. Call it under mutex_.
template <class Filter>
std::uint64_t LiveFilter<Filter>::retired_bytes_locked() const {
  state_.reclaim();
  std::erase_if(replaced_, [](const std::weak_ptr<Version>& version) { return version.expired(); });
  std::uint64_t bytes = 0;
  for (const std::weak_ptr<Version>& version : replaced_)
    if (const std::shared_ptr<Version> alive = version.lock()) bytes += alive->filter.bytes();
  return bytes;
}

// Whether nothing that was replaced is held any more, after waiting for readers and snapshots if need be.
template <class Filter>
bool LiveFilter<Filter>::wait_for_retired() const {
  const auto start = std::chrono::steady_clock::now();
  const auto all_freed = [&] {
    const std::lock_guard lock(mutex_);
    return retired_bytes_locked() == 0;
  };
  while (!all_freed()) {
    if (std::chrono::steady_clock::now() - start > options_.patience) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return true;
}

// Call it under rebuilding_. From its return on every add goes to both filters; on an error there is one, as before.
template <class Filter>
Status LiveFilter<Filter>::start_next(std::shared_ptr<Version> next) {
  make_room();
  auto both = std::make_unique<const State>(current_, std::move(next));
  auto one = std::make_unique<const State>(current_, nullptr);
  {
    const std::lock_guard lock(mutex_);
    fed_before_ = state_.readers().total(kFed);
  }
  publish(std::move(both));
  // An add that began before may have missed the new filter, and may return after us: wait until none is left.
  if (state_.readers().wait(options_.patience)) return {};
  publish(std::move(one));
  return invalid_argument("rebuild",
                          "a thread has been reading all the time since: a rebuild cannot begin before its "
                          "Reading ends (oldest_reader_age)");
}

template <class Filter>
Status LiveFilter<Filter>::begin_rebuild(std::uint64_t n, double fpr, std::optional<Hasher> hasher) {
  Status status = guarded([&]() -> Status {
    const std::lock_guard lock(rebuilding_);
    if (next_)
      return invalid_argument("rebuild", "a rebuild is under way already: commit or abort it before another begins");
    if (!wait_for_retired())
      return invalid_argument("rebuild",
                              "the filter before this one is still being read, and a third would have to be held: look "
                              "for a Reading, a snapshot or stats that do not end (oldest_reader_age)");
    Result<std::shared_ptr<Version>> next = new_version(
        Filter::with_capacity(n, fpr, {hasher.value_or(current_->filter.hasher()), options_.memory}), n, fpr, options_);
    BLOOMERY_TRY(next);
    rebuild_began_ = std::chrono::steady_clock::now();
    return start_next(*std::move(next));
  });
  if (!status.ok()) failed_rebuilds_.add();
  return status;
}

template <class Filter>
Status LiveFilter<Filter>::commit() {
  return guarded([&]() -> Status {
    const std::lock_guard lock(rebuilding_);
    if (!next_) return no_rebuild("commit");
    make_room();
    publish(std::make_unique<const State>(next_, nullptr));
    rebuilds_.add();
    rebuild_ms_.record(ms_since(rebuild_began_));
    reclaim();
    return {};
  });
}

template <class Filter>
Status LiveFilter<Filter>::abort() {
  return guarded([&]() -> Status {
    const std::lock_guard lock(rebuilding_);
    if (!next_) return no_rebuild("abort");
    make_room();
    publish(std::make_unique<const State>(current_, nullptr));
    aborted_.add();
    reclaim();
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
  const std::lock_guard turn(saving_);
  const auto start = std::chrono::steady_clock::now();
  const std::shared_ptr<Version> version = [&] {
    const detail::ReadGuard guard(state_.readers());
    return state_.read(guard).current;
  }();
  Status status = guarded([&] {
    const detail::RacyReads reads;
    return format::save_snapshot(path, AnyView(version->filter.view()), std::nullopt, options.bytes_per_second,
                                 [&] { return check_undamaged(*version); });
  });
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

// Returns whether all sentinels are found. If not, the version counts as damaged from then on.
template <class Filter>
bool LiveFilter<Filter>::look_for_damage(Version& version) {
  if (sentinels_found(version)) return true;
  version.damaged.store(true, std::memory_order_relaxed);
  set_doubt(kDamage);
  sentinel_failures_.add();
  return false;
}

// Refuses a version that is known to be damaged, or is found to be now.
template <class Filter>
Status LiveFilter<Filter>::check_undamaged(Version& version) {
  if (!version.damaged.load(std::memory_order_relaxed) && look_for_damage(version)) return {};
  return corrupt("sentinels",
                 "the filter lost bits, and a snapshot would deny keys once it is loaded: rebuild the filter, or load "
                 "the last good snapshot");
}

template <class Filter>
bool LiveFilter<Filter>::self_check() {
  const detail::ReadGuard guard(state_.readers());
  self_checks_.add();
  return look_for_damage(*state_.read(guard).current);
}

template <class Filter>
bool LiveFilter<Filter>::damaged() const {
  const detail::ReadGuard guard(state_.readers());
  return state_.read(guard).current->damaged.load(std::memory_order_relaxed);
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

template class LiveFilter<ClassicFilter>;
template class LiveFilter<SplitFilter>;
template class LiveFilter<BlockFilter>;

}  // namespace BLOOMERY_NAMESPACE
