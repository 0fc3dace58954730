// bloomery push and pull: a filter file into the module inside Redis or Valkey, and out of it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "cli/cli.h"
#include "cli/filter_file.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/replace.h"
#include "cli/server_link.h"
#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/io/file.h"

namespace bloomery::cli {
namespace {

constexpr std::size_t kPart = std::size_t{1} << 20;  // the server takes one in a millisecond
constexpr std::chrono::seconds kPatience{60};        // with an answer
constexpr int kTries = 10;                           // in a row, a second apart
constexpr const char* kPasswordVariable = "BLOOMERY_PASSWORD";

struct ServerArguments {
  std::string file, url, key, password_file;
  bool replace = false, quiet = false, json = false;
};

Result<ServerLink> link_of(const ServerArguments& o) {
  Result<replica::StreamServer> server = replica::StreamServer::parse(o.url);
  if (!server.ok()) {
    Error error = server.error();
    error.message += fmt::format("; a password comes from --password FILE or {}", kPasswordVariable);
    return error;
  }
  Result<std::string> password = read_password(o.password_file, kPasswordVariable);
  BLOOMERY_TRY(password);
  server->password = *std::move(password);
  server->timeout = kPatience;
  return ServerLink(*std::move(server));
}

// Asks again after a link that broke, which a server that restarts does; `went_on` begins the count anew. What the
// server refuses is final.
class Patience {
 public:
  explicit Patience(ServerLink& link) : link_(link) {}
  Result<ServerReply> ask(const replica::Words& words) {
    Result<ServerReply> reply = link_.ask(words);
    while (!reply.ok() && reply.error().code == ErrorCode::io && ++failed_ < kTries && ever_) {
      tell(fmt::format("bloomery: {}; trying again\n", reply.error().message));
      std::this_thread::sleep_for(std::chrono::seconds(1));
      reply = link_.ask(words);
      if (reply.ok()) broke_ = true;
    }
    if (reply.ok()) failed_ = 0, ever_ = true;
    return reply;
  }
  // Whether a new connection was needed since the last time this was asked.
  bool broke() { return std::exchange(broke_, false); }

 private:
  ServerLink& link_;
  int failed_ = 0;
  bool ever_ = false;  // a server that never answered is an error at once
  bool broke_ = false;
};

// How many bytes of the file the server holds of an import that was begun.
Result<std::uint64_t> received(Patience& server, const ServerArguments& o, std::uint64_t total) {
  const std::string size = std::to_string(total);
  replica::Words words = {"BLM.IMPORT", o.key, "0", size, ""};
  if (o.replace) words.push_back("REPLACE");
  const Result<ServerReply> reply = server.ask(words);
  BLOOMERY_TRY(reply);
  return reply->number;
}

Status send_from(Patience& server, const ServerArguments& o, std::span<const std::uint8_t> file, std::uint64_t offset) {
  Progress progress("pushing", file.size());
  const std::string total = std::to_string(file.size());
  while (offset < file.size()) {
    const std::string at = std::to_string(offset);
    const auto part = file.subspan(static_cast<std::size_t>(offset), std::min(kPart, file.size() - offset));
    const std::string_view bytes(reinterpret_cast<const char*>(part.data()), part.size());
    replica::Words words = {"BLM.IMPORT", o.key, at, total, bytes};
    if (o.replace) words.push_back("REPLACE");
    const Result<ServerReply> reply = server.ask(words);
    if (!reply.ok()) return reply.error();
    offset = std::max(offset + part.size(), reply->number);
    progress.update(offset);
  }
  return {};
}

// What was done: a line of JSON on standard output, or one for people on standard error.
void report(const ServerArguments& o, std::uint64_t bytes, const char* where) {
  if (o.json) summarize(JsonObject().put("file", o.file).put("key", o.key).put("bytes", bytes).text() + "\n", o.file);
  else if (!o.quiet) tell(fmt::format("{}: {} {} the key '{}'\n", o.file, bytes_text(bytes), where, o.key));
}

// An error of the server's with what to do about it here.
Error advised(Error error, const ServerArguments& o) {
  if (error.message.find("item exists") != std::string::npos)
    error.message = fmt::format("the key '{}' exists: give --replace to replace it", o.key);
  if (error.message.find("unknown command") != std::string::npos)
    error.message += ": load the module (redis-server --loadmodule bloomery_module.so)";
  return error;
}

Status push(const ServerArguments& o) {
  const PipesFail pipes;  // a link that breaks is an error, and no signal
  OpenOptions without;
  without.without_secret = true;
  const Result<FilterFile> checked = open_filter(o.file, without);
  BLOOMERY_TRY(checked);
  if (checked->info().format != Format::envelope)
    return in_file(invalid_argument("file", "has no checksum: make an envelope of it with 'bloomery convert'"), o.file);
  const Result<io::MappedFile> file = io::MappedFile::open(o.file);
  BLOOMERY_TRY(file);
  Result<ServerLink> link = link_of(o);
  BLOOMERY_TRY(link);
  Patience server(*link);
  Result<std::uint64_t> begun = received(server, o, file->bytes().size());
  if (!begun.ok()) return advised(begun.error(), o);
  const bool resumed = *begun > 0;
  if (resumed && !o.quiet) tell(fmt::format("goes on at byte {}\n", *begun));
  Status sent = send_from(server, o, file->bytes(), *begun);
  // What the server held may have been of another file, or lost with a restart: once more from the start.
  if (!sent.ok() && sent.error().code != ErrorCode::io && (resumed || server.broke()))
    sent = send_from(server, o, file->bytes(), 0);
  if (!sent.ok()) return advised(sent.error(), o);
  report(o, file->bytes().size(), "in");
  return {};
}

// Puts a part where it belongs. Parts of the payload come in order, and the head, of 4 MiB at most, comes last.
Status place(const ServerReply& part, std::vector<std::uint8_t>& file) {
  constexpr std::uint64_t kMostHead = std::uint64_t{4} << 20;  // spec/envelope.md
  if (part.offset > std::max<std::uint64_t>(file.size(), kMostHead))
    return Error{ErrorCode::corrupt, "the server gave a part that leaves a gap before it", {}, {}};
  file.resize(std::max<std::size_t>(file.size(), static_cast<std::size_t>(part.offset) + part.bytes.size()));
  std::copy(part.bytes.begin(), part.bytes.end(), file.begin() + static_cast<std::ptrdiff_t>(part.offset));
  return {};
}

// The whole file; begins again when a filter whose entries move changes between two parts.
Result<std::vector<std::uint8_t>> receive(Patience& server, const ServerArguments& o) {
  constexpr int kChanges = 20;
  for (int tries = 0;; ++tries) {
    Progress progress("pulling", 0);
    std::vector<std::uint8_t> file;
    std::uint64_t cursor = 0;
    Result<ServerReply> reply = ServerReply();
    do {
      const std::string at = std::to_string(cursor);
      reply = server.ask({"BLM.EXPORT", o.key, at});
      if (!reply.ok()) break;
      BLOOMERY_TRY(place(*reply, file));
      cursor = reply->number;
      progress.update(file.size());
    } while (cursor != 0);
    if (reply.ok()) return file;
    const bool begin_again = reply.error().message.find("begin again") != std::string::npos;
    if (!begin_again || tries == kChanges) return advised(reply.error(), o);
  }
}

Status pull(const ServerArguments& o) {
  const PipesFail pipes;
  Result<ServerLink> link = link_of(o);
  BLOOMERY_TRY(link);
  BLOOMERY_TRY(refuse_secret_as_output(o.password_file, o.file));
  Patience server(*link);
  const Result<std::vector<std::uint8_t>> bytes = receive(server, o);
  BLOOMERY_TRY(bytes);
  OpenOptions without;
  without.without_secret = true;
  BLOOMERY_TRY(decode(*bytes, without));  // nothing is written that is damaged
  BLOOMERY_TRY(replace(o.file, [&]() -> Status {
    Result<io::AtomicFile> file = io::AtomicFile::create(o.file);
    BLOOMERY_TRY(file);
    BLOOMERY_TRY(file->write(*bytes));
    return file->commit();
  }));
  report(o, bytes->size(), "of");
  return {};
}

void add_link(Command& command, ServerArguments& o, const char* name, const char* help) {
  command.option(name, "URL", &o.url, help).required();
  command.option("--key", "NAME", &o.key, "The key of the filter in the server").required();
  command.option("--password", "FILE", &o.password_file,
                 "The password is the first line of FILE (default: the variable BLOOMERY_PASSWORD)");
  command.flag("-q,--quiet", o.quiet, "Say nothing but errors");
  command.flag("--json", o.json, "One line of JSON");
}

}  // namespace

void add_server(Command& program) {
  auto out = std::make_shared<ServerArguments>(), in = std::make_shared<ServerArguments>();
  Command& push_command = program.add("push", "Put a filter file into Redis or Valkey with the module of bloomery");
  push_command.details(
      "The file goes in parts of 1 MiB and is invisible until it is whole and verified. After a break the same "
      "command goes on where the server is. A password is never an argument.");
  add_link(push_command, *out, "--to", "The server: redis://USER@HOST:PORT/DB, or unix:PATH");
  push_command.flag("--replace", out->replace, "Replace the key if it exists");
  push_command.argument("FILE", &out->file, "The filter file").required();
  push_command.runs([out] { return exit_status(push(*out)); });
  Command& pull_command = program.add("pull", "Get a filter file out of Redis or Valkey with the module of bloomery");
  pull_command.details(
      "The file holds every key from before it was asked for. When keys are added between two parts, a filter whose "
      "entries move (cuckoo, quotient) begins again. The file is verified, and appears whole or not at all.");
  add_link(pull_command, *in, "--from", "The server: redis://USER@HOST:PORT/DB, or unix:PATH");
  pull_command.argument("FILE", &in->file, "The file to write").required();
  pull_command.runs([in] { return exit_status(pull(*in)); });
}

}  // namespace bloomery::cli
