// How a window begins while other threads use the filter. First lookups ask the new window, and only then messages may
// go to it, so that lookups find whatever is acknowledged. An adder may log a key of the window before messages may go
// to it; its cells are new then, and all their chunks are marked when they come (mark_own_adds).
#include "bloomery/replica/rotating.h"

#include <algorithm>

#include "core/base/error.h"
#include "replica/windows.h"

namespace BLOOMERY_NAMESPACE::replica {
namespace {

constexpr unsigned kMostWindows = 254;  // a checkpoint has at most 256 snapshots, and two are the newest and the spare
constexpr std::uint64_t kLastEpoch = std::uint64_t{1} << 63;

Status check_epoch(std::uint64_t epoch) {
  if (epoch < 1 || epoch > kLastEpoch)
    return invalid_argument("epoch", "the epoch of a replica is from 1 to 2^63, not " + std::to_string(epoch));
  return {};
}

std::uint64_t oldest_of(std::uint64_t epoch, std::uint64_t kept) { return epoch > kept ? epoch - kept : 1; }

}  // namespace

template <class Layout>
ReplicaOf<RotatingFilter<BasicFilter<Layout>>>::ReplicaOf(const RotatingOptions& rotating,
                                                          const ReplicaOptions& options, std::vector<Both> windows)
    : Replica(options),
      kept_(rotating.windows),
      hasher_(windows.front().generation->hasher()),
      geometry_(windows.front().generation->geometry()),
      windows_(std::move(windows)),
      state_(state_of(windows_, rotating.first_epoch)) {}

// The windows are those of a RotatingFilter that is one window ahead and keeps one more: the spare is its newest.
template <class Layout>
auto ReplicaOf<RotatingFilter<BasicFilter<Layout>>>::make(const RotatingOptions& rotating,
                                                          const ReplicaOptions& options)
    -> Result<std::unique_ptr<ReplicaOf>> {
  return guarded([&]() -> Result<std::unique_ptr<ReplicaOf>> {
    BLOOMERY_TRY(check_epoch(rotating.first_epoch));
    if (rotating.windows < 1 || rotating.windows > kMostWindows)
      return invalid_argument("windows", "windows is " + std::to_string(rotating.windows) +
                                             ": a replica keeps a key for 1 to 254 windows; make each longer for more");
    Result<std::unique_ptr<Log>> log = make_log(options);
    BLOOMERY_TRY(log);
    RotatingOptions ahead = rotating;
    ++ahead.windows;
    ++ahead.first_epoch;
    Result<std::unique_ptr<RotatingFilter<Filter>>> filter = RotatingFilter<Filter>::make(ahead);
    BLOOMERY_TRY(filter);
    const auto generations = (*filter)->hold().generations;
    std::vector<Both> windows;
    const std::uint64_t newest = rotating.first_epoch + 1;
    for (std::uint64_t i = oldest_of(rotating.first_epoch, rotating.windows); i <= newest; ++i) {
      Result<Both> both = both_of(generations[static_cast<std::size_t>(newest - i)], i, options.most_fpr);
      BLOOMERY_TRY(both);
      windows.push_back(*std::move(both));
    }
    auto made = std::unique_ptr<ReplicaOf>(new ReplicaOf(rotating, options, std::move(windows)));
    made->attach(*std::move(log), list_of(made->windows_), rotating.windows);
    return made;
  });
}

template <class Layout>
auto ReplicaOf<RotatingFilter<BasicFilter<Layout>>>::both_of(std::shared_ptr<Generation> generation,
                                                             std::uint64_t number, double most_fpr) -> Result<Both> {
  Result<std::unique_ptr<Cells>> cells = make_cells(*generation);
  BLOOMERY_TRY(cells);
  auto window = std::make_shared<Window>(number, generation, *std::move(cells), most_fpr);
  return Both{std::move(generation), std::move(window)};
}

template <class Layout>
auto ReplicaOf<RotatingFilter<BasicFilter<Layout>>>::state_of(const std::vector<Both>& windows, std::uint64_t epoch)
    -> std::unique_ptr<const State> {
  auto state = std::make_unique<State>();
  state->epoch = epoch;
  for (auto at = windows.rbegin(); at != windows.rend(); ++at) state->generations.push_back(at->generation);
  return state;
}

template <class Layout>
WindowList ReplicaOf<RotatingFilter<BasicFilter<Layout>>>::list_of(const std::vector<Both>& windows) {
  WindowList list;
  for (const Both& both : windows) list.push_back(both.window);
  return list;
}

// Returns the windows of that epoch: those that exist already, and new ones. Call it under the mutex.
template <class Layout>
auto ReplicaOf<RotatingFilter<BasicFilter<Layout>>>::windows_at(std::uint64_t epoch) const
    -> Result<std::vector<Both>> {
  std::vector<Both> windows;
  for (std::uint64_t i = oldest_of(epoch, kept_); i <= epoch + 1; ++i) {
    const std::uint64_t at = i - windows_.front().window->number;  // never below: the epoch rises
    if (at < windows_.size()) {
      windows.push_back(windows_[static_cast<std::size_t>(at)]);
      continue;
    }
    Result<Generation> fresh = Generation::with_geometry(geometry_, FilterOptions(hasher_));
    BLOOMERY_TRY(fresh);
    Result<Both> both = both_of(std::make_shared<Generation>(*std::move(fresh)), i, options().most_fpr);
    BLOOMERY_TRY(both);
    windows.push_back(*std::move(both));
  }
  return windows;
}

template <class Layout>
Status ReplicaOf<RotatingFilter<BasicFilter<Layout>>>::advance_to(std::uint64_t epoch) {
  return guarded([&]() -> Status {
    BLOOMERY_TRY(check_epoch(epoch));
    const std::lock_guard lock(mutex_);
    const std::uint64_t now = this->epoch();
    if (epoch < now)
      return invalid_argument(
          "epoch", "the epoch is " + std::to_string(now) + " and cannot go back to " + std::to_string(epoch));
    Result<std::vector<Both>> windows = windows_at(epoch);
    BLOOMERY_TRY(windows);
    WindowList list = list_of(*windows);
    if (epoch > now) {
      state_.replace(state_of(*windows, epoch));
      windows_ = *std::move(windows);
      state_.reclaim();
    }
    return turn_to(std::move(list));
  });
}

template class ReplicaOf<RotatingFilter<ClassicFilter>>;
template class ReplicaOf<RotatingFilter<SplitFilter>>;
template class ReplicaOf<RotatingFilter<BlockFilter>>;

}  // namespace BLOOMERY_NAMESPACE::replica
