// The figures of a live filter: names, what they say, and where each comes from. LiveFilter and Watched gather them
// alike. docs/operations/README.md explains them.
#pragma once

#include <string>

#include "bloomery/detail/fnv.h"
#include "bloomery/figures.h"
#include "bloomery/live/live.h"

namespace BLOOMERY_NAMESPACE::detail {

// The numbers of the events in somebody's Readers.
struct EventNumbers {
  std::size_t queries, maybes, adds, new_adds, false_positives, false_negatives;
};
void count_events(const Readers& readers, const EventNumbers& events, LiveStats& out);

// Sets capacity_used: the estimated keys over the designed ones, both of which are there already.
void measure_capacity_used(LiveStats& out);

// Returns another seed in every call, so that the samples of a day are worth more than one.
std::uint64_t fresh_seed();

// Returns the share of `sample` random hashes to which the filter says maybe.
template <class Filter>
ObservedRate sample_rate(const Filter& filter, std::uint64_t sample) {
  const std::uint64_t seed = fresh_seed();
  std::uint64_t hits = 0;
  for (std::uint64_t i = 0; i < sample; ++i) hits += filter.contains(Hash(splitmix64(seed + i))) ? 1 : 0;
  return observed_rate(hits, sample);
}

Figures figures_of(const std::string& name, const LiveStats& now, const Histogram& rebuild_ms,
                   const Histogram& snapshot_ms);

}  // namespace BLOOMERY_NAMESPACE::detail
