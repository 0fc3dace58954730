// A filter that threads share, with the figures, the kill switch and the snapshots of a LiveFilter around it: for the
// filters that are not rebuilt in place.
//
//   using Sessions = bloomery::Shared<bloomery::CuckooFilter>;
//   auto shared = std::make_unique<Sessions>(*Sessions::with_capacity(1'000'000, 0.002));
//   auto sessions = bloomery::Watched<Sessions>::make(std::move(shared), {.n = 1'000'000, .fpr = 0.002});
//   (*sessions)->add(key);
//   page = bloomery::prometheus(std::vector{*users->figures(), *(*sessions)->figures()});  // beside a LiveFilter
//
// Of a RotatingFilter, a PerNode, a Shared<CuckooFilter> and a Shared<CountingFilter>. The figures are those of
// LiveFilter under the same names; of what such a filter never does (rebuilds, checks of sentinels) they stay 0.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "bloomery/live/live.h"
#include "bloomery/live/per_node.h"
#include "bloomery/live/rotating.h"
#include "bloomery/live/shared_counting.h"
#include "bloomery/live/shared_cuckoo.h"

namespace BLOOMERY_NAMESPACE {

struct WatchedOptions {
  std::uint64_t n = 0;  // what it is designed for, as it was created: of a RotatingFilter the keys of one window
  double fpr = 0.01;
  std::string name = "filter";  // the label of its metrics
  unsigned tenants = 64;        // as LiveOptions::tenants
};

// A filter with its figures. Safe from any thread as far as the filter is: lookups and adds cost a nanosecond more than
// the filter's own, and take no lock beside. Owns the filter.
template <class Filter>
class Watched {
 public:
  // Takes the filter over, which must be there.
  BLOOMERY_API static Result<std::unique_ptr<Watched>> make(std::unique_ptr<Filter> filter,
                                                            const WatchedOptions& options);
  BLOOMERY_API ~Watched();

  // False: never added. Always true while disabled.
  template <Key T>
  bool contains(const T& key) const {
    const bool maybe = disabled() || filter_->contains(key);
    readers_.count(detail::this_place(), kQueries, kMaybes, maybe);
    return maybe;
  }
  // As the filter's own add: a bool, or the Status of one that may be full. A refused add is counted, and is not new.
  template <Key T>
  auto add(const T& key) {
    auto done = filter_->add(key);
    bool changed = false;
    if constexpr (std::is_same_v<decltype(done), bool>) changed = done;
    else changed = done.ok();
    readers_.count(detail::this_place(), kAdds, kNewAdds, changed);
    return done;
  }
  // Of the kinds that can remove.
  template <Key T>
  bool remove(const T& key) {
    return filter_->remove(key);
  }

  // The filter itself, for all else it can do; what is asked here is not counted.
  Filter& filter() { return *filter_; }
  const Filter& filter() const { return *filter_; }

  // Writes the envelope of a copy while adds and lookups go on: it holds every add that returned before, and is whole
  // or absent after a crash at any moment. Takes the memory of one more filter. Of a RotatingFilter it is a file for
  // each generation, PATH.EPOCH, without a copy; RotatingFilter::load reads them, and files of epochs before can go.
  BLOOMERY_API Status snapshot(const std::string& path, const SnapshotOptions& options = {});

  // As of LiveFilter.
  void disable() { disabled_.store(true, std::memory_order_relaxed); }
  void enable() { disabled_.store(false, std::memory_order_relaxed); }
  bool disabled() const { return disabled_.load(std::memory_order_relaxed); }
  void was_false_positive() { count(kFalsePositives); }
  void was_false_negative() { count(kFalseNegatives); }
  BLOOMERY_API void was_false_positive(std::string_view tenant);
  BLOOMERY_API void was_true_positive(std::string_view tenant);
  BLOOMERY_API void was_false_negative(std::string_view tenant);

  // Reads the whole filter (of counting a copy) and asks `sample` random hashes. Of a PerNode it measures the copy of
  // node 0, of a RotatingFilter the newest generation, but for the rates, which are those of a lookup. The one error of
  // these is out_of_memory.
  BLOOMERY_API Result<LiveStats> stats(std::uint64_t sample = 100'000) const;
  BLOOMERY_API Result<Figures> figures() const;

 private:
  enum Event : std::size_t { kQueries, kMaybes, kAdds, kNewAdds, kFalsePositives, kFalseNegatives };

  Watched(std::unique_ptr<Filter> filter, const WatchedOptions& options);
  void count(Event event) { readers_.count(detail::this_place(), event, 1); }

  std::unique_ptr<Filter> filter_;
  WatchedOptions options_;
  std::atomic<bool> disabled_{false};
  mutable detail::Readers readers_;  // for its counters, of which each thread has its own
  Counter snapshots_, failed_snapshots_;
  std::atomic<std::time_t> last_snapshot_{0};
  Histogram snapshot_ms_;
  std::unique_ptr<detail::Tenants> tenants_;
};

}  // namespace BLOOMERY_NAMESPACE
