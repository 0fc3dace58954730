// A stream as the road between replicas. What goes wrong with streams, and what is done about it:
//   - XREAD skips what was trimmed without a word: after each read the entry at the old cursor must still be there;
//   - a new primary, or a server that came back from its disk, may lack the newest entries: another run_id or
//     master_replid, or a last entry before the cursor, has all that is pending appended again, the stream read again
//     from its start, and a peer asked for what differs;
//   - an XADD that returned is no confirmation: deltas stay pending until everybody has acknowledged them or a
//     checkpoint covers them;
//   - hellos lie in a hash, not in the stream, which an idle filter would fill.
#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "bloomery/replica_streams.h"
#include "core/base/error.h"
#include "streams/answers.h"
#include "streams/checkpoint_store.h"
#include "streams/names.h"

namespace BLOOMERY_NAMESPACE::replica {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr const char* kEntriesAtOnce = "64";  // a message has 2 MiB at most
constexpr const char* kInboxCap = "1000";
constexpr milliseconds kCheckEvery{1000};

}  // namespace

struct Streams::State {
  State(Replica& of, StreamOptions wanted) : replica(of), options(std::move(wanted)), names(of.options().lineage) {}

  Status open();
  Status look_at_server();
  Status server_changed();
  Status take_over_checkpoint();
  Status take_copy(std::string_view text);
  Result<EntryId> restore(std::span<const std::uint8_t> bytes);
  Status append(const Bytes& message);
  Status append_pending();
  Status send(StreamStep& step);
  Status read(milliseconds wait, StreamStep& step);
  Status take_entries(const redisReply* entries, EntryId& at, bool inbox, StreamStep& step);
  Status take_message(std::string_view message, StreamStep& step);
  Status acknowledge();
  Status look_for_repair();
  Status send_to(std::uint64_t origin, const Bytes& message);
  void drop_covered(const std::vector<Position>& covered);
  Result<bool> write_checkpoint_now();
  Result<StreamStep> step(milliseconds wait);

  struct Pending {
    std::uint64_t sequence;
    Bytes message;
  };

  Replica& replica;
  StreamOptions options;
  Names names;
  std::optional<Connection> connection;
  EntryId cursor, inbox_cursor;
  std::string run_id, replication_id;
  std::deque<Pending> pending;
  std::map<std::uint64_t, bool> peers;  // origin, and whether it is whole
  std::uint64_t last_asked = 0;         // the peer that was asked for a repair last
  std::vector<Position> acknowledged;   // what this replica has told the others
  std::uint64_t read_since_checkpoint = 0;
  bool repair_wanted = false;
  Clock::time_point checked{}, repair_asked{}, repaired{Clock::now()};
  StreamStats stats;
};

Streams::Streams(std::unique_ptr<State> state) : state_(std::move(state)) {}
Streams::~Streams() = default;

// Connects anew. What the stream may lack is appended again, and from then on adds are logged only when new.
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
  const std::string inbox = names.inbox(replica.options().origin);
  BLOOMERY_TRY(connection->run({"DEL", inbox}));  // requests and answers of before
  inbox_cursor = {};
  BLOOMERY_TRY(look_at_server());
  BLOOMERY_TRY(append_pending());
  replica.set_cut_off(false);
  return {};
}

// Which server this is, what lies in the stream, who is there. Tells the others of itself.
Status Streams::State::look_at_server() {
  checked = Clock::now();
  Result<Bytes> hello = replica.hello();
  BLOOMERY_TRY(hello);
  const std::string stream = names.stream(), peer_key = names.peers();
  const std::string own = std::to_string(replica.options().origin);
  connection->queue({"INFO", "server"});
  connection->queue({"INFO", "replication"});
  connection->queue({"XREVRANGE", stream, "+", "-", "COUNT", "1"});
  connection->queue({"XLEN", stream});
  connection->queue({"HSET", peer_key, own, as_text(*hello)});
  connection->queue({"HGETALL", peer_key});
  Result<Reply> server = connection->next(), replication = connection->next(), last = connection->next(),
                length = connection->next(), told = connection->next(), all = connection->next();
  for (const Result<Reply>* reply : {&server, &replication, &last, &length, &told, &all})
    if (!reply->ok()) return reply->error();
  stats.stream_length = static_cast<std::uint64_t>(length->number());
  std::string run = info_value(server->text(), "run_id");
  std::string id = info_value(replication->text(), "master_replid");
  const bool known = !run_id.empty();
  const EntryId newest =
      last->size() == 0 ? EntryId() : EntryId::parse(Reply::text(Reply::item(last->item(0), 0))).value_or(EntryId());
  const bool other = known && (run != run_id || id != replication_id);
  run_id = std::move(run), replication_id = std::move(id);
  if (other || newest < cursor) BLOOMERY_TRY(server_changed());
  for (std::size_t i = 0; i + 1 < all->size(); i += 2) {
    if (Reply::text(all->item(i)) == own) continue;
    const auto bytes = as_bytes(Reply::text(all->item(i + 1)));
    Result<Message> message = parse(bytes, replica.options().secret);
    if (!message.ok() || message->header.lineage != replica.options().lineage) continue;
    if (const auto* about = std::get_if<Hello>(&message->body)) peers[message->header.origin] = about->whole;
    if (!replica.receive(bytes).ok()) ++stats.refused;
  }
  Result<std::optional<CheckpointPointer>> pointer = read_pointer(*connection, names);
  BLOOMERY_TRY(pointer);
  if (*pointer) {
    stats.checkpoint_position = (*pointer)->position.to_string();
    drop_covered((*pointer)->covered);
  }
  return {};
}

// The stream may lack what others and this replica had appended.
Status Streams::State::server_changed() {
  ++stats.lost_ranges;
  replica.fell_behind();
  cursor = {};
  return append_pending();
}

Status Streams::State::append(const Bytes& message) {
  BLOOMERY_TRY(
      connection->run({"XADD", names.stream(), "*", kMessageField, as_text(message), kSiteField, options.site}));
  return {};
}

Status Streams::State::append_pending() {
  for (const Pending& one : pending) {
    BLOOMERY_TRY(append(one.message));
    ++stats.appended_again;
  }
  return {};
}

void Streams::State::drop_covered(const std::vector<Position>& covered) {
  std::uint64_t sequence = replica.acknowledged_by_all();
  for (const Position& at : covered)
    if (at.origin == replica.options().origin && at.incarnation == replica.options().incarnation)
      sequence = std::max(sequence, at.sequence);
  while (!pending.empty() && pending.front().sequence <= sequence) {
    stats.pending_bytes -= pending.front().message.size();
    pending.pop_front();
  }
  stats.pending = pending.size();
}

// A delta is pending before it is appended. While too much is pending nothing is taken out of the log, which then
// overflows in its own way: a number is left out, and the others repair.
Status Streams::State::send(StreamStep& step) {
  drop_covered({});
  while (stats.pending_bytes < options.pending_cap) {
    Result<std::optional<Bytes>> delta = replica.take_delta(options.delta_keys);
    BLOOMERY_TRY(delta);
    if (!*delta) return {};
    stats.pending_bytes += (*delta)->size();
    pending.push_back({replica.sequence(), **std::move(delta)});
    stats.pending = pending.size();
    BLOOMERY_TRY(append(pending.back().message));
    ++step.sent;
  }
  return {};
}

Status Streams::State::send_to(std::uint64_t origin, const Bytes& message) {
  BLOOMERY_TRY(
      connection->run({"XADD", names.inbox(origin), "MAXLEN", "~", kInboxCap, "*", kMessageField, as_text(message)}));
  return {};
}

Status Streams::State::take_message(std::string_view message, StreamStep& step) {
  const auto bytes = as_bytes(message);
  Result<Envelope> envelope = parse_header(bytes, replica.options().secret);
  if (envelope.ok() && envelope->header.origin == replica.options().origin &&
      envelope->header.incarnation == replica.options().incarnation)
    return {};  // its own
  Result<Received> received = replica.receive(bytes);
  if (!received.ok()) {
    ++step.refused, ++stats.refused;
    return {};
  }
  for (const Bytes& answer : received->answers) BLOOMERY_TRY(send_to(received->header.origin, answer));
  if (received->repaired) repaired = Clock::now(), repair_wanted = false;
  return {};
}

Status Streams::State::take_entries(const redisReply* entries, EntryId& at, bool inbox, StreamStep& step) {
  for (std::size_t i = 0; i < Reply::size(entries); ++i) {
    const redisReply* entry = Reply::item(entries, i);
    const std::optional<EntryId> id = EntryId::parse(Reply::text(Reply::item(entry, 0)));
    if (!id) return corrupt("server", "the server answered XREAD with an entry that has no id");
    if (const std::string_view copy = field_of(entry, kCopyField); !copy.empty()) BLOOMERY_TRY(take_copy(copy));
    else BLOOMERY_TRY(take_message(field_of(entry, kMessageField), step));
    at = *id;
    ++step.read;
    if (!inbox) ++read_since_checkpoint;
  }
  return {};
}

Status Streams::State::read(milliseconds wait, StreamStep& step) {
  const std::string stream = names.stream(), inbox = names.inbox(replica.options().origin);
  const std::string from = cursor.to_string(), inbox_from = inbox_cursor.to_string(),
                    block = std::to_string(wait.count());
  Words words = {"XREAD", "COUNT", kEntriesAtOnce};
  if (wait.count() > 0) words.insert(words.end(), {"BLOCK", block});
  words.insert(words.end(), {"STREAMS", stream, inbox, from, inbox_from});
  BLOOMERY_TRY(connection->set_timeout(options.server.timeout + wait));
  connection->queue(words);
  connection->queue({"XRANGE", stream, from, from});
  connection->queue({"XTRIM", inbox, "MINID", inbox_from});
  Result<Reply> read = connection->next(), kept = connection->next(), trimmed = connection->next();
  for (const Result<Reply>* reply : {&read, &kept, &trimmed})
    if (!reply->ok()) return reply->error();
  if (cursor != EntryId() && kept->size() == 0) {  // trimmed by now: perhaps before the read
    ++stats.lost_ranges;
    replica.fell_behind();
  }
  for (std::size_t i = 0; i < read->size(); ++i) {
    const bool is_inbox = Reply::text(Reply::item(read->item(i), 0)) == inbox;
    BLOOMERY_TRY(take_entries(Reply::item(read->item(i), 1), is_inbox ? inbox_cursor : cursor, is_inbox, step));
  }
  stats.cursor = cursor.to_string();
  return {};
}

// Only what has changed since the last time: an acknowledgement moves nobody's position, so they do not go round.
Status Streams::State::acknowledge() {
  std::vector<Position> now = replica.positions();
  std::erase_if(now, [&](const Position& at) { return at.origin == replica.options().origin; });
  if (now == acknowledged) return {};
  Result<Bytes> message = replica.acknowledgement();
  BLOOMERY_TRY(message);
  BLOOMERY_TRY(append(*message));
  acknowledged = std::move(now);
  return {};
}

// Asks the next peer, the whole ones first; alone, takes over the checkpoint once more.
Status Streams::State::look_for_repair() {
  const Clock::time_point now = Clock::now();
  if (now - repaired > options.repair_every) repair_wanted = true;
  if (!repair_wanted && !replica.needs_repair()) return {};
  if (now - repair_asked < options.peer_timeout) return {};
  repair_asked = now;
  if (peers.empty()) {
    repair_wanted = false, repaired = now;
    return replica.needs_repair() ? take_over_checkpoint() : Status();
  }
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

// Takes over what the bytes of a checkpoint hold, and says where in the stream its writer was.
Result<EntryId> Streams::State::restore(std::span<const std::uint8_t> bytes) {
  Result<Checkpoint> checkpoint = decode(bytes, replica.options().lineage, replica.options().secret);
  BLOOMERY_TRY(checkpoint);
  Result<Bytes> hello = replica.hello();
  BLOOMERY_TRY(hello);
  Result<Message> own = parse(*hello, replica.options().secret);
  BLOOMERY_TRY(own);
  const Hello& mine = std::get<Hello>(own->body);
  const Hello& other = checkpoint->filter;
  if (mine.kind != other.kind || mine.hash != other.hash || mine.seed != other.seed || mine.geometry != other.geometry)
    return mismatch("checkpoint",
                    "the checkpoint of this lineage is of another kind, size or hash: make the filter as "
                    "the others of the lineage have it, or begin a new lineage");
  for (const Snapshot& snapshot : checkpoint->snapshots) BLOOMERY_TRY(replica.restore(snapshot));
  return checkpoint->position;
}

Status Streams::State::take_over_checkpoint() {
  Result<std::optional<Bytes>> bytes = read_checkpoint(*connection, names);
  BLOOMERY_TRY(bytes);
  if (!*bytes) return {};
  Result<EntryId> position = restore(**bytes);
  BLOOMERY_TRY(position);
  cursor = *position;
  stats.checkpoint_position = cursor.to_string();
  return {};
}

// What a bridge has copied of another site. Where it is gone, or of another filter, something is missing here.
Status Streams::State::take_copy(std::string_view text) {
  const std::optional<CheckpointCopy> copy = CheckpointCopy::parse(text);
  if (!copy) return {};
  Result<std::optional<Bytes>> bytes = read_copy(*connection, names, *copy);
  BLOOMERY_TRY(bytes);
  if (*bytes && restore(**bytes).ok()) return {};
  ++stats.refused;
  replica.fell_behind();
  return {};
}

Result<bool> Streams::State::write_checkpoint_now() {
  read_since_checkpoint = 0;
  const CheckpointWrite write = {cursor, replica.positions(), options.part_bytes, options.stream_cap};
  Result<std::vector<Snapshot>> snapshots = replica.snapshot();  // after the position
  BLOOMERY_TRY(snapshots);
  Result<Bytes> hello = replica.hello();
  BLOOMERY_TRY(hello);
  Result<Bytes> bytes = encode(*hello, write.position, *snapshots, replica.options().secret);
  BLOOMERY_TRY(bytes);
  Result<std::optional<CheckpointPointer>> before = read_pointer(*connection, names);
  BLOOMERY_TRY(before);
  Result<bool> written = write_checkpoint(*connection, names, *before, write, *bytes);
  BLOOMERY_TRY(written);
  ++(*written ? stats.checkpoints : stats.checkpoints_lost);
  return written;
}

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
  if (options.checkpoint_after != 0 && read_since_checkpoint >= options.checkpoint_after && replica.whole()) {
    Result<bool> written = write_checkpoint_now();
    BLOOMERY_TRY(written);
    step.checkpoint = *written;
  }
  return step;
}

Result<std::unique_ptr<Streams>> Streams::connect(Replica& replica, const StreamOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<Streams>> {
    if (options.part_bytes == 0 || options.part_bytes > (std::size_t{16} << 20))
      return invalid_argument("part_bytes", "parts of a checkpoint have 1 byte to 16 MiB");
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
    return written;
  });
}

void Streams::repair() { state_->repair_wanted = true, state_->repair_asked = {}; }
StreamStats Streams::stats() const { return state_->stats; }

}  // namespace BLOOMERY_NAMESPACE::replica
