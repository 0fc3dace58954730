// Which server this is, and who else is there. Another run_id or master_replid, or a last entry before the cursor,
// means that the stream may lack what was appended: all that is pending is appended again, the stream is read again
// from the last checkpoint on, and a peer is asked for what differs. Hellos lie in a hash and not in the stream, which
// an idle filter would fill.
#include "core/base/error.h"
#include "streams/state.h"

namespace BLOOMERY_NAMESPACE::replica {

Streams::State::State(Replica& of, StreamOptions wanted)
    : replica(of),
      options(std::move(wanted)),
      names(of.options().lineage),
      stream(names.stream()),
      inbox(names.inbox(of.options().origin)),
      own(std::to_string(of.options().origin)) {}

// From then on adds are logged only when new.
Status Streams::State::open() {
  Result<Connection> opened = Connection::open(options.server);
  BLOOMERY_TRY(opened);
  connection.emplace(*std::move(opened));
  Result<Reply> memory = connection->run({"INFO", "memory"});
  BLOOMERY_TRY(memory);
  const std::string policy = info_value(memory->text(), "maxmemory_policy");
  if (policy != "noeviction")
    return unsupported("server", "the server may evict keys (maxmemory-policy is '" + policy +
                                     "'), and a stream that loses entries silently loses keys: set noeviction");
  if (!server.known()) BLOOMERY_TRY(refuse_twin());
  BLOOMERY_TRY(connection->run({"DEL", inbox}));  // requests and answers of before
  inbox_cursor = {};
  BLOOMERY_TRY(look_at_server());
  replica.set_cut_off(false);
  return {};
}

// Two processes that share an origin and an incarnation would take each other's deltas for their own.
Status Streams::State::refuse_twin() {
  Result<Reply> reply = connection->run({"HGET", names.peers(), own});
  BLOOMERY_TRY(reply);
  Result<Envelope> before = parse_header(as_bytes(reply->text()), replica.options().secret);
  if (!before.ok() || before->header.incarnation < replica.options().incarnation) return {};
  return invalid_argument("incarnation", "replica " + own + " was here with incarnation " +
                                             std::to_string(before->header.incarnation) +
                                             ": give each replica an origin of its own, and each start of it a higher "
                                             "incarnation");
}

Status Streams::State::look_at_server() {
  checked = Clock::now();
  Result<Bytes> hello = replica.hello();
  BLOOMERY_TRY(hello);
  const std::string peer_key = names.peers(), asked_key = names.asked();
  connection->queue({"INFO", "server"});
  connection->queue({"INFO", "replication"});
  connection->queue({"XREVRANGE", stream, "+", "-", "COUNT", "1"});
  connection->queue({"HSET", peer_key, own, as_text(*hello)});
  connection->queue({"HGETALL", peer_key});
  connection->queue({"HMGET", asked_key, "checkpoint", "repair"});
  Result<Reply> info = connection->next(), replication = connection->next(), last = connection->next(),
                stored = connection->next(), all = connection->next(), asked = connection->next();
  for (const Result<Reply>* reply : {&info, &replication, &last, &stored, &all, &asked})
    if (!reply->ok()) return reply->error();
  ServerId found = ServerId::of(*info, *replication);
  const bool changed = (server.known() && found != server) || newest_of(*last) < cursor;
  server = std::move(found);
  BLOOMERY_TRY(look_at_pointer(changed));
  take_peers(*all);
  take_requests(*asked);
  return {};
}

// A bad pointer keeps nobody from reading the stream.
Status Streams::State::look_at_pointer(bool server_changed) {
  Result<std::optional<CheckpointPointer>> found = read_pointer(*connection, names, {&replica.options().secret});
  if (!found.ok() && is_of_connection(found.error())) return found.error();
  if (!found.ok()) ++stats.checkpoints_refused;
  pointer = found.ok() ? *std::move(found) : std::nullopt;
  if (pointer) {
    stats.checkpoint_position = pointer->position.to_string();
    drop_covered(pointer->covered);
  }
  if (!server_changed) return {};
  lost_range();
  cursor = pointer && pointer->position < cursor ? pointer->position : EntryId();
  cursor_was_lost = false;
  for (Pending& one : pending) one.appended = false, one.again = true;
  return {};
}

void Streams::State::take_peers(const Reply& all) {
  for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
    if (Reply::text(all.item(i)) == own) continue;
    const auto bytes = as_bytes(Reply::text(all.item(i + 1)));
    if (!replica.receive(bytes).ok()) {
      ++stats.refused;
      continue;
    }
    const Result<Message> message = parse(bytes, replica.options().secret);
    const Hello* const about = message.ok() ? std::get_if<Hello>(&message->body) : nullptr;
    if (about != nullptr && message->header.origin != replica.options().origin)
      peers[message->header.origin] = about->whole;
  }
}

// Requests from before this replica came are not meant for it.
void Streams::State::take_requests(const Reply& asked) {
  const auto is_new = [&](std::size_t i, std::optional<std::string>& known) {
    std::string token(Reply::text(asked.item(i)));
    const bool fresh = known.has_value() && *known != token;
    known = std::move(token);
    return fresh;
  };
  if (is_new(0, checkpoint_asked)) checkpoint_wanted = tell_anyway = true;  // an entry, so that its position is new
  if (is_new(1, repair_asked_for)) repair_wanted = true, repair_asked = {};
}

}  // namespace BLOOMERY_NAMESPACE::replica
