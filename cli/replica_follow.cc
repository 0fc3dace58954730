// bloomery replica follow: a replica as a process. Keys that it is given are added, here and everywhere.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "cli/filter_file.h"
#include "cli/json.h"
#include "cli/keys.h"
#include "cli/output.h"
#include "cli/replace.h"
#include "cli/replica.h"
#include "core/base/error.h"
#include "core/io/atomic_file.h"

namespace bloomery::cli {
namespace {

using std::chrono::milliseconds;

struct ReplicaFollowArguments {
  ServerOption server;
  LineageOption lineage;
  KeyOptions keys;
  std::string origin, incarnation, kind = "block", n, fpr = "0.01", most_fpr = "1", site = "main", output, every = "10";
  std::string checkpoint_after = "10k", stream_cap = "1M";
  bool first = false, once = false, json = false;
};

// Keys of several files, as they come: it never waits for more than 50 ms, so that a signal is heeded.
class Input {
 public:
  explicit Input(const KeyOptions& options) : format_(options.format()) {
    names_.assign(options.files.begin(), options.files.end());
    if (names_.empty()) names_.emplace_back("-");
  }
  bool at_end() const { return !file_ && names_.empty(); }

  // Calls use(key) for those that have come.
  template <class Use>
  Status read(Use use) {
    if (!file_) {
      const std::string& name = names_.front();
      Result<io::File> file = is_standard_input(name) ? open_keys(name) : io::File::open_without_waiting(name);
      BLOOMERY_TRY(file);
      file_.emplace(*std::move(file));
      names_.pop_front();
    }
    pollfd ready = {file_->fd(), POLLIN, 0};
    constexpr int kPatience = 50;
    if (!file_->is_regular() && ::poll(&ready, 1, kPatience) <= 0) return {};
    const std::size_t had = text_.size();
    text_.resize(had + kBlock);
    Result<std::optional<std::size_t>> some =
        file_->read_what_is_there({reinterpret_cast<std::uint8_t*>(text_.data()) + had, kBlock});
    const std::size_t got = some.ok() ? some->value_or(0) : 0;
    text_.resize(had + got);
    BLOOMERY_TRY(some);
    if (!*some) return {};  // another reader has taken it
    if (got == 0) file_.reset();
    std::size_t at = 0;
    for (std::size_t end; (end = text_.find(format_.delimiter, at)) != text_.npos; at = end + 1)
      use(key(std::string_view(text_).substr(at, end - at)));
    text_.erase(0, at);
    if (got == 0 && !text_.empty()) use(key(text_)), text_.clear();
    return {};
  }

 private:
  static constexpr std::size_t kBlock = std::size_t{64} << 10;
  std::string_view key(std::string_view line) const {
    if (format_.strip_cr && line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  KeyFormat format_;
  std::deque<std::string> names_;
  std::optional<io::File> file_;
  std::string text_;
};

struct Counts {
  std::uint64_t read = 0, fresh = 0;  // keys of the input, and those that changed the filter
  std::uint64_t confirmed = 0;        // keys of the input that the others, or a checkpoint, have
};

std::string line_of(const Counts& counts, const replica::Streams& streams, const replica::Replica& replica,
                    std::uint64_t bits_set, bool json) {
  const replica::StreamStats stats = streams.stats();
  const replica::ReplicaStats more = replica.stats();
  if (!json)
    return fmt::format("{}{}: {} keys read, {} new, {} confirmed; {} applied, {} refused, {} repairs, {} checkpoints\n",
                       stats.connected ? "" : "not connected, ", stats.whole ? "whole" : "not whole", counts.read,
                       counts.fresh, counts.confirmed, more.keys_applied, stats.refused, more.repairs_done,
                       stats.checkpoints);
  JsonArray lag;
  for (const replica::PeerLag& peer : stats.lag)
    lag.add(
        JsonObject().put("peer", peer.origin).put("keys", peer.keys).put("seconds", Json::four_digits(peer.seconds)));
  return JsonObject()
             .put("connected", stats.connected)
             .put("whole", stats.whole)
             .put("keys_read", counts.read)
             .put("keys_new", counts.fresh)
             .put("keys_confirmed", counts.confirmed)
             .put("keys_applied", more.keys_applied)
             .put("bits_set", bits_set)
             .put("cursor", stats.cursor)
             .put("stream_entries", stats.stream_length)
             .put("pending_bytes", stats.pending_bytes)
             .put("refused", stats.refused)
             .put("gaps", more.gaps)
             .put("lost_ranges", stats.lost_ranges)
             .put("repairs", more.repairs_done)
             .put("checkpoints", stats.checkpoints)
             .put("lag", lag)
             .text() +
         "\n";
}

struct Numbers {
  replica::ReplicaOptions replica;
  replica::StreamOptions stream;
  std::uint64_t n = 0, every = 0;
  double fpr = 0;
};

Result<Numbers> numbers_of(const ReplicaFollowArguments& o) {
  Numbers numbers;
  const Result<replica::Lineage> lineage = o.lineage.id();
  BLOOMERY_TRY(lineage);
  Result<std::optional<Secret>> secret = o.lineage.key();
  BLOOMERY_TRY(secret);
  Result<replica::StreamServer> server = o.server.server();
  BLOOMERY_TRY(server);
  const Result<std::uint64_t> origin = parse_count("origin", o.origin), n = parse_count("n", o.n),
                              every = parse_seconds("every", o.every), cap = parse_count("stream cap", o.stream_cap),
                              after = parse_count("checkpoint after", o.checkpoint_after);
  for (const Result<std::uint64_t>* one : {&origin, &n, &every, &cap, &after})
    if (!one->ok()) return one->error();
  const Result<double> fpr = parse_real("fpr", o.fpr), most = parse_real("most fpr", o.most_fpr);
  BLOOMERY_TRY(fpr);
  BLOOMERY_TRY(most);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  numbers.replica.incarnation =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
  if (!o.incarnation.empty()) {
    const Result<std::uint64_t> given = parse_count("incarnation", o.incarnation);
    BLOOMERY_TRY(given);
    numbers.replica.incarnation = *given;
  }
  numbers.replica.lineage = *lineage;
  numbers.replica.origin = *origin;
  numbers.replica.secret = *std::move(secret);
  numbers.replica.start = o.first ? replica::Start::new_lineage : replica::Start::lost;
  numbers.replica.most_fpr = *most;
  numbers.stream.server = *std::move(server);
  numbers.stream.site = o.site;
  numbers.stream.stream_cap = *cap;
  numbers.stream.checkpoint_after = *after;
  numbers.n = *n, numbers.fpr = *fpr, numbers.every = *every;
  return numbers;
}

template <class Filter>
struct Joined {
  std::unique_ptr<replica::ReplicaOf<Filter>> replica;
  std::unique_ptr<replica::Streams> streams;
};

template <class Filter>
Result<Joined<Filter>> join(const Numbers& numbers, std::uint64_t incarnation) {
  Result<Shared<Filter>> filter = Shared<Filter>::with_capacity(numbers.n, numbers.fpr);
  BLOOMERY_TRY(filter);
  replica::ReplicaOptions options = numbers.replica;
  options.incarnation = incarnation;
  auto made = replica::ReplicaOf<Filter>::make(*std::move(filter), options);
  BLOOMERY_TRY(made);
  Result<std::unique_ptr<replica::Streams>> streams = replica::Streams::connect(**made, numbers.stream);
  BLOOMERY_TRY(streams);
  return Joined<Filter>{*std::move(made), *std::move(streams)};
}

// Adds, pumps and prints until a signal comes, or with --once until all keys are confirmed. Then it writes the filter.
template <class Filter>
Result<bool> follow(const ReplicaFollowArguments& o, const Numbers& numbers) {
  std::optional<Ending> ending(std::in_place);
  // An attempt that met silence may have said hello, so the next one is another incarnation.
  std::uint64_t incarnation = numbers.replica.incarnation;
  Result<Joined<Filter>> joined = connect_patiently(numbers.stream.server.timeout, [&] {
    return join<Filter>(numbers, o.incarnation.empty() ? incarnation++ : incarnation);
  });
  BLOOMERY_TRY(joined);
  replica::ReplicaOf<Filter>& replica = *joined->replica;
  replica::Streams& streams = *joined->streams;
  Input input(o.keys);
  Counts counts;
  std::deque<std::pair<std::uint64_t, std::uint64_t>> waiting;  // the number of a delta, and the keys read by then
  Pace pace(numbers.every);
  bool done = false;
  const auto print = [&] {
    return print_line(line_of(counts, streams, replica, replica.filter().view().bits_set(), o.json));
  };
  while (!done && !Ending::wanted()) {
    if (!input.at_end())
      BLOOMERY_TRY(input.read([&](std::string_view key) {
        ++counts.read;
        counts.fresh += replica.add(key) ? 1 : 0;
      }));
    const std::uint64_t read = counts.read;
    const bool pumped = pace.pumped(streams.pump(milliseconds(input.at_end() ? 50 : 0)));
    const replica::StreamStats stats = streams.stats();
    if (pumped && stats.pending_bytes < numbers.stream.pending_cap) waiting.emplace_back(replica.sequence(), read);
    for (; !waiting.empty() && waiting.front().first <= stats.confirmed; waiting.pop_front())
      counts.confirmed = waiting.front().second;
    while (waiting.size() > 1 && waiting[waiting.size() - 2].first == waiting.back().first)
      waiting.erase(waiting.end() - 2);
    done = o.once && input.at_end() && counts.confirmed == counts.read && stats.whole;
    if (pace.line_is_due()) BLOOMERY_TRY(print());
  }
  BLOOMERY_TRY(print());
  ending.reset();  // from here on a signal ends the process, also while it waits for its turn to write
  if (!o.output.empty())
    BLOOMERY_TRY(replace(o.output, [&] { return save(o.output, AnyView(replica.filter().view()), Format::envelope); }));
  return true;
}

// What is read is not what is written, and a place that cannot be written to is noticed before the work.
Status check_output(const ReplicaFollowArguments& o) {
  if (o.output.empty()) return {};
  BLOOMERY_TRY(refuse_keys_as_output(o.keys.files, o.output));
  BLOOMERY_TRY(refuse_secret_as_output(o.lineage.secret.file, o.output));
  BLOOMERY_TRY(refuse_secret_as_output(o.server.password_file, o.output));
  BLOOMERY_TRY(io::AtomicFile::create(o.output));
  return {};
}

Result<bool> run(const ReplicaFollowArguments& o) {
  const Result<Numbers> numbers = numbers_of(o);
  BLOOMERY_TRY(numbers);
  const Result<Kind> kind = parse_kind(o.kind);
  BLOOMERY_TRY(kind);
  BLOOMERY_TRY(check_output(o));
  if (*kind == Kind::block) return follow<BlockFilter>(o, *numbers);
  if (*kind == Kind::split) return follow<SplitFilter>(o, *numbers);
  if (*kind == Kind::classic) return follow<ClassicFilter>(o, *numbers);
  return invalid_argument("kind", "--kind is " + o.kind +
                                      ": replicas are of classic, split or block, whose union is bit by bit, so that "
                                      "messages may come twice and in any order");
}

}  // namespace

void add_replica_follow(Command& replica) {
  auto o = std::make_shared<ReplicaFollowArguments>();
  Command& command = replica.add("follow", "Be a replica: add keys from the input, learn those of the others");
  command.details(
      "Runs until SIGINT or SIGTERM, or with --once until all keys of the input are confirmed: every replica has them, "
      "or a checkpoint. A process that is killed starts again with the keys that were not confirmed.");
  o->server.add_to(command, "server", "The server of the stream (default redis://127.0.0.1:6379)");
  o->lineage.add_to(command);
  command.option("--origin", "ID", &o->origin, "The number of this replica, its own and the same at every start")
      .required();
  command.option("--incarnation", "N", &o->incarnation, "A number that rises with every start (default: the time)");
  command.flag("--first", o->first, "The lineage is new: nobody has added anything yet");
  command.option("--kind", "K", &o->kind, "Kind of the filter: block (default), split or classic")
      .choices({"block", "split", "classic"});
  command.option("-n", "N", &o->n, "Keys it is made for, the same for all replicas").required();
  command.option("--fpr", "P", &o->fpr, "False-positive rate (default 0.01), the same for all");
  command.option("--most-fpr", "P", &o->most_fpr, "Refuse what would push the rate beyond it (default 1: nothing)");
  command.option("--site", "NAME", &o->site, "The data centre (default main), for bridges");
  command.option("--checkpoint-after", "N", &o->checkpoint_after, "A checkpoint after so many entries (default 10k)");
  command.option("--stream-cap", "N", &o->stream_cap, "Entries that the stream may have (default 1M)");
  command.option("-o,--output", "FILE", &o->output, "Write the filter to this file at the end");
  command.option("--every", "SECONDS", &o->every, "A line of figures so often (default 10; 0: only at the end)");
  command.flag("--once", o->once, "End when all keys of the input are confirmed");
  command.flag("--json", o->json, "Lines of JSON");
  o->keys.add_to(command);
  o->keys.add_files_to(command);
  command.runs([o] { return exit_status(run(*o)); });
}

}  // namespace bloomery::cli
