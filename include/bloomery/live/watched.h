// A filter that threads share, with the figures, the kill switch and the snapshots of a LiveFilter around it: for the
// filters that are not rebuilt in place.
//
//   using Sessions = bloomery::Shared<bloomery::CuckooFilter>;
//   auto shared = std::make_unique<Sessions>(*Sessions::with_capacity(1'000'000, 0.002));
//   auto sessions = bloomery::Watched<Sessions>::make(std::move(shared), {.n = 1'000'000, .fpr = 0.002});
//   (*sessions)->add(key);
//   page = bloomery::prometheus(std::vector{*users->figures(), *(*sessions)->figures()});  // beside a LiveFilter
//
// The filter is a RotatingFilter, a PerNode, a Shared<CuckooFilter> or a Shared<CountingFilter>. The figures are those
// of LiveFilter, under the same names; figures of what such a filter never does (rebuilds, sentinels) stay 0.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "bloomery/detail/compiled_for.h"
#include "bloomery/live/live.h"
#include "bloomery/live/per_node.h"
#include "bloomery/live/rotating.h"
#include "bloomery/live/shared_counting.h"
#include "bloomery/live/shared_cuckoo.h"

namespace BLOOMERY_NAMESPACE {

struct WatchedOptions {
  std::uint64_t n = 0;  // the keys that it is designed for; those of one window for a RotatingFilter
  double fpr = 0.01;
  std::string name = "filter";  // the label of its metrics
  unsigned tenants = 64;        // as LiveOptions::tenants
};

// A filter with its figures. The threads that may use the filter may use this: lookups and adds count themselves on a
// cache line of their thread, and take no lock that the filter does not take. It owns the filter.
template <class Filter>
class Watched {
 public:
  // Takes the filter over, which must not be null.
  BLOOMERY_API static Result<std::unique_ptr<Watched>> make(std::unique_ptr<Filter> filter,
                                                            const WatchedOptions& options);
  BLOOMERY_API ~Watched();

  // False: the key was never added. It is always true while the filter is disabled.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool contains(const T& key) const noexcept {
    const bool maybe = disabled() || filter_->contains(key);
    readers_.count(detail::this_place(), kQueries, kMaybes, maybe);
    return maybe;
  }
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_many(const Keys& keys, std::span<std::uint8_t> answers) const noexcept {
    const std::size_t count = std::size(keys);
    detail::check_lengths("contains_many", count, answers.size());
    if (disabled()) std::fill_n(answers.begin(), count, std::uint8_t{1});
    else filter_->contains_many(keys, answers);
    std::uint64_t maybes = 0;
    for (std::size_t i = 0; i < count; ++i) maybes += answers[i];
    readers_.count(detail::this_place(), kQueries, count);
    readers_.count(detail::this_place(), kMaybes, maybes);
  }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  void contains_many(std::initializer_list<T> keys, std::span<std::uint8_t> answers) const noexcept {
    contains_many(std::span(keys.begin(), keys.size()), answers);
  }
  template <KeyIterator Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_many(Keys first, Keys last, std::span<std::uint8_t> answers) const noexcept {
    contains_many(std::span(first, last), answers);
  }
  // Returns what the filter's own add returns: a bool, or a Status if it may be full. A refused add counts as an add,
  // and not as a new key.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  auto add(const T& key) {
    auto done = filter_->add(key);
    readers_.count(detail::this_place(), kAdds, kNewAdds, changed(done));
    return done;
  }
  // Adds all keys in order, and counts each as `add` does. On an error the keys before the refused one are in. Keys are
  // hashed as a batch and added one by one, each to the window that is then the newest of a RotatingFilter, so that the
  // new ones can be counted; filter().add_many(keys) is faster and counts nothing.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  Status add_many(const Keys& keys) {
    Status status;
    std::uint64_t adds = 0, new_adds = 0;
    detail::for_hash_groups(filter_->hasher(), keys, [&](std::size_t, std::span<const Hash> hashes) {
      for (std::size_t i = 0; i < hashes.size() && status.ok(); ++i) {
        auto done = filter_->add(hashes[i]);
        ++adds;
        new_adds += static_cast<std::uint64_t>(changed(done));
        if constexpr (std::is_same_v<decltype(done), Status>) status = std::move(done);
      }
    });
    readers_.count(detail::this_place(), kAdds, adds);
    readers_.count(detail::this_place(), kNewAdds, new_adds);
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
  // Only for kinds that can remove.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool remove(const T& key) {
    return filter_->remove(key);
  }
  // These do not compile; the compiler shows the comment, which says what to do instead.
  // clang-format off
  template <class T> bool contains(const T&) const requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <class T> void add(const T&) requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <class T> bool remove(const T&) requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <RangeWithoutHash R> void contains_many(const R&, std::span<std::uint8_t>) const = delete;  // no hash of its elements: write bloomery_hash
  template <KeyRange Keys, class A> void contains_many(const Keys&, A&&) const requires(!AnswerBytes<A>) = delete;  // answers are bytes: std::vector<std::uint8_t>, not std::vector<bool>
  template <RangeWithoutHash R> Status add_many(const R&) = delete;  // no hash of its elements: write bloomery_hash
  // clang-format on

  // Return the filter itself, for all else that it can do. What is asked there is not counted.
  Filter& filter() { return *filter_; }
  const Filter& filter() const { return *filter_; }

  // Saves a copy while adds and lookups go on, which takes the memory of one more filter. The file holds every add that
  // returned before the call, and is whole or absent after a crash at any moment. Snapshots of one filter take turns,
  // so that none replaces a newer one. A RotatingFilter is saved without a copy, in a file PATH.EPOCH for each
  // generation; RotatingFilter::load reads them. Files of older epochs may be removed.
  BLOOMERY_API Status snapshot(const std::string& path, const SnapshotOptions& options = {});

  // As in LiveFilter.
  void disable() { disabled_.store(true, std::memory_order_relaxed); }
  void enable() { disabled_.store(false, std::memory_order_relaxed); }
  bool disabled() const { return disabled_.load(std::memory_order_relaxed); }
  void was_false_positive() { count(kFalsePositives); }
  void was_false_negative() { count(kFalseNegatives); }
  BLOOMERY_API void was_false_positive(std::string_view tenant);
  BLOOMERY_API void was_true_positive(std::string_view tenant);
  BLOOMERY_API void was_false_negative(std::string_view tenant);

  // Reads the whole filter, or a copy of a counting filter, and asks it for `sample` random hashes. A PerNode is
  // measured by its copy of node 0. A RotatingFilter is measured by its newest generation, but its rates are those of a
  // lookup. The only error of these two is out_of_memory.
  BLOOMERY_API Result<LiveStats> stats(std::uint64_t sample = 100'000) const;
  BLOOMERY_API Result<Figures> figures() const;

 private:
  enum Event : std::size_t { kQueries, kMaybes, kAdds, kNewAdds, kFalsePositives, kFalseNegatives };

  Watched(std::unique_ptr<Filter> filter, const WatchedOptions& options);
  static bool changed(bool done) { return done; }
  static bool changed(const Status& done) { return done.ok(); }
  void count(Event event) { readers_.count(detail::this_place(), event, 1); }

  std::unique_ptr<Filter> filter_;
  WatchedOptions options_;
  std::atomic<bool> disabled_;
  mutable detail::Readers readers_;  // for its counters: each thread has its own
  std::mutex saving_;                // held by a snapshot all the time
  Counter snapshots_, failed_snapshots_;
  std::atomic<std::time_t> last_snapshot_{0};
  Histogram snapshot_ms_;
  std::unique_ptr<detail::Tenants> tenants_;
};

}  // namespace BLOOMERY_NAMESPACE
