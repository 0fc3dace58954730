// A filter in a running service: shared by all threads, rebuilt and swapped without a pause, saved while in use,
// watched, and switched off when it is the suspect. Policy around the filters; none of it is inside them.
//
//   auto live = bloomery::LiveFilter<bloomery::BlockFilter>::make({.n = 20'000'000, .fpr = 0.001});
//   (*live)->add(key);
//   if (!(*live)->contains(key)) ...            // definitely absent
//
//   (*live)->begin_rebuild(40'000'000, 0.001);  // from here on every add goes to both filters
//   for (... all keys of the source of truth ...) (*live)->feed(key);
//   (*live)->commit();                          // one atomic step
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/detail/published.h"
#include "bloomery/figures.h"
#include "bloomery/file.h"
#include "bloomery/live/shared.h"
#include "bloomery/metrics.h"

namespace BLOOMERY_NAMESPACE {

namespace detail {
class Tenants;
}

struct LiveOptions {
  std::uint64_t n = 0;  // keys it is sized for
  double fpr = 0.01;
  std::optional<Hasher> hasher = {};  // the kind's own unless given; a keyed one against hostile keys
  std::string name = "filter";        // the label of its metrics
  unsigned sentinels = 16;            // keys of our own whose loss shows damaged memory
  unsigned tenants = 64;              // the most that feedback is counted for by name; the rest are "other"
  // How long begin_rebuild waits for a Reading, or for a snapshot of the filter before, until it gives up.
  std::chrono::milliseconds patience{10'000};
  // Touches every page of a new filter, the rebuild's too, on so many threads before it is used. With 0 pages are
  // faulted in by the first adds.
  unsigned prefault = 0;
  // Keeps every filter in memory, never swapped out. What make, load or begin_rebuild then cannot lock is their error.
  bool lock_memory = false;
  MemorySource* memory = nullptr;  // of every filter; the system unless given, and kept as long as the LiveFilter
};

struct SnapshotOptions {
  std::uint64_t bytes_per_second = 0;  // 0: as fast as the disk
};

// A rate, and the bounds that hold the true one in 95 of 100 cases.
struct ObservedRate {
  double rate = 0, low = 0, high = 1;
  std::uint64_t asked = 0;  // of so many
};
BLOOMERY_API ObservedRate observed_rate(std::uint64_t hits, std::uint64_t asked);

// What a tenant reported. Its lookups are not counted by tenant, which every one of them would pay for, so there is no
// false-positive rate here; of the maybes that it looked up in the source of truth, the share that was wrong.
struct TenantStats {
  std::string name;
  std::uint64_t false_positives = 0, true_positives = 0, false_negatives = 0;
  ObservedRate wrong_maybes = {};
};

// What a live filter says of itself; see LiveFilter::stats.
struct LiveStats {
  std::uint64_t queries = 0, maybes = 0, adds = 0, new_adds = 0;
  std::uint64_t false_positives = 0;  // reported by was_false_positive
  std::uint64_t false_negatives = 0;  // reported by was_false_negative: must stay 0
  std::uint64_t self_checks = 0, sentinel_failures = 0;
  std::uint64_t rebuilds = 0, aborted_rebuilds = 0, failed_rebuilds = 0;  // failed: begin_rebuild refused
  std::uint64_t snapshots = 0, failed_snapshots = 0;
  std::time_t last_snapshot = 0;               // when this process wrote one, in seconds since 1970; 0: never
  std::uint64_t bytes = 0, retired_bytes = 0;  // in use (both filters during a rebuild); waiting to be freed
  std::uint64_t designed_count = 0;
  std::optional<std::uint64_t> estimated_count;
  double fill = 0, capacity_used = 0;  // estimated over designed count; infinite when all bits are set
  double designed_fpr = 0, predicted_fpr = 0;
  ObservedRate sampled_fpr;   // of random hashes, asked now
  ObservedRate reported_fpr;  // false_positives among the queries of absent keys
  bool rebuilding = false, disabled = false, damaged = false;
  std::uint64_t fed = 0;  // keys, of the rebuild under way
  std::chrono::nanoseconds oldest_reader_age{0};
  std::vector<TenantStats> tenants = {};  // by name, "other" last
};

// A filter in a running service. Safe from any thread: lookups and adds are wait-free and take no memory; what
// rebuilds, saves or measures takes a lock that they do not. Owns its filters; it must outlive every Reading.
template <class Filter>
class LiveFilter {
 public:
  using View = typename Filter::View;

  BLOOMERY_API static Result<std::unique_ptr<LiveFilter>> make(const LiveOptions& options);
  // Starts from a saved filter, with its geometry and keys; options.n and fpr say what it is designed for. Refuses
  // another kind.
  BLOOMERY_API static Result<std::unique_ptr<LiveFilter>> load(const std::string& path, const LiveOptions& options,
                                                               const OpenOptions& open = {});
  BLOOMERY_API ~LiveFilter();

  // False: never added. Always true while disabled or damaged.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool contains(const T& key) const {
    const detail::ReadGuard guard(state_.readers());
    const State& state = state_.read(guard);
    bool maybe = true;
    if (answering(state)) [[likely]]
      maybe = state.filter->contains(key);
    state_.readers().count(guard.place(), kQueries, kMaybes, maybe);
    return maybe;
  }
  template <KeyRange Keys>
  void contains_many(const Keys& keys, std::span<std::uint8_t> answers) const {
    const std::size_t count = std::size(keys);
    detail::check_lengths("contains_many", count, answers.size());
    const detail::ReadGuard guard(state_.readers());
    const State& state = state_.read(guard);
    if (answering(state)) state.filter->contains_many(keys, answers);
    else std::fill_n(answers.begin(), count, std::uint8_t{1});
    std::uint64_t maybes = 0;
    for (std::size_t i = 0; i < count; ++i) maybes += answers[i];
    state_.readers().count(guard.place(), kQueries, count);
    state_.readers().count(guard.place(), kMaybes, maybes);
  }

  // One filter for several questions, whatever is committed meanwhile; they are not counted, and neither the switch nor
  // damage changes their answers. Several of them end in any order and on any thread, but before the LiveFilter does.
  // Memory cannot be freed while one lives: end it soon.
  class Reading {
   public:
    const Shared<Filter>& filter() const { return *filter_; }

   private:
    friend class LiveFilter;
    explicit Reading(const LiveFilter& live)
        : guard_(live.state_.readers()), filter_(live.state_.read(guard_).filter) {}

    detail::HeldGuard guard_;
    const Shared<Filter>* filter_;
  };
  Reading read() const { return Reading(*this); }

  // To the filter in use, and to the one being built. Whether it changed the one in use.
  template <Key T>
  bool add(const T& key) {
    const detail::ReadGuard guard(state_.readers());
    const State& state = state_.read(guard);
    const bool changed = state.filter->add(key);
    if (state.next) state.next->filter.add(key);
    state_.readers().count(guard.place(), kAdds, kNewAdds, changed);
    return changed;
  }

  // Adds all that another filter holds, while lookups and adds go on; nobody may be writing to it. Every key of it is
  // there from the return on, in the filter of a rebuild under way too. Refuses another geometry or hash than that of
  // the filter in use, or of the rebuild's; then nothing has changed. A rebuild that begins or ends meanwhile waits.
  BLOOMERY_API Status merge(const View& other);
  Status merge(const Filter& other) { return merge(other.view()); }

  // Starts a second filter. From its return on every add goes to both, so the caller can now read the source of truth
  // and feed all its keys, from any threads. Write a key there first and add it here then: one that is added here first
  // is missed by a rebuild that begins and reads the truth between the two. Memory: that of both until commit, and the
  // old one until its last reader is done.
  //
  // A fresh hasher (a new secret) may go with it. Then add and feed keys, never a Hash: nothing tells which hasher a
  // Hash was made by, both filters take it for their own, and after commit the new one denies the key.
  BLOOMERY_API Status begin_rebuild(std::uint64_t n, double fpr, std::optional<Hasher> hasher = {});
  template <Key T>
  Status feed(const T& key) {
    const detail::ReadGuard guard(state_.readers());
    const State& state = state_.read(guard);
    if (!state.next) return no_rebuild("feed");
    state.next->filter.add(key);
    state_.readers().count(guard.place(), kFed, 1);
    return {};
  }
  template <KeyRange Keys>
  Status feed_many(const Keys& keys) {
    const detail::ReadGuard guard(state_.readers());
    const State& state = state_.read(guard);
    if (!state.next) return no_rebuild("feed");
    BLOOMERY_TRY(state.next->filter.add_many(keys));
    state_.readers().count(guard.place(), kFed, std::size(keys));
    return {};
  }
  // Swaps in one atomic step: every lookup asks the old filter or the new one.
  BLOOMERY_API Status commit();
  // Drops the filter under way; the one in use was never touched.
  BLOOMERY_API Status abort();

  // Writes the envelope while adds and lookups go on: it holds every add that returned before, is whole or absent after
  // a crash at any moment, and can be held to a rate. No lookup and no add waits for it.
  BLOOMERY_API Status snapshot(const std::string& path, const SnapshotOptions& options = {});

  // The kill switch: every answer is "maybe" until enable(), which costs speed and never correctness. Adds go on. The
  // environment variable BLOOMERY_DISABLE, when set to anything but 0, has the same effect from the start.
  void disable() { set_doubt(kDisabled); }
  void enable() { clear_doubt(kDisabled); }
  bool disabled() const { return has_doubt(kDisabled); }

  // Whether all sentinels are found. When not, a bit was lost: every answer is "maybe" from then on, until a rebuild.
  BLOOMERY_API bool self_check();
  BLOOMERY_API bool damaged() const;

  // Feedback of the caller: a "maybe" that the truth denied; a "no" that it did not (see audit in the handbook).
  void was_false_positive() { count(kFalsePositives); }
  void was_false_negative() { count(kFalseNegatives); }
  // Feedback on behalf of a tenant, counted for it as well. Report its right maybes too, all or a sample in which both
  // have the same chance to be: else the share of wrong ones means nothing. A name may be anything; the first
  // LiveOptions::tenants are kept, cut to 128 bytes. Takes a lock.
  BLOOMERY_API void was_false_positive(std::string_view tenant);
  BLOOMERY_API void was_true_positive(std::string_view tenant);
  BLOOMERY_API void was_false_negative(std::string_view tenant);

  // Reads the whole filter and asks `sample` random hashes. The one error of these four is out_of_memory.
  BLOOMERY_API Result<LiveStats> stats(std::uint64_t sample = 100'000) const;
  // The stats as figures to be printed, with the histograms of durations; figures.h puts several filters on one page.
  BLOOMERY_API Result<Figures> figures() const;
  // Prometheus text exposition and JSON of them.
  BLOOMERY_API Result<std::string> prometheus() const;
  BLOOMERY_API Result<std::string> json() const;

  // Frees what no reader can see any more; also done by begin_rebuild, commit, abort and stats.
  BLOOMERY_API void reclaim() const;

 private:
  struct Version {
    Version(Shared<Filter> shared, std::uint64_t designed_n, double designed_fpr)
        : filter(std::move(shared)), n(designed_n), fpr(designed_fpr) {}

    Shared<Filter> filter;
    std::uint64_t n;
    double fpr;
    std::atomic<bool> damaged{false};  // found by self_check; never taken back
  };
  // Lookups read it under a guard; a snapshot, which may take minutes, shares the version itself.
  struct State {
    State(std::shared_ptr<Version> now, std::shared_ptr<Version> then)
        : filter(&now->filter), current(std::move(now)), next(std::move(then)) {}

    Shared<Filter>* filter;                  // current's, for lookups: a step less to it
    std::shared_ptr<Version> current, next;  // next: during a rebuild
  };
  // Reasons to answer "maybe", in one byte: a lookup looks whether there is any. kDamage stays once a version was found
  // damaged, and only says to look at the mark of the version that is read: one that was taken back when another
  // version comes could be seen before that.
  enum Doubt : std::uint8_t { kDisabled = 1, kDamage = 2 };
  enum Event : std::size_t { kQueries, kMaybes, kAdds, kNewAdds, kFed, kFalsePositives, kFalseNegatives, kEvents };

  LiveFilter(LiveOptions options, std::shared_ptr<Version> first);

  bool answering(const State& state) const {
    const std::uint8_t doubts = doubts_.load(std::memory_order_relaxed);
    return doubts == 0 || (doubts == kDamage && !state.current->damaged.load(std::memory_order_relaxed));
  }
  bool has_doubt(Doubt doubt) const { return (doubts_.load(std::memory_order_relaxed) & doubt) != 0; }
  void set_doubt(Doubt doubt) { doubts_.fetch_or(doubt, std::memory_order_relaxed); }
  void clear_doubt(Doubt doubt) { doubts_.fetch_and(static_cast<std::uint8_t>(~doubt), std::memory_order_relaxed); }
  void count(Event event) { state_.readers().count(detail::this_place(), event, 1); }
  BLOOMERY_API static Status no_rebuild(const char* what);
  static Result<std::shared_ptr<Version>> new_version(Result<Filter> filter, std::uint64_t n, double fpr,
                                                      const LiveOptions& options);
  void make_room();
  void publish(std::unique_ptr<const State> state);
  std::uint64_t retired_bytes_locked() const;
  bool wait_for_retired() const;
  Status start_next(std::shared_ptr<Version> next);
  bool sentinels_found(const Version& version) const;
  void count_events(LiveStats& out) const;
  void measure(LiveStats& out, std::uint64_t sample) const;

  // Read by every lookup, written hardly ever.
  alignas(detail::kNoSharing) mutable detail::Published<State> state_;
  std::atomic<std::uint8_t> doubts_{0};

  static_assert(kEvents <= detail::Readers::kEvents);

  // The business of those who replace. rebuilding_ is held by all of begin_rebuild, commit or abort, which may wait for
  // readers; mutex_ after it, and never for long.
  alignas(detail::kNoSharing) std::mutex rebuilding_;
  mutable std::mutex mutex_;
  LiveOptions options_;
  std::shared_ptr<Version> current_, next_;               // changed under both
  mutable std::vector<std::weak_ptr<Version>> replaced_;  // those that somebody may still be reading
  std::chrono::steady_clock::time_point rebuild_began_;
  std::uint64_t fed_before_ = 0;  // of rebuilds that have ended
  Counter self_checks_, sentinel_failures_, rebuilds_, aborted_, failed_rebuilds_, snapshots_, failed_snapshots_;
  std::atomic<std::time_t> last_snapshot_{0};
  Histogram rebuild_ms_, snapshot_ms_;
  std::unique_ptr<detail::Tenants> tenants_;
};

}  // namespace BLOOMERY_NAMESPACE
