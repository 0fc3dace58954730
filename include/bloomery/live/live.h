// A filter in a running service: all threads share it; it is rebuilt and swapped without a pause, saved while in use,
// watched, and switched off when it is the suspect. All of this is policy around the filters, and none of it is inside
// them.
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
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/detail/compiled_for.h"
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
  // The kind's own unless given; a keyed one against hostile keys. load takes that of the file, and refuses the file
  // when another is given.
  std::optional<Hasher> hasher = {};
  std::string name = "filter";  // the label of its metrics
  unsigned sentinels = 16;      // keys of the library's own, whose loss shows damaged memory
  unsigned tenants = 64;        // how many tenants are counted by name; the rest are "other"
  // How long begin_rebuild waits for a Reading, or for a snapshot of the old filter, until it gives up; a day at most.
  std::chrono::milliseconds patience{10'000};
  // Touches every page of a new filter on so many threads before the filter is used, that of a rebuild too. With 0 the
  // first adds fault pages in.
  unsigned prefault = 0;
  // Locks every filter in memory, so that it is never swapped out. make, load and begin_rebuild fail if they cannot.
  bool lock_memory = false;
  MemorySource* memory = nullptr;  // of every filter; nullptr: the system. It must outlive the LiveFilter
};

struct SnapshotOptions {
  std::uint64_t bytes_per_second = 0;  // 0: as fast as the disk is
};

// A rate, and the bounds between which the true rate lies in 95 of 100 cases.
struct ObservedRate {
  double rate = 0, low = 0, high = 1;
  std::uint64_t asked = 0;  // how many questions the rate is taken from
};
BLOOMERY_API ObservedRate observed_rate(std::uint64_t hits, std::uint64_t asked);

// What a tenant reported. Lookups are not counted by tenant, because every lookup would pay for that; so there is no
// false-positive rate here. wrong_maybes is the share of wrong ones among the maybes that the tenant looked up in the
// source of truth.
struct TenantStats {
  std::string name;
  std::uint64_t false_positives = 0, true_positives = 0, false_negatives = 0;
  ObservedRate wrong_maybes = {};
};

// The figures of a live filter; see LiveFilter::stats.
struct LiveStats {
  std::uint64_t queries = 0, maybes = 0, adds = 0, new_adds = 0;
  std::uint64_t false_positives = 0;  // reported by was_false_positive
  std::uint64_t false_negatives = 0;  // reported by was_false_negative: must stay 0
  std::uint64_t self_checks = 0, sentinel_failures = 0;
  std::uint64_t rebuilds = 0, aborted_rebuilds = 0, failed_rebuilds = 0;  // failed: begin_rebuild refused
  std::uint64_t snapshots = 0, failed_snapshots = 0;
  std::time_t last_snapshot = 0;               // when this process wrote one, in seconds since 1970; 0: never
  std::uint64_t bytes = 0, retired_bytes = 0;  // in use, by both filters during a rebuild; waiting to be freed
  std::uint64_t designed_count = 0;
  std::optional<std::uint64_t> estimated_count;
  double fill = 0, capacity_used = 0;  // estimated over designed count; infinite when all bits are set
  double designed_fpr = 0, predicted_fpr = 0;
  ObservedRate sampled_fpr;   // by random hashes, asked now
  ObservedRate reported_fpr;  // false_positives among the queries for absent keys
  bool rebuilding = false, disabled = false, damaged = false;
  std::uint64_t fed = 0;  // keys fed to the rebuild under way
  std::chrono::nanoseconds oldest_reader_age{0};
  std::vector<TenantStats> tenants = {};  // by name, "other" last
};

// A filter in a running service. Any thread may call any function: lookups and adds are wait-free and take no memory;
// what rebuilds, saves or measures takes a lock that they do not take. The child of a fork may look up and add; what
// takes a lock that another thread held at that moment never returns in it. It owns its filters, and must outlive every
// Reading.
template <class Filter>
class LiveFilter {
 public:
  using View = typename Filter::View;

  BLOOMERY_API static Result<std::unique_ptr<LiveFilter>> make(const LiveOptions& options);
  // Starts from a saved filter, with its geometry and keys; options.n and options.fpr say what it is designed for.
  // Refuses a filter of another kind, and one of another hash than options.hasher where that is given.
  BLOOMERY_API static Result<std::unique_ptr<LiveFilter>> load(const std::string& path, const LiveOptions& options,
                                                               const OpenOptions& open = {});
  BLOOMERY_API ~LiveFilter();

  // False: the key was never added. It is always true while the filter is disabled or damaged.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool contains(const T& key) const noexcept {
    const detail::ReadGuard guard(state_.readers());
    const State& state = state_.read(guard);
    bool maybe = true;
    if (answering(state)) [[likely]]
      maybe = state.filter->contains(key);
    state_.readers().count(guard.place(), kQueries, kMaybes, maybe);
    return maybe;
  }
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_many(const Keys& keys, std::span<std::uint8_t> answers) const noexcept {
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
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  void contains_many(std::initializer_list<T> keys, std::span<std::uint8_t> answers) const noexcept {
    contains_many(std::span(keys.begin(), keys.size()), answers);
  }
  template <KeyIterator Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_many(Keys first, Keys last, std::span<std::uint8_t> answers) const noexcept {
    contains_many(std::span(first, last), answers);
  }

  // Holds one filter for several questions, whatever is committed meanwhile. These questions are not counted, and
  // neither the switch nor damage changes their answers. Readings may end in any order and on any thread, but before
  // the LiveFilter does. No memory is freed while one lives: end it soon.
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

  // Adds a key to the filter in use, and to the one being rebuilt. Returns whether it changed the one in use.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool add(const T& key) {
    const detail::ReadGuard guard(state_.readers());
    const State& state = state_.read(guard);
    const bool changed = state.filter->add(key);
    if (state.next) state.next->filter.add(key);
    state_.readers().count(guard.place(), kAdds, kNewAdds, changed);
    return changed;
  }
  // Adds all keys as `add` does, and counts each. It never fails: these kinds take every key. begin_rebuild waits for a
  // batch under way, and nothing is freed meanwhile: LiveOptions::patience must be longer than the longest batch.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  Status add_many(const Keys& keys) {
    const detail::ReadGuard guard(state_.readers());
    const State& state = state_.read(guard);
    const std::size_t changed = state.filter->add_counting(keys);
    Status status;
    if (state.next) status = state.next->filter.add_many(keys);
    state_.readers().count(guard.place(), kAdds, std::size(keys));
    state_.readers().count(guard.place(), kNewAdds, changed);
    return status;
  }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  Status add_many(std::initializer_list<T> keys) {
    return add_many(std::span(keys.begin(), keys.size()));
  }
  template <KeyIterator Keys, unsigned kIsa = detail::kCompiledFor>
  Status add_many(Keys first, Keys last) {
    return add_many(std::span(first, last));
  }

  // Adds all that `other` holds, while lookups and adds go on; nobody may write to `other` meanwhile. From its return
  // on every key of `other` is found, in the filter of a rebuild under way too. Refuses another geometry or hash than
  // those of the filter in use and of the rebuild; then nothing has changed. begin_rebuild, commit and abort wait for
  // it.
  BLOOMERY_API Status merge(const View& other);
  Status merge(const Filter& other) { return merge(other.view()); }

  // Starts a second filter. From its return on every add goes to both filters, so that the caller can read the source
  // of truth and feed all its keys, from any threads. Write a key to the source of truth first and add it here
  // afterwards: a rebuild that begins and reads the truth in between would miss a key that was added here first. Both
  // filters take memory until commit, and the old one until its last reader is done.
  //
  // The new filter may have another hasher (a new secret). Then add and feed keys, never a Hash: nothing says which
  // hasher computed a Hash, both filters would take it for their own, and after commit the new one would deny the key.
  BLOOMERY_API Status begin_rebuild(std::uint64_t n, double fpr, std::optional<Hasher> hasher = {});
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  Status feed(const T& key) {
    const detail::ReadGuard guard(state_.readers());
    const State& state = state_.read(guard);
    if (!state.next) return no_rebuild("feed");
    state.next->filter.add(key);
    state_.readers().count(guard.place(), kFed, 1);
    return {};
  }
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  Status feed_many(const Keys& keys) {
    const detail::ReadGuard guard(state_.readers());
    const State& state = state_.read(guard);
    if (!state.next) return no_rebuild("feed");
    BLOOMERY_TRY(state.next->filter.add_many(keys));
    state_.readers().count(guard.place(), kFed, std::size(keys));
    return {};
  }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  Status feed_many(std::initializer_list<T> keys) {
    return feed_many(std::span(keys.begin(), keys.size()));
  }
  template <KeyIterator Keys, unsigned kIsa = detail::kCompiledFor>
  Status feed_many(Keys first, Keys last) {
    return feed_many(std::span(first, last));
  }

  // These do not compile; the compiler shows the comment, which says what to do instead.
  // clang-format off
  template <class T> bool contains(const T&) const requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <class T> bool add(const T&) requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <class T> Status feed(const T&) requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <RangeWithoutHash R> void contains_many(const R&, std::span<std::uint8_t>) const = delete;  // no hash of its elements: write bloomery_hash
  template <KeyRange Keys, class A> void contains_many(const Keys&, A&&) const requires(!AnswerBytes<A>) = delete;  // answers are bytes: std::vector<std::uint8_t>, not std::vector<bool>
  template <RangeWithoutHash R> Status add_many(const R&) = delete;  // no hash of its elements: write bloomery_hash
  template <RangeWithoutHash R> Status feed_many(const R&) = delete;  // no hash of its elements: write bloomery_hash
  // clang-format on

  // Swaps the filters in one atomic step: every lookup asks the old filter or the new one.
  BLOOMERY_API Status commit();
  // Drops the new filter. The one in use was never touched.
  BLOOMERY_API Status abort();

  // Saves the filter while adds and lookups go on; none of them waits for it. The file holds every add that returned
  // before the call, and is whole or absent after a crash at any moment. Snapshots of one filter take turns, so that
  // none replaces a newer one. A damaged filter is refused (ErrorCode::corrupt), and the file stays as it was. The
  // options can limit its rate.
  BLOOMERY_API Status snapshot(const std::string& path, const SnapshotOptions& options = {});

  // The kill switch. Every answer is "maybe" from disable() to enable(), which costs speed and never correctness. Adds
  // go on. The environment variable BLOOMERY_DISABLE, when set to anything but 0, disables the filter from the start.
  void disable() { set_doubt(kDisabled); }
  void enable() { clear_doubt(kDisabled); }
  bool disabled() const { return has_doubt(kDisabled); }

  // Returns whether all sentinels are found. If not, a bit was lost, and every answer is "maybe" until a rebuild.
  BLOOMERY_API bool self_check();
  BLOOMERY_API bool damaged() const;

  // The caller reports that a "maybe" was wrong, or that a "no" was (see audit in the handbook).
  void was_false_positive() { count(kFalsePositives); }
  void was_false_negative() { count(kFalseNegatives); }
  // The caller reports for a tenant, which is counted for that tenant as well. Report right maybes too, all of them or
  // a sample in which right and wrong ones have the same chance; otherwise the share of wrong ones means nothing. A
  // name may be anything; the first LiveOptions::tenants names are kept, cut to 128 bytes. These take a lock.
  BLOOMERY_API void was_false_positive(std::string_view tenant);
  BLOOMERY_API void was_true_positive(std::string_view tenant);
  BLOOMERY_API void was_false_negative(std::string_view tenant);

  // Reads the whole filter and asks it for `sample` random hashes. The only error of these four is out_of_memory.
  BLOOMERY_API Result<LiveStats> stats(std::uint64_t sample = 100'000) const;
  // Returns the stats as figures, with the histograms of durations; figures.h puts several filters on one page.
  BLOOMERY_API Result<Figures> figures() const;
  // Return the figures as Prometheus text exposition and as JSON.
  BLOOMERY_API Result<std::string> prometheus() const;
  BLOOMERY_API Result<std::string> json() const;

  // Frees what no reader can see any more. begin_rebuild, commit, abort and stats do so too.
  BLOOMERY_API void reclaim() const;

 private:
  struct Version {
    Version(Shared<Filter> shared, std::uint64_t designed_n, double designed_fpr)
        : filter(std::move(shared)), n(designed_n), fpr(designed_fpr) {}

    Shared<Filter> filter;
    std::uint64_t n;
    double fpr;
    std::atomic<bool> damaged{false};  // set by self_check and snapshot, never cleared
  };
  // Lookups read it under a guard; a snapshot, which may take minutes, and stats share the version itself.
  struct State {
    State(std::shared_ptr<Version> now, std::shared_ptr<Version> then)
        : filter(&now->filter), current(std::move(now)), next(std::move(then)) {}

    Shared<Filter>* filter;                  // that of current, one step nearer for lookups
    std::shared_ptr<Version> current, next;  // next is null but during a rebuild
  };
  // The reasons to answer "maybe", in one byte, so that a lookup tests whether there is any. kDamage is never cleared
  // once a version was damaged: it makes lookups read the mark of their own version. If it were cleared when another
  // version comes, a lookup could see it cleared and still ask the damaged version.
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
  bool look_for_damage(Version& version);
  Status check_undamaged(Version& version);
  void count_events(LiveStats& out) const;
  static void measure(const Version& version, LiveStats& out, std::uint64_t sample);

  // Every lookup reads these; they are hardly ever written.
  alignas(detail::kNoSharing) mutable detail::Published<State> state_;
  std::atomic<std::uint8_t> doubts_{0};

  static_assert(kEvents <= detail::Readers::kEvents);

  // What only writers use. begin_rebuild, commit and abort hold rebuilding_ all the time, and may wait for readers.
  // They take mutex_ after it, and never hold that for long. A snapshot holds saving_ all the time, and no other.
  alignas(detail::kNoSharing) std::mutex rebuilding_;
  std::mutex saving_;
  mutable std::mutex mutex_;
  LiveOptions options_;
  std::shared_ptr<Version> current_, next_;               // changed under both mutexes
  mutable std::vector<std::weak_ptr<Version>> replaced_;  // versions that somebody may still be reading
  std::chrono::steady_clock::time_point rebuild_began_;
  std::uint64_t fed_before_ = 0;  // keys fed to rebuilds that have ended
  Counter self_checks_, sentinel_failures_, rebuilds_, aborted_, failed_rebuilds_, snapshots_, failed_snapshots_;
  std::atomic<std::time_t> last_snapshot_{0};
  Histogram rebuild_ms_, snapshot_ms_;
  std::unique_ptr<detail::Tenants> tenants_;
};

}  // namespace BLOOMERY_NAMESPACE
