// A bridge reads the stream of FROM from the position that lies at TO on. A gap there (entries that were trimmed before
// they were read, a bridge that was marked behind, another server, no position at TO) is closed by FROM's checkpoint:
// its parts are copied, an entry in TO's stream names them, and reading goes on from the checkpoint's position. Where
// the entry at that position is gone as well, FROM's next checkpoint is copied too.
#include <algorithm>
#include <thread>
#include <utility>

#include "bloomery/replica_streams.h"
#include "core/base/error.h"
#include "streams/answers.h"
#include "streams/checkpoint_store.h"
#include "streams/names.h"

namespace BLOOMERY_NAMESPACE::replica {
namespace {

constexpr std::chrono::minutes kCopyAgain{30};  // copies live for an hour

}  // namespace

struct Bridge::State {
  explicit State(BridgeOptions wanted)
      : options(std::move(wanted)),
        names(options.lineage),
        stream(names.stream()),
        bridged(names.bridged(options.from_site)) {}

  Status open();
  Status look_at_servers();
  Status close_gap();
  Status wait_for_checkpoint();
  Status take_over(const CheckpointPointer& pointer);
  Result<bool> copy_checkpoint(const CheckpointPointer& pointer);
  Status move_to(EntryId next, const std::vector<const redisReply*>& entries, const std::string& copy = {});
  Result<std::uint64_t> forward(const Reply& read);
  Result<std::uint64_t> step(milliseconds wait);

  const BridgeOptions options;
  const Names names;
  const std::string stream, bridged;
  std::optional<Connection> from, to;
  EntryId position;                // of FROM; TO has all up to it
  bool position_is_entry = false;  // the entry at the position must be there
  ServerId server;                 // of FROM, to which the position belongs
  std::string copied_token;        // of the checkpoint that was copied last
  bool copy_is_due = false;        // the next checkpoint is to be copied without a gap, too
  Clock::time_point checked{}, copied_at{}, copy_asked = Clock::now();
  BridgeStats stats;
};

Bridge::Bridge(std::unique_ptr<State> state) : state_(std::move(state)) {}
Bridge::~Bridge() = default;

Status Bridge::State::open() {
  Result<Connection> source = Connection::open(options.from), target = Connection::open(options.to);
  BLOOMERY_TRY(source);
  BLOOMERY_TRY(target);
  from.emplace(*std::move(source)), to.emplace(*std::move(target));
  return look_at_servers();
}

// At TO lies "position run_id master_replid", of the server that the position is of.
Status Bridge::State::look_at_servers() {
  checked = Clock::now();
  const std::string bridges = names.bridges();
  Result<Reply> kept = to->run({"GET", bridged});
  BLOOMERY_TRY(kept);
  from->queue({"INFO", "server"});
  from->queue({"INFO", "replication"});
  from->queue({"HGET", bridges, options.name});
  from->queue({"XREVRANGE", stream, "+", "-", "COUNT", "1"});
  Result<Reply> info = from->next(), replication = from->next(), mark = from->next(), last = from->next();
  for (const Result<Reply>* reply : {&info, &replication, &mark, &last})
    if (!reply->ok()) return reply->error();
  server = ServerId::of(*info, *replication);
  std::string_view text = kept->text();
  const std::optional<EntryId> at = EntryId::parse(cut(text, ' '));
  if (!at || *at != position) {
    position = at.value_or(EntryId());
    position_is_entry = position != EntryId();
  }
  stats.position = position.to_string();
  const bool behind = !at || text != server.to_string() || mark->text() == kBehind || newest_of(*last) < position;
  const bool is_time = Clock::now() - copy_asked > options.copy_every;
  // FROM's newest checkpoint may be older than what is missing, so another one is asked for, and copied too.
  if (behind || is_time) {
    BLOOMERY_TRY(from->run({"HSET", names.asked(), "checkpoint", world().fresh_token()}));
    copy_asked = Clock::now();
    copy_is_due = copy_is_due || is_time;
  }
  if (behind) {
    BLOOMERY_TRY(close_gap());
    stats.gap = true;
    return {};
  }
  if (stats.gap) return wait_for_checkpoint();
  if (mark->is_nil()) BLOOMERY_TRY(from->run({"HSET", bridges, options.name, stats.position}));
  return copy_is_due ? wait_for_checkpoint() : Status();
}

// Entries, or what names a copy, and the position, at once; then FROM may trim up to there.
Status Bridge::State::move_to(EntryId next, const std::vector<const redisReply*>& entries, const std::string& copy) {
  const std::string at = next.to_string(), value = at + " " + server.to_string();
  std::vector<Words> commands;
  for (const redisReply* entry : entries)
    commands.push_back(
        {"XADD", stream, "*", kMessageField, field_of(entry, kMessageField), kSiteField, options.from_site});
  if (!copy.empty()) commands.push_back({"XADD", stream, "*", kCopyField, copy, kSiteField, options.from_site});
  commands.push_back({"SET", bridged, value});
  BLOOMERY_TRY(to->run_together(commands));
  position = next;
  stats.position = at;
  BLOOMERY_TRY(from->run({"HSET", names.bridges(), options.name, at}));
  return {};
}

// Without a checkpoint it reads all that is there, and waits for the next checkpoint.
Status Bridge::State::close_gap() {
  Result<std::optional<CheckpointPointer>> pointer = read_pointer(*from, names, {});
  BLOOMERY_TRY(pointer);
  if (*pointer) return take_over(**pointer);
  stats.gap = position != EntryId();
  position_is_entry = false;
  return move_to(EntryId(), {});
}

Status Bridge::State::wait_for_checkpoint() {
  Result<std::optional<CheckpointPointer>> pointer = read_pointer(*from, names, {});
  BLOOMERY_TRY(pointer);
  return !*pointer || (*pointer)->token == copied_token ? Status() : take_over(**pointer);
}

// Reading goes on behind the checkpoint, where the entry at its position should be.
Status Bridge::State::take_over(const CheckpointPointer& pointer) {
  Result<bool> copied = copy_checkpoint(pointer);
  BLOOMERY_TRY(copied);
  stats.gap = true;
  if (!*copied) return {};  // a newer one has taken its place
  const std::string at = position.to_string();
  Result<Reply> kept = from->run({"XRANGE", stream, at, at});
  BLOOMERY_TRY(kept);
  position_is_entry = kept->size() != 0;
  stats.gap = !position_is_entry && position != EntryId();
  return {};
}

Result<bool> Bridge::State::copy_checkpoint(const CheckpointPointer& pointer) {
  // It was asked again while the copy is still there: then only the position is put back.
  if (pointer.token == copied_token && Clock::now() - copied_at < kCopyAgain) {
    BLOOMERY_TRY(move_to(pointer.position, {}));
    return true;
  }
  Result<std::optional<Bytes>> bytes = read_bytes(*from, names, pointer, nullptr);
  BLOOMERY_TRY(bytes);
  if (!*bytes) return false;
  Result<CheckpointCopy> copy = write_copy(*to, names, **bytes);
  BLOOMERY_TRY(copy);
  BLOOMERY_TRY(move_to(pointer.position, {}, copy->to_string()));
  copied_token = pointer.token;
  copied_at = Clock::now();
  copy_is_due = false;
  ++stats.copied;
  return true;
}

Result<std::uint64_t> Bridge::State::forward(const Reply& read) {
  const redisReply* entries = Reply::item(read.item(0), 1);
  std::vector<const redisReply*> added_here;
  EntryId last = position;
  for (std::size_t i = 0; i < Reply::size(entries); ++i) {
    const redisReply* entry = Reply::item(entries, i);
    const std::optional<EntryId> id = EntryId::parse(Reply::text(Reply::item(entry, 0)));
    if (!id || *id <= last)
      return corrupt("server", "the server answered XREAD with an entry that has no id, or an old one");
    last = *id;
    const bool forwards = field_of(entry, kSiteField) == options.from_site && !field_of(entry, kMessageField).empty();
    if (forwards) added_here.push_back(entry);
    else ++stats.skipped;
  }
  if (last == position) return std::uint64_t{0};
  BLOOMERY_TRY(move_to(last, added_here));
  position_is_entry = true;
  stats.forwarded += added_here.size();
  return static_cast<std::uint64_t>(Reply::size(entries));
}

Result<std::uint64_t> Bridge::State::step(milliseconds wait) {
  if (!from || !to) {
    BLOOMERY_TRY(open());
    ++stats.reconnects;
  }
  if (Clock::now() - checked > kCheckEvery) BLOOMERY_TRY(look_at_servers());
  Result<Reply> length = to->run({"XLEN", stream});
  BLOOMERY_TRY(length);
  if (length->number() >= 0 && static_cast<std::uint64_t>(length->number()) >= options.stream_cap) {
    std::this_thread::sleep_for(wait);  // the replicas there trim it
    return std::uint64_t{0};
  }
  const std::string at = position.to_string(), block = std::to_string(wait.count());
  Words words = {"XREAD", "COUNT", kEntriesAtOnce};
  if (wait.count() > 0) words.insert(words.end(), {"BLOCK", block});
  words.insert(words.end(), {"STREAMS", stream, at});
  BLOOMERY_TRY(from->set_timeout(options.from.timeout + wait));
  from->queue(words);
  from->queue({"XRANGE", stream, at, at});
  const std::string bridges = names.bridges();
  from->queue({"HGET", bridges, options.name});  // after the read: what was trimmed before it left its mark
  Result<Reply> read = from->next(), kept = from->next(), mark = from->next();
  for (const Result<Reply>* reply : {&read, &kept, &mark})
    if (!reply->ok()) return reply->error();
  if ((!position_is_entry || kept->size() != 0) && mark->text() != kBehind) return forward(*read);
  BLOOMERY_TRY(close_gap());  // trimmed, perhaps before the read
  return std::uint64_t{0};
}

Result<std::unique_ptr<Bridge>> Bridge::connect(const BridgeOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<Bridge>> {
    if (options.name.empty() || options.from_site.empty())
      return invalid_argument("name", "a bridge needs a name, and the name of the site whose entries it forwards");
    auto state = std::make_unique<State>(options);
    BLOOMERY_TRY(state->open());
    return std::unique_ptr<Bridge>(new Bridge(std::move(state)));
  });
}

Result<std::uint64_t> Bridge::pump(milliseconds wait) {
  return guarded([&]() -> Result<std::uint64_t> {
    Result<std::uint64_t> read = state_->step(std::max(wait, milliseconds(0)));
    if (!read.ok()) state_->from.reset(), state_->to.reset();
    return read;
  });
}

BridgeStats Bridge::stats() const { return state_->stats; }

}  // namespace BLOOMERY_NAMESPACE::replica
