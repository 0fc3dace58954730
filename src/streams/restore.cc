// Checkpoints that are taken over and written, and repairs that are asked for.
#include "core/base/error.h"
#include "streams/state.h"

namespace BLOOMERY_NAMESPACE::replica {

// Reads a checkpoint, and refuses one of another filter.
Result<Checkpoint> Streams::State::read_checkpoint(std::span<const std::uint8_t> bytes) {
  Result<Checkpoint> checkpoint = decode(bytes, replica.options().lineage, replica.options().secret);
  BLOOMERY_TRY(checkpoint);
  Result<Bytes> hello = replica.hello();
  BLOOMERY_TRY(hello);
  Result<Message> message = parse(*hello, replica.options().secret);
  BLOOMERY_TRY(message);
  const Hello& mine = std::get<Hello>(message->body);
  const Hello& other = checkpoint->filter;
  if (mine.kind != other.kind || mine.hash != other.hash || mine.seed != other.seed || mine.geometry != other.geometry)
    return mismatch("checkpoint",
                    "the checkpoint of this lineage is of another kind, size or hash: make the filter as "
                    "the others of the lineage have it, or begin a new lineage");
  return checkpoint;
}

Status Streams::State::take_over_checkpoint() {
  constexpr int kTries = 3;  // a newer one may take its place while it is read
  for (int tries = 0; tries < kTries; ++tries) {
    Result<std::optional<CheckpointPointer>> found = read_pointer(*connection, names, {&replica.options().secret});
    BLOOMERY_TRY(found);
    if (!*found) return {};
    Result<std::optional<Bytes>> bytes = read_bytes(*connection, names, **found, options.store);
    BLOOMERY_TRY(bytes);
    if (!*bytes) continue;
    const Result<Checkpoint> checkpoint = read_checkpoint(**bytes);
    BLOOMERY_TRY(checkpoint);
    BLOOMERY_TRY(replica.restore(checkpoint->snapshots));
    cursor = checkpoint->position;
    cursor_was_lost = false;
    taken_token = (*found)->token;
    stats.checkpoint_position = cursor.to_string();
    return {};
  }
  return Error{
      ErrorCode::io, "parts of the checkpoint are missing: a whole replica has to write another", {}, "checkpoint"};
}

// What a bridge has copied of another site. Where it is gone, or of another filter, something is missing here, and the
// bridge is asked to copy once more. Its writers need not have what replicas of this site have: it makes none whole.
Status Streams::State::take_copy(const redisReply* entry) {
  const std::optional<CheckpointCopy> copy = CheckpointCopy::parse(field_of(entry, kCopyField));
  if (!copy) {
    ++stats.refused;
    return {};
  }
  const std::string site(field_of(entry, kSiteField));
  Result<std::optional<Bytes>> bytes = read_copy(*connection, names, *copy);
  if (!bytes.ok() && is_of_connection(bytes.error())) return bytes.error();
  if (bytes.ok() && *bytes) {
    const Result<Checkpoint> checkpoint = read_checkpoint(**bytes);
    if (checkpoint.ok() && replica.restore_copy(checkpoint->snapshots, site).ok()) {
      sites_asked.reset();
      return {};
    }
  }
  ++stats.checkpoints_refused;
  replica.lost_copy(site);
  if (bytes.ok() && !*bytes) BLOOMERY_TRY(connection->run({"DEL", names.bridged(site)}));
  return {};
}

// Perhaps no peer of this site has what is missing of a replica of another site. So the bridge of that site is asked to
// copy its checkpoint: once after each repair that has left such a gap, and now and then, and once after any entries
// were lost.
Status Streams::State::ask_other_sites() {
  if (copies_wanted)
    for (const auto& [origin, site] : site_of) BLOOMERY_TRY(connection->run({"DEL", names.bridged(site)}));
  copies_wanted = false;
  if (replica.repairing() || (sites_asked && Clock::now() - *sites_asked < options.repair_every)) return {};
  sites_asked = Clock::now();
  for (const std::uint64_t origin : replica.gaps()) {
    const auto site = site_of.find(origin);
    if (site != site_of.end()) BLOOMERY_TRY(connection->run({"DEL", names.bridged(site->second)}));
  }
  return {};
}

// Asks a peer; alone, takes over the checkpoint once more.
Status Streams::State::look_for_repair() {
  const Clock::time_point now = Clock::now();
  if (now - repaired > options.repair_every) repair_wanted = true;
  if (!repair_wanted && !copies_wanted && !replica.needs_repair()) return {};
  if (now - repair_asked < options.peer_timeout) return {};
  repair_asked = now;
  BLOOMERY_TRY(ask_other_sites());
  if (peers.empty()) {
    repair_wanted = false, repaired = now;
    // A gap that the newest checkpoint could not close will not be closed by taking it again.
    const bool in_vain =
        pointer && pointer->token == taken_token && (!replica.gaps().empty() || replica.lacks_copies());
    Status taken = replica.needs_repair() && !in_vain ? take_over_checkpoint() : Status();
    if (taken.ok() || is_of_connection(taken.error())) return taken;
    ++stats.checkpoints_refused;
    return {};
  }
  // Peers that have gone must not keep a replica from being whole that repairs only because it is time.
  if (asked_in_vain >= peers.size() && !replica.needs_repair()) {
    replica.forget_repair();
    repair_wanted = false, asked_in_vain = 0, repaired = now;
    return {};
  }
  return ask_next_peer();
}

// One after another, the whole ones first.
Status Streams::State::ask_next_peer() {
  ++asked_in_vain;
  auto next = peers.upper_bound(last_asked);
  for (std::size_t i = 0; i < peers.size(); ++i, ++next) {
    if (next == peers.end()) next = peers.begin();
    if (next->second) break;
  }
  if (next == peers.end()) next = peers.begin();
  last_asked = next->first;
  ++stats.repairs_asked;
  Result<Bytes> message = replica.begin_repair(last_asked);
  BLOOMERY_TRY(message);
  return send_to(last_asked, *message);
}

// What is missing of other sites stops no checkpoint. Else two sites that each lack a delta of the other would wait for
// each other's checkpoint for good. Whoever starts from it reads behind its position the copy that closes the gap.
std::vector<std::uint64_t> Streams::State::origins_of_other_sites() const {
  std::vector<std::uint64_t> origins;
  for (const auto& [origin, site] : site_of) origins.push_back(origin);
  return origins;
}

bool Streams::State::checkpoint_is_due() const {
  const bool due = checkpoint_wanted ||
                   (options.checkpoint_after != 0 && read_since_checkpoint >= options.checkpoint_after) ||
                   stats.pending_bytes >= options.pending_cap / 2 || stream_is_full();
  return due && Clock::now() - checkpoint_tried > kCheckEvery && replica.whole(origins_of_other_sites());
}

// The position is taken before the snapshot: what it says is in the bytes.
Result<bool> Streams::State::write_checkpoint_now() {
  checkpoint_tried = Clock::now();
  read_since_checkpoint = 0;
  checkpoint_wanted = false;
  const CheckpointWrite write = {cursor,           replica.positions(),      options.part_bytes, options.stream_cap,
                                 stream_is_full(), replica.options().secret, options.store};
  Result<std::vector<Snapshot>> snapshots = replica.snapshot(origins_of_other_sites());
  BLOOMERY_TRY(snapshots);
  Result<Bytes> hello = replica.hello();
  BLOOMERY_TRY(hello);
  const Bytes bytes = encode(*hello, write.position, *snapshots, replica.options().secret);
  Result<std::optional<CheckpointPointer>> before = read_pointer(*connection, names, {&replica.options().secret});
  BLOOMERY_TRY(before);
  Result<bool> written = write_checkpoint(*connection, names, *before, write, bytes);
  BLOOMERY_TRY(written);
  ++(*written ? stats.checkpoints : stats.checkpoints_lost);
  if (*written) drop_covered(write.covered);
  return written;
}

}  // namespace BLOOMERY_NAMESPACE::replica
