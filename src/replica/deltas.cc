// What a replica does with deltas that arrive. A delta goes to its window, whatever window this replica is in: the
// spare takes what is one window ahead, what is further ahead is held, and what is of a window that is gone counts as
// applied.
#include "bloomery/replica/replica.h"
#include "core/base/error.h"
#include "replica/state.h"

namespace BLOOMERY_NAMESPACE::replica {

Status Replica::on(const Header& header, const Delta& delta, Received& received) {
  if (header.sequence == 0) return corrupt("sequence", "deltas are numbered from 1");
  return take_delta_of({header.origin, header.incarnation, header.sequence}, delta, received);
}

Status Replica::take_delta_of(const Position& at, const Delta& delta, Received& received) {
  State& state = *state_;
  received.keys = delta.hashes.size();
  std::shared_ptr<Window> window;
  {
    const std::lock_guard lock(state.mutex);
    BLOOMERY_TRY(state.windows.check(delta.window));
    if (state.windows.is_gone(delta.window)) {
      state.stats.keys_expired += received.keys;
      received.expired = true;
      note_applied(at, received);
      return {};
    }
    if (state.windows.is_ahead(delta.window)) return hold(at, delta, received);
    window = state.windows.find(delta.window);
  }
  if (!window->guard.allows(received.keys * window->cells->bits_per_key(),
                            log_->behind(LogCursor(log_->end().size())))) {
    const std::lock_guard lock(state.mutex);
    state.progress.refused(at.origin, at.incarnation);
    return Error{ErrorCode::full, "the delta would fill the filter beyond its bound", {}, "fill"};
  }
  const std::uint64_t changed = window->cells->apply(delta.hashes);
  received.known = received.keys - changed;
  const std::lock_guard lock(state.mutex);  // after the bits are set, so that a position is never ahead of them
  state.stats.keys_applied += received.keys;
  state.stats.keys_known += received.known;
  note_applied(at, received);
  return {};
}

// Call it under the mutex.
void Replica::note_applied(const Position& at, Received& received) {
  received.gap = state_->progress.applied(at);
  ++state_->stats.deltas_applied;
  state_->stats.gaps += received.gap ? 1 : 0;
}

// Call it under the mutex, so that no window begins between the look at the windows and this.
Status Replica::hold(const Position& at, const Delta& delta, Received& received) {
  State& state = *state_;
  received.held = state.held.put(at, delta);
  if (received.held) {
    received.gap = state.progress.held(at);
  } else {
    ++state.stats.held_overflows;
    state.progress.announced(at);  // a gap, which repair closes once the window has begun
    received.gap = true;
  }
  state.stats.gaps += received.gap ? 1 : 0;
  return {};
}

// Applies held deltas one at a time, and drops each only after it was applied, so that an error loses none.
Status Replica::turn_to(WindowList windows) {
  State& state = *state_;
  {
    const std::lock_guard lock(state.mutex);
    state.windows.replace(std::move(windows));
  }
  std::optional<Position> last;
  for (;;) {
    std::optional<Held::One> due;
    {
      const std::lock_guard lock(state.mutex);
      due = state.held.next_through(state.windows.epoch() + 1, last);
    }
    if (!due.has_value()) return {};
    last = due->at;
    Received received;
    const Status status = take_delta_of(due->at, *due->delta, received);
    const std::lock_guard lock(state.mutex);
    if (!status.ok()) ++state.stats.refused[status.error().field];
    state.held.erase(due->at);
  }
}

void Replica::forget_held() {
  const std::lock_guard lock(state_->mutex);
  state_->held.clear();
  state_->progress.forget_held();
}

// Marks the chunks of what was added here since the last time, so that digests are computed of all that was logged. The
// windows are looked at after the log was read: a window that an entry is of is there by then, or its cells are new and
// all marked when they come.
void Replica::mark_own_adds() {
  State& state = *state_;
  const std::lock_guard lock(state.mark_mutex);
  std::vector<LogEntry> entries;
  do {
    entries.clear();
    const bool all = log_->read(state.mark_cursor, 1 << 16, entries);
    const Windows windows = [&] {
      const std::lock_guard windows_lock(state.mutex);
      return state.windows;
    }();
    if (!all)
      for (const auto& window : windows.all()) window->cells->mark_all();
    for (const LogEntry& entry : entries)
      if (const auto window = windows.find(entry.window)) window->cells->mark(entry.hash);
  } while (!entries.empty());
}

}  // namespace BLOOMERY_NAMESPACE::replica
