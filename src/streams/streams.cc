// A stream as the road between replicas. spec/replica_streams.md says what goes wrong with streams, and what is done
// about it.
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "streams/state.h"

namespace BLOOMERY_NAMESPACE::replica {

CheckpointStore::~CheckpointStore() = default;

Streams::Streams(std::unique_ptr<State> state) : state_(std::move(state)) {}
Streams::~Streams() = default;

Result<StreamStep> Streams::State::step(milliseconds wait) {
  StreamStep step;
  if (!connection) {
    BLOOMERY_TRY(open());
    ++stats.reconnects;
  }
  if (Clock::now() - checked > kCheckEvery) BLOOMERY_TRY(look_at_server());
  BLOOMERY_TRY(send(step));
  BLOOMERY_TRY(read(wait, step));
  BLOOMERY_TRY(acknowledge());
  BLOOMERY_TRY(look_for_repair());
  if (!checkpoint_is_due()) return step;
  Result<bool> written = write_checkpoint_now();
  if (!written.ok() && is_of_connection(written.error())) return written.error();
  if (!written.ok()) ++stats.checkpoints_refused;
  step.checkpoint = written.ok() && *written;
  return step;
}

Result<std::unique_ptr<Streams>> Streams::connect(Replica& replica, const StreamOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<Streams>> {
    if (options.part_bytes == 0 || options.part_bytes > (std::size_t{16} << 20))
      return invalid_argument("part_bytes", "parts of a checkpoint have 1 byte to 16 MiB");
    if (options.delta_keys == 0 || options.delta_keys > kMostHashes)
      return invalid_argument("delta_keys", "a delta has 1 to " + std::to_string(kMostHashes) + " keys");
    auto state = std::make_unique<State>(replica, options);
    BLOOMERY_TRY(state->open());
    BLOOMERY_TRY(state->take_over_checkpoint());
    state->stats.connected = true;
    return std::unique_ptr<Streams>(new Streams(std::move(state)));
  });
}

Result<StreamStep> Streams::pump(milliseconds wait) {
  return guarded([&]() -> Result<StreamStep> {
    Result<StreamStep> step = state_->step(std::max(wait, milliseconds(0)));
    if (!step.ok()) {
      state_->connection.reset();
      state_->replica.set_cut_off(true);
    }
    state_->stats.connected = step.ok();
    return step;
  });
}

Result<bool> Streams::checkpoint() {
  return guarded([&]() -> Result<bool> {
    if (!state_->connection)
      return Error{ErrorCode::io, "no connection to the server: pump until there is one", {}, "server"};
    Result<bool> written = state_->write_checkpoint_now();
    // An answer that comes too late must not be taken for that to a later question.
    if (!written.ok() && is_of_connection(written.error())) state_->connection.reset();
    return written;
  });
}

void Streams::repair() { state_->repair_wanted = true, state_->repair_asked = {}; }

}  // namespace BLOOMERY_NAMESPACE::replica
