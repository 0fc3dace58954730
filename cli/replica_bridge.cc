// bloomery replica bridge: what was added in one data centre goes to the stream of another.
#include <fmt/format.h>

#include <memory>

#include "cli/json.h"
#include "cli/replica.h"

namespace bloomery::cli {
namespace {

using std::chrono::milliseconds;

struct ReplicaBridgeArguments {
  ServerOption from, to;
  std::string lineage, site, name, every = "10", stream_cap = "1M";
  bool json = false;
};

std::string line_of(const replica::BridgeStats& stats, bool json) {
  if (json)
    return JsonObject()
               .put("position", stats.position)
               .put("forwarded", stats.forwarded)
               .put("skipped", stats.skipped)
               .put("copied", stats.copied)
               .put("reconnects", stats.reconnects)
               .put("gap", stats.gap)
               .text() +
           "\n";
  return fmt::format("at {}: {} entries forwarded, {} added elsewhere, {} checkpoints copied{}\n", stats.position,
                     stats.forwarded, stats.skipped, stats.copied,
                     stats.gap ? ", waits for FROM's next checkpoint" : "");
}

Result<replica::BridgeOptions> options_of(const ReplicaBridgeArguments& o) {
  replica::BridgeOptions options;
  Result<replica::StreamServer> from = o.from.server(), to = o.to.server();
  BLOOMERY_TRY(from);
  BLOOMERY_TRY(to);
  const Result<replica::Lineage> lineage = replica::Lineage::from_hex(o.lineage);
  BLOOMERY_TRY(lineage);
  const Result<std::uint64_t> cap = parse_count("stream cap", o.stream_cap);
  BLOOMERY_TRY(cap);
  options.from = *std::move(from);
  options.to = *std::move(to);
  options.lineage = *lineage;
  options.from_site = o.site;
  options.name = o.name;
  options.stream_cap = *cap;
  return options;
}

// A server that goes away is told of and waited for.
Result<bool> run(const ReplicaBridgeArguments& o) {
  const Result<replica::BridgeOptions> options = options_of(o);
  BLOOMERY_TRY(options);
  const Result<std::uint64_t> every = parse_seconds("every", o.every);
  BLOOMERY_TRY(every);
  const Ending ending;
  Result<std::unique_ptr<replica::Bridge>> bridge =
      connect_patiently(options->from.timeout, [&] { return replica::Bridge::connect(*options); });
  BLOOMERY_TRY(bridge);
  Pace pace(*every);
  while (!Ending::wanted()) {
    pace.pumped((*bridge)->pump(milliseconds(100)));
    if (pace.line_is_due()) BLOOMERY_TRY(print_line(line_of((*bridge)->stats(), o.json)));
  }
  BLOOMERY_TRY(print_line(line_of((*bridge)->stats(), o.json)));
  return true;
}

}  // namespace

void add_replica_bridge(Command& replica) {
  auto o = std::make_shared<ReplicaBridgeArguments>();
  Command& command = replica.add("bridge", "Forward what was added in one data centre to another");
  command.details(
      "Runs until SIGINT or SIGTERM. n data centres need a bridge for each ordered pair. Its position lies at TO, so "
      "that it may be ended and started anywhere, and FROM's stream keeps what it has not forwarded.");
  o->from.add_to(command, "from", "The server of the stream that is read");
  o->to.add_to(command, "to", "The server of the stream that is written");
  command.option("--lineage", "HEX", &o->lineage, "The lineage: 32 hexadecimal digits").required();
  command.option("--site", "NAME", &o->site, "The data centre of FROM: only what was added there is forwarded")
      .required();
  command.option("--name", "NAME", &o->name, "The name of this bridge, its own at FROM").required();
  command.option("--stream-cap", "N", &o->stream_cap, "Entries of TO's stream at which it waits (default 1M)");
  command.option("--every", "SECONDS", &o->every, "A line of figures so often (default 10; 0: only at the end)");
  command.flag("--json", o->json, "Lines of JSON");
  command.runs([o] { return exit_status(run(*o)); });
}

}  // namespace bloomery::cli
