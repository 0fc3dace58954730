// bloomery replica: replicas that meet in streams of Valkey or Redis; what the commands share, status, checkpoint and
// repair.
#include "cli/replica.h"

#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <thread>

#include "cli/json.h"
#include "cli/output.h"
#include "cli/server_link.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

using replica::StreamRequest;
using replica::StreamStatus;

std::atomic<bool> g_ending{false};
struct sigaction g_before[2];
constexpr int kSignals[2] = {SIGINT, SIGTERM};

struct ReplicaArguments {
  ServerOption server;
  LineageOption lineage;
  std::string wait = "30";
  bool json = false;

  void add_to(Command& command) {
    server.add_to(command, "server", "The server of the stream (default redis://127.0.0.1:6379)");
    lineage.add_to(command);
    command.flag("--json", json, "One line of JSON");
  }
};

std::string json_of(const StreamStatus& status) {
  JsonArray peers, bridges;
  for (const StreamStatus::Peer& peer : status.peers)
    peers.add(JsonObject()
                  .put("origin", peer.origin)
                  .put("incarnation", peer.incarnation)
                  .put("sequence", peer.sequence)
                  .put("whole", peer.whole)
                  .put("deltas_behind", peer.deltas_behind)
                  .put("window", peer.window));
  for (const StreamStatus::Bridge& bridge : status.bridges)
    bridges.add(JsonObject().put("name", bridge.name).put("position", bridge.position));
  return JsonObject()
      .put("entries", status.entries)
      .put("newest", status.newest)
      .put("checkpoint", status.checkpoint.empty() ? Json() : Json(status.checkpoint))
      .put("checkpoint_bytes", status.checkpoint_bytes)
      .put("problem", status.problem.empty() ? Json() : Json(status.problem))
      .put("refused", status.refused)
      .put("peers", peers)
      .put("bridges", bridges)
      .text();
}

std::string text_of(const StreamStatus& status) {
  std::string text = fmt::format(
      "stream      {} entries, the newest {}\ncheckpoint  {}\n", status.entries, status.newest,
      !status.problem.empty()     ? status.problem
      : status.checkpoint.empty() ? "none"
                                  : fmt::format("at {}, {}", status.checkpoint, bytes_text(status.checkpoint_bytes)));
  for (const StreamStatus::Peer& peer : status.peers)
    text += fmt::format("replica     {}: {}, {} deltas made, {} behind{}\n", peer.origin,
                        peer.whole ? "whole" : "not whole", peer.sequence, peer.deltas_behind,
                        peer.window == 0 ? "" : fmt::format(", in window {}", peer.window));
  for (const StreamStatus::Bridge& bridge : status.bridges)
    text += fmt::format("bridge      {}: {}\n", bridge.name, bridge.position);
  if (status.refused != 0) text += fmt::format("refused     {} hellos of replicas\n", status.refused);
  return text;
}

Result<StreamStatus> look(const ReplicaArguments& o) {
  const Result<replica::StreamServer> server = o.server.server();
  BLOOMERY_TRY(server);
  const Result<replica::Lineage> lineage = o.lineage.id();
  BLOOMERY_TRY(lineage);
  const Result<std::optional<Secret>> secret = o.lineage.key();
  BLOOMERY_TRY(secret);
  return replica::stream_status(*server, *lineage, *secret);
}

// Answers "no" when some replica is not whole, or there is none.
Result<bool> show_status(const ReplicaArguments& o) {
  const Result<StreamStatus> status = look(o);
  BLOOMERY_TRY(status);
  BLOOMERY_TRY(print_line(o.json ? json_of(*status) + "\n" : text_of(*status)));
  bool whole = !status->peers.empty();
  for (const StreamStatus::Peer& peer : status->peers) whole = whole && peer.whole;
  return whole;
}

// Asks, and waits until it is done: of a checkpoint until there is another one, of a repair until all are whole.
Result<bool> ask(const ReplicaArguments& o, StreamRequest request) {
  const Result<std::uint64_t> seconds = parse_seconds("wait", o.wait);
  BLOOMERY_TRY(seconds);
  const Result<StreamStatus> before = look(o);
  BLOOMERY_TRY(before);
  BLOOMERY_TRY(replica::ask_replicas(*o.server.server(), *o.lineage.id(), request));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(*seconds);
  const Ending ending;
  Result<StreamStatus> now = before;
  bool done = false;
  // Whoever is repaired says so at its next look, a second later at most.
  for (int round = 0; !done && !Ending::wanted() && std::chrono::steady_clock::now() < end; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    now = look(o);
    BLOOMERY_TRY(now);
    bool whole = !now->peers.empty();
    for (const StreamStatus::Peer& peer : now->peers) whole = whole && peer.whole;
    done = request == StreamRequest::checkpoint ? now->checkpoint != before->checkpoint : round > 12 && whole;
  }
  BLOOMERY_TRY(print_line(o.json ? json_of(*now) + "\n" : text_of(*now)));
  return done;
}

}  // namespace

Ending::Ending() {
  g_ending = false;
  struct sigaction action {};
  action.sa_handler = [](int) { g_ending = true; };
  for (int i = 0; i < 2; ++i) ::sigaction(kSignals[i], &action, &g_before[i]);
}

Ending::~Ending() {
  for (int i = 0; i < 2; ++i) ::sigaction(kSignals[i], &g_before[i], nullptr);
}

bool Ending::wanted() { return g_ending; }

bool Pace::took(const Error* error) {
  if (error != nullptr && !failed_) warn(error->to_string());
  failed_ = error != nullptr;
  if (failed_) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  return !failed_;
}

bool Pace::line_is_due() {
  const auto now = std::chrono::steady_clock::now();
  if (every_.count() == 0 || now < next_) return false;
  next_ = now + every_;
  return true;
}

Result<std::uint64_t> parse_seconds(const std::string& name, const std::string& text) {
  constexpr std::uint64_t kMost = 1'000'000'000;  // 31 years; clocks count nanoseconds, and overflow after 292
  const Result<std::uint64_t> seconds = parse_count(name, text);
  if (!seconds.ok() || *seconds <= kMost) return seconds;
  return invalid_argument(name, fmt::format("--{} is '{}': give at most 1G seconds, which are 31 years", name, text));
}

Status print_line(const std::string& line) {
  Output out;
  out.append(line);
  return out.flush();
}

void ServerOption::add_to(Command& command, const std::string& name, const std::string& help) {
  name_ = name;
  const bool only = name == "server";
  if (only) url = "redis://127.0.0.1:6379";
  Option& option = command.option("--" + name, "URL", &url, help);
  if (!only) option.required();
  command.option(only ? "--password-file" : "--" + name + "-password-file", "FILE", &password_file,
                 only ? "File with its password (else the variable BLOOMERY_PASSWORD)"
                      : fmt::format("File with its password (else the variable {})",
                                    name == "from" ? "BLOOMERY_FROM_PASSWORD" : "BLOOMERY_TO_PASSWORD"));
}

Result<replica::StreamServer> ServerOption::server() const {
  Result<replica::StreamServer> server = replica::StreamServer::parse(url);
  BLOOMERY_TRY(server);
  Result<std::string> password = read_password(password_file, name_ == "from" ? "BLOOMERY_FROM_PASSWORD"
                                                              : name_ == "to" ? "BLOOMERY_TO_PASSWORD"
                                                                              : "BLOOMERY_PASSWORD");
  BLOOMERY_TRY(password);
  server->password = *std::move(password);
  return server;
}

void LineageOption::add_to(Command& command) {
  command.option("--lineage", "HEX", &lineage, "The lineage: 32 hexadecimal digits, drawn once (openssl rand -hex 16)")
      .required();
  command.option("--secret", "FILE", &secret.file, "File with the 32 hexadecimal digits that messages are signed with");
}

Result<replica::Lineage> LineageOption::id() const { return replica::Lineage::from_hex(lineage); }

Result<std::optional<Secret>> LineageOption::key() const {
  if (secret.file.empty()) return std::optional<Secret>();
  Result<OpenOptions> options = secret.open_options();
  BLOOMERY_TRY(options);
  return options->secret;
}

void add_replica_status(Command& replica) {
  auto o = std::make_shared<ReplicaArguments>();
  Command& command = replica.add("status", "What lies at a server: replicas, stream, checkpoint, bridges");
  command.details("Exit status 1 when some replica is not whole, or there is none.");
  o->add_to(command);
  command.runs([o] { return exit_status(show_status(*o)); });
}

namespace {

void add_request(Command& replica, const char* name, const char* summary, const char* details, StreamRequest request) {
  auto o = std::make_shared<ReplicaArguments>();
  Command& command = replica.add(name, summary);
  command.details(details);
  o->add_to(command);
  command.option("--wait", "SECONDS", &o->wait, "How long to wait for it (default 30)");
  command.runs([o, request] { return exit_status(ask(*o, request)); });
}

}  // namespace

void add_replica_checkpoint(Command& replica) {
  add_request(replica, "checkpoint", "Have a whole replica write a checkpoint",
              "Exit status 1 when none was written in time: no replica is whole.", StreamRequest::checkpoint);
}

void add_replica_repair(Command& replica) {
  add_request(replica, "repair", "Have every replica take over from another what differs",
              "Exit status 1 when some replica is not whole in time.", StreamRequest::repair);
}

void add_replica(Command& program) {
  Command& replica = program.add("replica", "Filters on many machines, over streams of Valkey or Redis");
  for (auto* add :
       {add_replica_status, add_replica_follow, add_replica_checkpoint, add_replica_repair, add_replica_bridge})
    add(replica);
}

}  // namespace bloomery::cli
