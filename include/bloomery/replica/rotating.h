// A rotating filter on many machines: it answers "seen in the last N windows?" for all replicas together.
//
//   auto seen = replica::ReplicaOf<RotatingFilter<BlockFilter>>::make(
//       {.n = 1'000'000, .fpr = 0.01, .windows = 24, .first_epoch = hours_since_1970}, options);
//   (*seen)->add(key);                          // from any thread
//   (*seen)->advance_to(hours_since_1970);      // the owner's epoch; no message of others does that
//
// A key carries the window it was added in, and goes to that window at every replica. Beside the windows of
// RotatingFilter a replica has a spare one, which follows its newest and which lookups ask too: it takes keys of
// replicas whose clock is ahead. Keys of later windows are held, and not acknowledged, until the owner of the replica
// gets there. Only the owner begins windows and drops them. docs/operations/replicas.md, "Rotating filters", says what
// that promises.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "bloomery/detail/compiled_for.h"
#include "bloomery/detail/published.h"
#include "bloomery/live/rotating.h"
#include "bloomery/replica/replica.h"

namespace BLOOMERY_NAMESPACE::replica {

// A replica of a rotating filter of classic, split or block. Any thread may use it: lookups and adds are wait-free and
// take no memory; advance_to takes a lock that they do not take. It owns its windows.
template <class Layout>
class ReplicaOf<RotatingFilter<BasicFilter<Layout>>> final : public Replica {
 public:
  using Filter = BasicFilter<Layout>;
  using Geometry = typename Layout::Geometry;
  using Generation = Shared<Filter>;

  // The rate of the options is that of a lookup over all windows and the spare one. Epochs count from 1, and there are
  // at most 254 windows. Replicas of one lineage must have the same n, fpr, windows and hasher.
  BLOOMERY_API static Result<std::unique_ptr<ReplicaOf>> make(const RotatingOptions& rotating,
                                                              const ReplicaOptions& options);

  // Adds a key. Returns whether it changed the window of the epoch: true also for a key that only other windows hold.
  // Then the key is logged, as ReplicaOf<Filter>::add says.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool add(const T& key) {
    const Hash hash = hash_key(hasher_, key);
    const detail::ReadGuard guard(state_.readers());
    const State& state = state_.read(guard);
    const bool changed = state.generations[1]->add(hash);
    if (changed || logs_all()) log().append(state.epoch, hash);
    return changed;
  }
  // Adds a key and logs it, new or not.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  Ticket add_logged(const T& key) {
    const Hash hash = hash_key(hasher_, key);
    const detail::ReadGuard guard(state_.readers());
    const State& state = state_.read(guard);
    state.generations[1]->add(hash);
    const Log::Place place = log().append(state.epoch, hash);
    return {place.stripe, place.position};
  }
  // As ReplicaOf<Filter>::add_and_wait.
  template <Key T, class Pump>
  Acknowledged add_and_wait(const T& key, Pump pump) {
    return wait_for(add_logged(key), pump);
  }
  // False: the key was not added here in this window or the last N, and no message said that it was added elsewhere in
  // these or the next window.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool contains(const T& key) const noexcept {
    const Hash hash = hash_key(hasher_, key);
    const detail::ReadGuard guard(state_.readers());
    for (const auto& generation : state_.read(guard).generations)
      if (generation->contains(hash)) return true;
    return false;
  }
  // Returns its answer in a quorum, as ReplicaOf<Filter>::vote.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  Vote vote(const T& key) const {
    const Vote vote = voting();
    return {vote.maybe || contains(key), vote.generation};
  }

  // Begins the window of that epoch, drops the windows that are then too old, and applies what was held for it. The
  // current epoch changes nothing; an earlier one is an error. The owner calls it, by a clock or a count of its own.
  // After out_of_memory either nothing has changed, or only the held keys were not applied; the next call applies them.
  BLOOMERY_API Status advance_to(std::uint64_t epoch);

  std::uint64_t epoch() const {
    const detail::ReadGuard guard(state_.readers());
    return state_.read(guard).epoch;
  }
  Geometry geometry() const { return geometry_; }  // of every window
  const Hasher& hasher() const { return hasher_; }
  unsigned windows() const { return kept_; }  // how many windows a key stays after its own

  struct State {
    std::uint64_t epoch;
    std::vector<std::shared_ptr<Generation>> generations;  // the spare, that of the epoch, then older ones
  };
  // Returns the windows of this moment, to be read; they live as long as they are held. Throws std::bad_alloc.
  State hold() const {
    const detail::ReadGuard guard(state_.readers());
    return state_.read(guard);
  }

 private:
  // A window as lookups see it, and as messages see it.
  struct Both {
    std::shared_ptr<Generation> generation;
    std::shared_ptr<Window> window;
  };
  ReplicaOf(const RotatingOptions& rotating, const ReplicaOptions& options, std::vector<Both> windows);
  static Result<Both> both_of(std::shared_ptr<Generation> generation, std::uint64_t number, double most_fpr);
  static std::unique_ptr<const State> state_of(const std::vector<Both>& windows, std::uint64_t epoch);
  static WindowList list_of(const std::vector<Both>& windows);
  Result<std::vector<Both>> windows_at(std::uint64_t epoch) const;

  unsigned kept_;
  Hasher hasher_;
  Geometry geometry_;
  std::mutex mutex_;           // held by advance_to
  std::vector<Both> windows_;  // the oldest first
  alignas(detail::kNoSharing) detail::Published<State> state_;
};

}  // namespace BLOOMERY_NAMESPACE::replica
