// A bridge reads the stream of FROM from the position that lies at TO on. A gap there (entries that were trimmed before
// they were read, a bridge that was marked behind, another server) is closed by FROM's checkpoint: its parts are
// copied, an entry in TO's stream names them, and reading goes on from the checkpoint's position.
#include <algorithm>
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

constexpr const char* kEntriesAtOnce = "64";
constexpr milliseconds kCheckEvery{1000};

}  // namespace

struct Bridge::State {
  explicit State(BridgeOptions wanted) : options(std::move(wanted)), names(options.lineage) {}

  Status open();
  Status look_at_server();
  Status close_gap();
  Status forward(const std::vector<const redisReply*>& entries, EntryId last);
  Result<std::uint64_t> step(milliseconds wait);

  BridgeOptions options;
  Names names;
  std::optional<Connection> from, to;
  EntryId position;
  std::string run_id, replication_id;
  Clock::time_point checked{};
  BridgeStats stats;
};

Bridge::Bridge(std::unique_ptr<State> state) : state_(std::move(state)) {}
Bridge::~Bridge() = default;

Status Bridge::State::open() {
  Result<Connection> source = Connection::open(options.from), target = Connection::open(options.to);
  BLOOMERY_TRY(source);
  BLOOMERY_TRY(target);
  from.emplace(*std::move(source)), to.emplace(*std::move(target));
  Result<Reply> at = to->run({"GET", names.bridged(options.from_site)});
  BLOOMERY_TRY(at);
  position = EntryId::parse(at->text()).value_or(EntryId());
  return look_at_server();
}

Status Bridge::State::look_at_server() {
  checked = Clock::now();
  const std::string stream = names.stream(), bridges = names.bridges();
  from->queue({"INFO", "server"});
  from->queue({"INFO", "replication"});
  from->queue({"HGET", bridges, options.name});
  from->queue({"XREVRANGE", stream, "+", "-", "COUNT", "1"});
  Result<Reply> server = from->next(), replication = from->next(), mark = from->next(), last = from->next();
  for (const Result<Reply>* reply : {&server, &replication, &mark, &last})
    if (!reply->ok()) return reply->error();
  std::string run = info_value(server->text(), "run_id"), id = info_value(replication->text(), "master_replid");
  const bool other = !run_id.empty() && (run != run_id || id != replication_id);
  run_id = std::move(run), replication_id = std::move(id);
  const EntryId newest =
      last->size() == 0 ? EntryId() : EntryId::parse(Reply::text(Reply::item(last->item(0), 0))).value_or(EntryId());
  if (other || mark->text() == kBehind || newest < position) return close_gap();
  return {};
}

// TO gets the checkpoint of FROM, where there is one; reading goes on behind it, or from the start of the stream.
Status Bridge::State::close_gap() {
  Result<std::optional<CheckpointPointer>> pointer = read_pointer(*from, names);
  BLOOMERY_TRY(pointer);
  Result<std::optional<Bytes>> bytes = read_checkpoint(*from, names);
  BLOOMERY_TRY(bytes);
  position = *pointer ? (*pointer)->position : EntryId();  // read before: what was copied holds at least as much
  const std::string at = position.to_string(), stream = names.stream(), bridged = names.bridged(options.from_site);
  if (*bytes) {
    Result<CheckpointCopy> copy = write_copy(*to, names, **bytes);
    BLOOMERY_TRY(copy);
    const std::string named = copy->to_string();
    to->queue({"MULTI"});
    to->queue({"XADD", stream, "*", kCopyField, named, kSiteField, options.from_site});
    to->queue({"SET", bridged, at});
    to->queue({"EXEC"});
    for (int i = 0; i < 4; ++i) BLOOMERY_TRY(to->next());
    ++stats.copied;
  }
  BLOOMERY_TRY(from->run({"HSET", names.bridges(), options.name, at}));
  stats.position = at;
  return {};
}

Status Bridge::State::forward(const std::vector<const redisReply*>& entries, EntryId last) {
  const std::string stream = names.stream(), bridged = names.bridged(options.from_site), at = last.to_string();
  to->queue({"MULTI"});
  for (const redisReply* entry : entries)
    to->queue({"XADD", stream, "*", kMessageField, field_of(entry, kMessageField), kSiteField, options.from_site});
  to->queue({"SET", bridged, at});
  to->queue({"EXEC"});
  for (std::size_t i = 0; i < entries.size() + 3; ++i) BLOOMERY_TRY(to->next());
  position = last;
  BLOOMERY_TRY(from->run({"HSET", names.bridges(), options.name, at}));
  stats.position = at;
  stats.forwarded += entries.size();
  return {};
}

Result<std::uint64_t> Bridge::State::step(milliseconds wait) {
  if (!from || !to) {
    BLOOMERY_TRY(open());
    ++stats.reconnects;
  }
  if (Clock::now() - checked > kCheckEvery) BLOOMERY_TRY(look_at_server());
  const std::string stream = names.stream(), at = position.to_string(), block = std::to_string(wait.count());
  Words words = {"XREAD", "COUNT", kEntriesAtOnce};
  if (wait.count() > 0) words.insert(words.end(), {"BLOCK", block});
  words.insert(words.end(), {"STREAMS", stream, at});
  BLOOMERY_TRY(from->set_timeout(options.from.timeout + wait));
  from->queue(words);
  from->queue({"XRANGE", stream, at, at});
  Result<Reply> read = from->next(), kept = from->next();
  BLOOMERY_TRY(read);
  BLOOMERY_TRY(kept);
  if (position != EntryId() && kept->size() == 0) {  // trimmed: perhaps before the read
    BLOOMERY_TRY(close_gap());
    return std::uint64_t{0};
  }
  const redisReply* entries = Reply::item(read->item(0), 1);
  std::vector<const redisReply*> born_here;
  EntryId last = position;
  for (std::size_t i = 0; i < Reply::size(entries); ++i) {
    const redisReply* entry = Reply::item(entries, i);
    const std::optional<EntryId> id = EntryId::parse(Reply::text(Reply::item(entry, 0)));
    if (!id) return corrupt("server", "the server answered XREAD with an entry that has no id");
    last = *id;
    if (field_of(entry, kSiteField) == options.from_site && field_of(entry, kCopyField).empty())
      born_here.push_back(entry);
    else ++stats.skipped;
  }
  if (last != position) BLOOMERY_TRY(forward(born_here, last));
  return static_cast<std::uint64_t>(Reply::size(entries));
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
