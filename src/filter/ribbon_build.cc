#include "filter/ribbon_build.h"

#include <algorithm>
#include <atomic>

#include "base/parallel.h"
#include "filter/ribbon_solve.h"

namespace bloomery::detail {
namespace {

bool below(Hash a, Hash b) { return a.bits < b.bits; }

// A layer at work: its segments, the keys of each, and room for those that are bumped.
class LayerBuild {
 public:
  LayerBuild(const RibbonLayer& layer, std::uint32_t columns, std::span<const Hash> places, bool at_any_cost)
      : layer_(layer),
        columns_(columns),
        places_(places),
        keys_(segments() + 1),
        room_(segments() + 1),
        counts_(segments()) {
    for (std::uint64_t i = 0; i < segments(); ++i) {
      const std::uint64_t last = segment(i).last;
      const auto end = std::partition_point(places.begin() + static_cast<std::ptrdiff_t>(keys_[i]), places.end(),
                                            [&](Hash place) { return layer.start_of(place.bits) < last; });
      keys_[i + 1] = static_cast<std::uint64_t>(end - places.begin());
      const std::uint64_t count = keys_[i + 1] - keys_[i];
      room_[i + 1] = room_[i] + (at_any_cost ? count : std::min(count, kSpare + count / kShare));
    }
    bumped_.resize(room_.back());
  }

  // False: some segment has no room for what it bumps.
  bool solve(std::uint8_t* bytes, unsigned threads) {
    const auto workers = static_cast<unsigned>(std::min<std::uint64_t>(std::max(threads, 1u), segments()));
    std::uint64_t most = 0;
    for (std::uint64_t i = 0; i < segments(); ++i) most = std::max(most, segment(i).groups());
    std::vector<RibbonSolver> solvers;
    for (unsigned i = 0; i < workers; ++i) solvers.emplace_back(most, columns_);
    std::atomic<std::uint64_t> next = 0;
    std::atomic<bool> failed = false;
    run_parallel(workers, [&](unsigned worker) {
      for (std::uint64_t i; !failed && (i = next++) < segments();)
        if (!solve_one(solvers[worker], i, bytes)) failed = true;
    });
    return !failed;
  }

  std::vector<Hash> bumped() const {
    std::uint64_t count = 0;
    for (const std::uint64_t of_segment : counts_) count += of_segment;
    std::vector<Hash> all;
    all.reserve(count);
    for (std::uint64_t i = 0; i < segments(); ++i) {
      const auto first = bumped_.begin() + static_cast<std::ptrdiff_t>(room_[i]);
      all.insert(all.end(), first, first + static_cast<std::ptrdiff_t>(counts_[i]));
    }
    std::sort(all.begin(), all.end(), below);
    return all;
  }

 private:
  // Of random places a segment bumps one key in 25; this many more than that are no chance.
  static constexpr std::uint64_t kShare = 8, kSpare = 64;

  std::uint64_t segments() const { return ribbon_segments(layer_); }
  RibbonSegment segment(std::uint64_t i) const { return ribbon_segment(layer_, columns_, i); }

  bool solve_one(RibbonSolver& solver, std::uint64_t i, std::uint8_t* bytes) {
    const std::optional<std::uint64_t> count =
        solver.solve(layer_, segment(i), places_.subspan(keys_[i], keys_[i + 1] - keys_[i]), bytes,
                     std::span(bumped_).subspan(room_[i], room_[i + 1] - room_[i]));
    counts_[i] = count.value_or(0);
    return count.has_value();
  }

  RibbonLayer layer_;
  std::uint32_t columns_;
  std::span<const Hash> places_;
  std::vector<std::uint64_t> keys_, room_;  // where those of a segment begin
  std::vector<std::uint64_t> counts_;       // of bumped keys
  std::vector<Hash> bumped_;
};

// What is not there bumps every key.
std::vector<Hash> all_bumped(std::span<const Hash> places) {
  std::vector<Hash> all;
  all.reserve(places.size());
  for (const Hash place : places) all.emplace_back(splitmix64(place.bits));
  std::sort(all.begin(), all.end(), below);
  return all;
}

}  // namespace

std::optional<std::vector<Hash>> solve_ribbon(const RibbonGeometry& geometry, std::span<const Hash> places,
                                              std::uint8_t* bytes, unsigned threads, bool at_any_cost) {
  std::vector<Hash> bumped;
  for (const RibbonLayer& layer : RibbonMap(geometry).layers) {
    if (layer.starts == 0) {
      bumped = all_bumped(places);
    } else {
      LayerBuild build(layer, geometry.columns, places, at_any_cost);
      if (!build.solve(bytes, threads)) return std::nullopt;
      bumped = build.bumped();
    }
    places = bumped;
  }
  return bumped;
}

}  // namespace bloomery::detail
