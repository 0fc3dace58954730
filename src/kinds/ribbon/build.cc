#include "kinds/ribbon/build.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "bloomery/detail/batch.h"
#include "bloomery/detail/bulk_add.h"
#include "core/base/parallel.h"
#include "kinds/common/sorted_hashes.h"
#include "kinds/ribbon/solve.h"

namespace BLOOMERY_NAMESPACE::detail {
namespace {

// Segments that a thread solves at the same time. Each step of an elimination waits for the row that the step before
// chose; the steps of other segments fill that time.
constexpr std::size_t kLanes = 3;

// A key on its way down the rows of a segment.
struct Falling {
  RibbonLane* lane = nullptr;
  RibbonLane::Row* row = nullptr;
  std::uint64_t coefficients = 0, fingerprint = 0;

  // False: the segment has no more keys.
  bool take(RibbonLane::Key key) {
    while (key.row != nullptr && key.coefficients == 0) key = lane->refuse();
    row = key.row;
    coefficients = key.coefficients;
    fingerprint = ribbon_fingerprint(coefficients);
    return row != nullptr;
  }

  // Goes down to the next slot that the key has a coefficient for. Where that slot has no row, the key becomes its row;
  // else the row is added to the key, which takes that coefficient away. A key without coefficients left depends on
  // those before it, and cannot be in. False: no more keys.
  [[gnu::always_inline]] bool step() {
    const int zeros = std::countr_zero(coefficients);
    row += zeros;
    coefficients >>= zeros;
    if (row->coefficients == 0) {
      *row = {coefficients, fingerprint};
      lane->place(row);
      return take(lane->next());
    }
    fingerprint ^= row->fingerprint;
    coefficients ^= row->coefficients;
    return coefficients != 0 || take(lane->refuse());
  }
};

// Eliminates in so many lanes until one has no more keys, and returns which.
template <std::size_t... kLane>
std::size_t eliminate(std::array<Falling, kLanes>& all, std::index_sequence<kLane...>) {
  std::array<Falling, sizeof...(kLane)> falling = {all[kLane]...};
  std::size_t ended = 0;
  while (((ended = kLane, falling[kLane].step()) && ...)) {
  }
  ((all[kLane] = falling[kLane]), ...);
  return ended;
}

template <std::size_t kMost = kLanes>
std::size_t eliminate(std::array<Falling, kLanes>& all, std::size_t count) {
  if constexpr (kMost > 1)
    if (count < kMost) return eliminate<kMost - 1>(all, count);
  return eliminate(all, std::make_index_sequence<kMost>{});
}

// A layer at work: its segments, the keys of each, and room for those that are bumped.
class LayerBuild {
 public:
  LayerBuild(const RibbonLayer& layer, std::uint32_t columns, std::span<const Hash> places, bool at_any_cost)
      : layer_(layer), columns_(columns), counts_(ribbon_segments(layer)), tasks_(ribbon_segments(layer)) {
    std::vector<std::uint64_t> room;
    std::uint64_t all_room = 0;
    for (std::uint64_t i = 0; i < tasks_.size(); ++i) {
      RibbonTask& task = tasks_[i];
      task.segment = ribbon_segment(layer, columns, i);
      const auto end = std::partition_point(places.begin(), places.end(),
                                            [&](Hash place) { return layer.start_of(place.bits) < task.segment.last; });
      task.places = {places.begin(), end};
      places = {end, places.end()};
      const std::uint64_t count = task.places.size();
      room.push_back(at_any_cost ? count : std::min(count, kSpare + count / kShare));
      all_room += room.back();
    }
    bumped_.resize(all_room);
    std::span<Hash> rest = bumped_;
    for (std::uint64_t i = 0; i < tasks_.size(); ++i) {
      tasks_[i].bumped = rest.first(room[i]);
      tasks_[i].bumped_count = &counts_[i];
      rest = rest.subspan(room[i]);
    }
  }

  // False: some segment has no room for what it bumps.
  bool solve(std::uint8_t* bytes, unsigned threads) {
    const auto workers = static_cast<unsigned>(std::min<std::uint64_t>(std::max(threads, 1u), tasks_.size()));
    const std::uint64_t lanes = std::clamp<std::uint64_t>(tasks_.size() / workers, 1, kLanes);
    std::uint64_t groups = 0;
    for (const RibbonTask& task : tasks_) groups = std::max(groups, task.segment.groups());
    std::vector<RibbonLane> memory;
    memory.reserve(workers * lanes);
    for (std::uint64_t i = 0; i < workers * lanes; ++i) memory.emplace_back(layer_, groups, columns_, bytes);
    run_parallel(workers, [&](unsigned worker) { work(std::span(memory).subspan(worker * lanes, lanes)); });
    return !failed_;
  }

  std::vector<Hash> bumped() const {
    std::uint64_t count = 0;
    for (const std::uint64_t of_segment : counts_) count += of_segment;
    std::vector<Hash> all;
    all.reserve(count);
    for (const RibbonTask& task : tasks_)
      all.insert(all.end(), task.bumped.begin(), task.bumped.begin() + static_cast<std::ptrdiff_t>(*task.bumped_count));
    return all;
  }

 private:
  // With random places a segment bumps one key in 21; this many more than that are no chance.
  static constexpr std::uint64_t kShare = 8, kSpare = 256;

  // Whether the lane has a key of a segment that nobody has begun. Segments without keys are done on the way.
  bool begin(Falling& falling) {
    for (std::uint64_t i; !failed_ && (i = next_++) < tasks_.size();) {
      falling.lane->begin(tasks_[i]);
      if (falling.take(falling.lane->next())) return true;
      finish(*falling.lane);
    }
    return false;
  }
  void finish(RibbonLane& lane) {
    if (!lane.finish()) failed_ = true;
  }

  void work(std::span<RibbonLane> lanes) {
    std::array<Falling, kLanes> falling;
    std::size_t count = 0;
    for (RibbonLane& lane : lanes) {
      falling[count].lane = &lane;
      if (begin(falling[count])) ++count;
    }
    while (count > 0) {
      Falling& ended = falling[eliminate(falling, count)];
      finish(*ended.lane);
      if (!begin(ended)) ended = falling[--count];
    }
  }

  RibbonLayer layer_;
  std::uint32_t columns_;
  std::vector<std::uint64_t> counts_;  // of bumped keys
  std::vector<RibbonTask> tasks_;
  std::vector<Hash> bumped_;
  std::atomic<std::uint64_t> next_ = 0;
  std::atomic<bool> failed_ = false;
};

}  // namespace

void sort_places(std::vector<Hash>& places, unsigned threads) {
  constexpr std::size_t kMany = 1 << 14;
  if (places.size() >= kMany) {
    const Result<SortedHashes> sorted = SortedHashes::of(key_run(Hasher::xxh3(), places), threads);
    if (sorted.ok()) {
      std::copy(sorted->hashes().begin(), sorted->hashes().end(), places.begin());
      return;
    }
  }
  std::sort(places.begin(), places.end(), [](Hash a, Hash b) { return a.bits < b.bits; });
}

std::optional<RibbonSolved> solve_ribbon_layer(const RibbonLayer& layer, std::uint32_t columns,
                                               std::span<const Hash> places, unsigned threads, bool at_any_cost) {
  RibbonSolved solved;
  if (layer.starts > 0) {
    solved.bytes.resize(layer.bytes(columns));
    LayerBuild build(layer, columns, places, at_any_cost);
    if (!build.solve(solved.bytes.data(), threads)) return std::nullopt;
    solved.bumped = build.bumped();
  } else {  // a layer that is not there bumps every key
    for (const Hash place : places) solved.bumped.emplace_back(splitmix64(place.bits));
  }
  sort_places(solved.bumped, threads);
  return solved;
}

}  // namespace BLOOMERY_NAMESPACE::detail
