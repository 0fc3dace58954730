#include "bloomery/replica/lineage_change.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE::replica {
namespace {

std::vector<std::uint64_t> heard_by(const Replica& replica) {
  std::vector<std::uint64_t> origins;
  for (const Position& peer : replica.acknowledgements()) origins.push_back(peer.origin);
  std::sort(origins.begin(), origins.end());
  return origins;
}

// Members where they are configured, but for the replica itself; else whoever was heard.
std::vector<std::uint64_t> others_of(const Replica& replica) {
  const std::optional<Configuration> configuration = replica.configuration();
  if (!configuration.has_value()) return heard_by(replica);
  std::vector<std::uint64_t> origins = configuration->members;
  std::erase(origins, replica.options().origin);
  return origins;
}

bool is_connected(const Replica& replica) {
  return replica.has_spoken() || replica.stats().deltas_applied != 0 || !heard_by(replica).empty();
}

Error no_change() { return unsupported("lineage", "no second lineage was joined: call join first"); }

}  // namespace

template <class Filter>
Result<std::unique_ptr<LineageChange<Filter>>> LineageChange<Filter>::make(std::shared_ptr<One> now) {
  return guarded([&]() -> Result<std::unique_ptr<LineageChange>> {
    if (now == nullptr) return invalid_argument("replica", "there is no replica to begin with");
    auto first = std::make_unique<State>();
    first->now = std::move(now);
    return std::unique_ptr<LineageChange>(new LineageChange(std::move(first)));
  });
}

// Call it under the mutex. Throws std::bad_alloc, and then nothing has changed.
template <class Filter>
void LineageChange<Filter>::publish(const State& next) {
  state_.replace(std::make_unique<State>(next));
  state_.reclaim();
}

template <class Filter>
Status LineageChange<Filter>::join(std::shared_ptr<One> next) {
  return guarded([&]() -> Status {
    const std::lock_guard lock(mutex_);
    State state = hold();
    if (next == nullptr) return invalid_argument("replica", "there is no replica to join");
    if (state.next != nullptr)
      return unsupported("lineage", "a change to lineage " + state.next->options().lineage.to_hex() +
                                        " is under way: switch and leave first");
    if (next->options().lineage == state.now->options().lineage)
      return invalid_argument("lineage", "another size is another lineage: draw 128 new random bits");
    if (next->options().origin != state.now->options().origin)
      return mismatch("origin",
                      "a process has the same origin in both lineages, so that others can tell who is in both");
    if (is_connected(*next))
      return unsupported("replica", "the replica has spoken to others already: join before its transport is connected");
    state.next = std::move(next);
    publish(state);
    return {};
  });
}

template <class Filter>
std::vector<std::uint64_t> LineageChange<Filter>::missing_of(const State& state) {
  if (state.next == nullptr) return others_of(*state.now);
  const std::vector<std::uint64_t> wanted = others_of(*state.now), heard = heard_by(*state.next);
  std::vector<std::uint64_t> missing;
  std::set_difference(wanted.begin(), wanted.end(), heard.begin(), heard.end(), std::back_inserter(missing));
  return missing;
}

template <class Filter>
std::vector<std::uint64_t> LineageChange<Filter>::missing() const {
  return missing_of(hold());
}

template <class Filter>
Status LineageChange<Filter>::check_nobody_missing(const State& state, std::span<const std::uint64_t> gone) {
  if (state.next == nullptr) return no_change();
  for (const std::uint64_t origin : missing_of(state))
    if (std::find(gone.begin(), gone.end(), origin) == gone.end())
      return unsupported("members", "origin " + std::to_string(origin) +
                                        " was not heard in the second lineage: it has to join, or is gone for good");
  return {};
}

template <class Filter>
Status LineageChange<Filter>::begin_scan(std::span<const std::uint64_t> gone) {
  return guarded([&]() -> Status {
    const std::lock_guard lock(mutex_);
    State state = hold();
    BLOOMERY_TRY(check_nobody_missing(state, gone));
    state.scanning = true;
    publish(state);
    return {};
  });
}

template <class Filter>
bool LineageChange<Filter>::fed(const Ticket& ticket) const {
  const State state = hold();
  return state.scanning && state.next->acknowledged(ticket).missing.empty();
}

template <class Filter>
Status LineageChange<Filter>::switch_over(std::span<const std::uint64_t> gone) {
  return guarded([&]() -> Status {
    const std::lock_guard lock(mutex_);
    State state = hold();
    BLOOMERY_TRY(check_nobody_missing(state, gone));
    if (!state.next->whole())
      return unsupported("whole", "the replica of the second lineage is not whole: it would deny what it lacks");
    state.switched = true;
    publish(state);
    return {};
  });
}

template <class Filter>
Result<std::shared_ptr<ReplicaOf<Filter>>> LineageChange<Filter>::leave() {
  return guarded([&]() -> Result<std::shared_ptr<One>> {
    const std::lock_guard lock(mutex_);
    const State state = hold();
    if (state.next == nullptr) return no_change();
    if (!state.switched) return unsupported("lineage", "lookups still ask the first lineage: call switch_over first");
    State last;
    last.now = state.next;
    publish(last);
    return state.now;
  });
}

template <class Filter>
Acknowledged LineageChange<Filter>::both(const Acknowledged& one, const Acknowledged& other) {
  Acknowledged known;
  known.enough = one.enough && other.enough;
  std::set_union(one.missing.begin(), one.missing.end(), other.missing.begin(), other.missing.end(),
                 std::back_inserter(known.missing));
  std::set_intersection(one.by.begin(), one.by.end(), other.by.begin(), other.by.end(), std::back_inserter(known.by));
  return known;
}

template <class Filter>
Error LineageChange<Filter>::no_scan() {
  return unsupported("scan", "the scan has not begun: call begin_scan, and read the source of truth after that");
}

template <class Filter>
Error LineageChange<Filter>::no_keys() {
  return invalid_argument("keys", "there are no keys to feed");
}

template class LineageChange<ClassicFilter>;
template class LineageChange<SplitFilter>;
template class LineageChange<BlockFilter>;

}  // namespace BLOOMERY_NAMESPACE::replica
