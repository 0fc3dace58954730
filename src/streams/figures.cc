// What a Streams says of itself.
#include <algorithm>

#include "core/base/error.h"
#include "streams/state.h"

namespace BLOOMERY_NAMESPACE::replica {
namespace {

constexpr std::size_t kMostMade = 4096;  // deltas that are told apart in the lag of peers

}  // namespace

// The oldest ones are counted together, with the time of the oldest.
void Streams::State::note_made(std::uint64_t keys) {
  made.push_back({replica.sequence(), keys, Clock::now()});
  const std::uint64_t known = replica.acknowledged_by_all();
  while (!made.empty() && made.front().sequence <= known && made.size() > 1) made.pop_front();
  if (made.size() <= kMostMade) return;
  made[1].keys += made[0].keys;
  made[1].at = made[0].at;
  made.pop_front();
}

std::vector<PeerLag> Streams::State::lag() const {
  std::vector<PeerLag> all;
  for (const Position& peer : replica.acknowledgements()) {
    PeerLag lag{peer.origin, 0, 0};
    for (const Made& one : made) {
      if (one.sequence <= peer.sequence) continue;
      if (lag.keys == 0) lag.seconds = std::chrono::duration<double>(Clock::now() - one.at).count();
      lag.keys += one.keys;
    }
    all.push_back(lag);
  }
  return all;
}

StreamStats Streams::stats() const {
  StreamStats stats = state_->stats;
  stats.lag = state_->lag();
  stats.whole = state_->replica.whole();
  return stats;
}

Result<Figures> Streams::figures(std::string_view name) const {
  return guarded([&]() -> Result<Figures> {
    const StreamStats stream = stats();
    const ReplicaStats replica = state_->replica.stats();
    Figures figures(name);
    figures.gauge("replica_connected", "1 while the server of the stream answers", stream.connected ? 1 : 0);
    figures.gauge("replica_whole", "1 while nothing is known to be missing", stream.whole ? 1 : 0);
    Figures::ByTenant<double> keys, seconds;
    for (const PeerLag& lag : stream.lag) {
      keys.emplace_back(std::to_string(lag.origin), static_cast<double>(lag.keys));
      seconds.emplace_back(std::to_string(lag.origin), lag.seconds);
    }
    figures.gauge_by("peer", "replica_lag_keys", "Keys sent that the peer has not acknowledged", keys);
    figures.gauge_by("peer", "replica_lag_seconds", "Age of the oldest of them", seconds);
    figures.gauge("replica_pending_bytes", "Deltas kept until others have them",
                  static_cast<double>(stream.pending_bytes));
    figures.gauge("replica_stream_entries", "Entries of the stream", static_cast<double>(stream.stream_length));
    figures.counter("replica_sent_bytes_total", "Bytes of messages sent", stream.bytes_sent);
    figures.counter("replica_received_bytes_total", "Bytes of messages received", stream.bytes_received);
    figures.counter("replica_sent_keys_total", "Keys sent", replica.keys_sent);
    figures.counter("replica_applied_keys_total", "Keys received and applied", replica.keys_applied);
    figures.counter("replica_known_keys_total", "Of them, keys that changed nothing", replica.keys_known);
    figures.counter("replica_gaps_total", "Deltas that came before one that was missing", replica.gaps);
    figures.counter("replica_lost_ranges_total", "Times that the stream lacked entries", stream.lost_ranges);
    figures.counter("replica_log_overflows_total", "Times that adds were faster than the log", replica.log_overflows);
    figures.counter("replica_repairs_total", "Repairs completed", replica.repairs_done);
    figures.counter("replica_repairs_asked_total", "Repairs that a peer was asked for", stream.repairs_asked);
    figures.counter("replica_reconnects_total", "Connections after the first", stream.reconnects);
    figures.counter("replica_checkpoints_total", "Checkpoints written", stream.checkpoints);
    figures.counter("replica_refused_checkpoints_total", "Checkpoints neither written nor taken",
                    stream.checkpoints_refused);
    figures.gauge("replica_window", "Window of a rotating filter, or 0", static_cast<double>(replica.window));
    figures.gauge("replica_held_keys", "Keys of windows that have not begun here",
                  static_cast<double>(replica.keys_held));
    figures.counter("replica_held_overflows_total", "Deltas that found no room among them", replica.held_overflows);
    figures.counter("replica_expired_keys_total", "Keys received of windows that were gone", replica.keys_expired);
    figures.counter_by("reason", "replica_refused_total", "Messages refused",
                       {replica.refused.begin(), replica.refused.end()});
    return figures;
  });
}

}  // namespace BLOOMERY_NAMESPACE::replica
