// What a replica holds, for checkpoints and from them: all windows at once.
#include <algorithm>

#include "bloomery/replica/replica.h"
#include "core/base/error.h"
#include "replica/state.h"

namespace BLOOMERY_NAMESPACE::replica {
namespace {

bool is_empty(const Bytes& payload) {
  return std::all_of(payload.begin(), payload.end(), [](std::uint8_t byte) { return byte == 0; });
}

Status check_snapshots(std::span<const Snapshot> snapshots, const Windows& windows, const Lineage& lineage) {
  if (snapshots.empty() || (!windows.rotate() && snapshots.size() > 1))
    return mismatch("window", "the checkpoint has " + std::to_string(snapshots.size()) + " windows");
  const Cells& cells = *windows.any().cells;
  for (const Snapshot& one : snapshots) {
    if (one.lineage != lineage)
      return mismatch("lineage",
                      "the checkpoint is of lineage " + one.lineage.to_hex() + ", not of " + lineage.to_hex());
    BLOOMERY_TRY(windows.check(one.window));
    if (one.window - snapshots.front().window != static_cast<std::uint64_t>(&one - snapshots.data()))
      return corrupt("window", "the windows of the checkpoint do not follow each other");
    if (one.positions != snapshots.front().positions)
      return corrupt("positions", "the windows of the checkpoint have different positions");
    if (one.payload.size() != cells.bytes())
      return mismatch("payload", "the checkpoint has " + std::to_string(one.payload.size()) +
                                     " bytes, and this filter " + std::to_string(cells.bytes()));
    BLOOMERY_TRY(cells.check_part(0, one.payload));
  }
  for (const Position& position : snapshots.front().positions)
    if (position.incarnation == 0) return corrupt("positions", "incarnations are counted from 1");
  return {};
}

}  // namespace

Result<std::vector<Snapshot>> Replica::snapshot(std::span<const std::uint64_t> but_for) const {
  return guarded([&]() -> Result<std::vector<Snapshot>> {
    std::vector<Position> positions;
    WindowList windows;
    {
      const std::lock_guard lock(state_->mutex);
      if (!whole_now(but_for))
        return Error{
            ErrorCode::unsupported, "a replica that is not whole writes no checkpoint: see status", {}, "whole"};
      positions = positions_now();  // before the bytes: what they say is in them
      windows = state_->windows.all();
    }
    std::vector<Snapshot> all;
    for (const auto& window : windows) {
      all.push_back({options_.lineage, window->number, positions, Bytes(window->cells->bytes())});
      window->cells->read(0, all.back().payload);
    }
    return all;
  });
}

// Takes over the bits. Windows that are gone here are passed over. Of a writer that is further ahead than one window,
// or has keys in a window behind the spare, the positions say more than can be taken over: then it returns false, and
// repair has to follow.
Result<bool> Replica::take_over(std::span<const Snapshot> snapshots) {
  State& state = *state_;
  const Windows windows = [&] {
    const std::lock_guard lock(state.mutex);
    return state.windows;
  }();
  BLOOMERY_TRY(check_snapshots(snapshots, windows, options_.lineage));
  BLOOMERY_TRY(check_named(snapshots.front().positions));
  bool all = !windows.rotate() || snapshots.back().window <= windows.epoch() + 2;
  for (const Snapshot& one : snapshots) {
    if (windows.is_ahead(one.window)) all = all && is_empty(one.payload);
    const std::shared_ptr<Window> window = windows.find(one.window);
    if (window == nullptr) continue;
    for (std::uint64_t at = 0; at < one.payload.size(); at += kChunkBytes) {
      const std::uint64_t size = std::min<std::uint64_t>(kChunkBytes, one.payload.size() - at);
      window->cells->unite(at, std::span(one.payload).subspan(at, size));
    }
  }
  return all;
}

Status Replica::restore(std::span<const Snapshot> snapshots) {
  return guarded([&]() -> Status {
    const Result<bool> all = take_over(snapshots);
    BLOOMERY_TRY(all);
    const std::lock_guard lock(state_->mutex);
    state_->behind = !*all;
    if (!*all) return {};
    state_->copies_missing.clear();
    cover(snapshots.front().positions);
    // With a quorum an older state counts as lost memory: repair against the others brings it back, not a checkpoint.
    state_->memory_alone = true;
    return {};
  });
}

Status Replica::restore_copy(std::span<const Snapshot> snapshots, const std::string& site) {
  return guarded([&]() -> Status {
    const Result<bool> all = take_over(snapshots);
    BLOOMERY_TRY(all);
    const std::lock_guard lock(state_->mutex);
    if (!*all) {
      state_->miss_copy(site);
      return {};
    }
    state_->copies_missing.erase(site);
    cover(snapshots.front().positions);
    return {};
  });
}

}  // namespace BLOOMERY_NAMESPACE::replica
