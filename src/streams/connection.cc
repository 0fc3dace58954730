#include "streams/connection.h"

#include <hiredis/hiredis.h>

#include "core/base/error.h"
#include "streams/answers.h"

namespace BLOOMERY_NAMESPACE::replica {
namespace {

std::string place_of(const StreamServer& server) {
  return server.unix_socket.empty() ? server.host + ":" + std::to_string(server.port) : server.unix_socket;
}

Error error_of(const StreamServer& server, const char* doing, const std::string& why) {
  return {ErrorCode::io, std::string(doing) + " the server at " + place_of(server) + " failed: " + why, {}, "server"};
}

// An answer has at most so many items. hiredis takes the memory for as many as the server announces; this refuses, and
// hiredis reports it as a lack of memory.
constexpr std::size_t kMostItems = std::size_t{1} << 20;
// And so many bytes: 16 entries of two streams, of 2 MiB each, are less.
constexpr std::size_t kMostAnswer = std::size_t{96} << 20;
const redisReplyObjectFunctions* g_functions = nullptr;  // hiredis' own

template <class Count>  // int or size_t, by its version
void* create_array(const redisReadTask* task, Count count) {
  return static_cast<std::size_t>(count) > kMostItems ? nullptr : g_functions->createArray(task, count);
}

redisReplyObjectFunctions* bounded_functions(const redisReader& reader) {
  static redisReplyObjectFunctions bounded = [&] {
    g_functions = reader.fn;
    redisReplyObjectFunctions functions = *reader.fn;
    functions.createArray = create_array;
    return functions;
  }();
  return &bounded;
}

}  // namespace

Result<StreamServer> StreamServer::parse(const std::string& url) {
  const auto refuse = [](const std::string& why) {
    return invalid_argument("server", why + ": give redis://[user@]host[:port][/database] or unix:PATH");
  };
  constexpr std::string_view kUnix = "unix:";
  std::string_view rest = url;
  if (rest.starts_with(kUnix) && rest.size() > kUnix.size()) {
    StreamServer local;
    local.unix_socket = rest.substr(kUnix.size());
    return local;
  }
  if (rest.starts_with("rediss://")) return refuse("TLS is not spoken here");
  bool known = false;
  for (const std::string_view scheme : {std::string_view("redis://"), std::string_view("valkey://")})
    if (rest.starts_with(scheme)) rest.remove_prefix(scheme.size()), known = true;
  if (!known) return refuse("'" + url + "' begins with none of redis://, valkey:// and unix:");
  StreamServer server;
  if (const std::size_t at = rest.rfind('@'); at != rest.npos) {
    if (rest.substr(0, at).find(':') != rest.npos)
      return refuse(
          "the address holds a password, which others see in the arguments of a process; take it from a file "
          "or the environment");
    server.user = rest.substr(0, at);
    rest.remove_prefix(at + 1);
  }
  if (const std::size_t slash = rest.find('/'); slash != rest.npos) {
    if (slash + 1 < rest.size() && !parse_number(rest.substr(slash + 1), server.database))
      return refuse("the database of '" + url + "' is no number");
    rest = rest.substr(0, slash);
  }
  if (const std::size_t colon = rest.rfind(':'); colon != rest.npos && !rest.ends_with(']')) {
    if (!parse_number(rest.substr(colon + 1), server.port) || server.port == 0)
      return refuse("the port of '" + url + "' is no number from 1 to 65535");
    rest = rest.substr(0, colon);
  }
  if (rest.starts_with('[') && rest.ends_with(']')) rest = rest.substr(1, rest.size() - 2);  // IPv6
  if (rest.empty()) return refuse("'" + url + "' names no host");
  server.host = rest;
  return server;
}

void Reply::drop(redisReply* reply) { freeReplyObject(reply); }
bool Reply::is_nil() const { return reply_->type == REDIS_REPLY_NIL; }
std::int64_t Reply::number() const { return reply_->type == REDIS_REPLY_INTEGER ? reply_->integer : 0; }
std::string_view Reply::text(const redisReply* reply) {
  if (reply == nullptr || (reply->type != REDIS_REPLY_STRING && reply->type != REDIS_REPLY_STATUS)) return {};
  return {reply->str, static_cast<std::size_t>(reply->len)};
}
std::size_t Reply::size(const redisReply* reply) {
  return reply == nullptr || reply->type != REDIS_REPLY_ARRAY ? 0 : reply->elements;
}
const redisReply* Reply::item(const redisReply* reply, std::size_t i) {
  return i < size(reply) ? reply->element[i] : nullptr;
}
std::string_view Reply::text() const { return text(reply_.get()); }
std::size_t Reply::size() const { return size(reply_.get()); }
const redisReply* Reply::item(std::size_t i) const { return item(reply_.get(), i); }

bool Reply::has_error() const {
  for (std::size_t i = 0; i < size(); ++i)
    if (item(i)->type == REDIS_REPLY_ERROR) return true;
  return false;
}

Connection::Connection(std::unique_ptr<Road> road, redisReader* reader, StreamServer server)
    : road_(std::move(road)), reader_(reader, &drop), server_(std::move(server)) {}
void Connection::drop(redisReader* reader) { redisReaderFree(reader); }

Error Connection::broken(const char* doing, const std::string& why) {
  usable_ = false;
  return error_of(server_, doing, why);
}

Result<Connection> Connection::open(const StreamServer& server) {
  std::string why;
  std::unique_ptr<Road> road = world().connect(server, why);
  if (road == nullptr) return error_of(server, "connecting to", why);
  redisReader* const reader = redisReaderCreate();
  if (reader == nullptr) return out_of_memory();
  Connection connection(std::move(road), reader, server);
  reader->fn = bounded_functions(*reader);
  BLOOMERY_TRY(connection.set_timeout(server.timeout));
  if (!server.password.empty()) {
    Words words = {"AUTH"};
    if (!server.user.empty()) words.push_back(server.user);
    words.push_back(server.password);
    BLOOMERY_TRY(connection.run(words));
  }
  if (server.database != 0) BLOOMERY_TRY(connection.run({"SELECT", std::to_string(server.database)}));
  return connection;
}

Status Connection::set_timeout(std::chrono::milliseconds timeout) {
  const std::string why = road_->set_timeout(timeout);
  if (!why.empty()) return broken("setting the timeout of", why);
  return {};
}

void Connection::queue(const Words& words) {
  const auto put = [&](char sign, std::size_t number) {
    out_.push_back(sign);
    out_.append(std::to_string(number)).append("\r\n");
  };
  put('*', words.size());
  for (const std::string_view word : words) {
    put('$', word.size());
    out_.append(word).append("\r\n");
  }
}

Status Connection::flush() {
  if (out_.empty()) return {};
  const std::string why = road_->send(out_);
  if (!why.empty()) return broken("sending to", why);
  out_.clear();
  return {};
}

Result<Reply> Connection::next() {
  BLOOMERY_TRY(flush());
  for (std::size_t taken = 0;;) {
    void* answer = nullptr;
    if (redisReaderGetReply(reader_.get(), &answer) != REDIS_OK) return broken("understanding", reader_->errstr);
    if (answer != nullptr) return checked(Reply(static_cast<redisReply*>(answer)));
    char bytes[16384];
    std::size_t got = 0;
    if (const std::string why = road_->receive(bytes, got); !why.empty()) return broken("asking", why);
    if ((taken += got) > kMostAnswer) return broken("understanding", "its answer is too long");
    if (redisReaderFeed(reader_.get(), bytes, got) != REDIS_OK) return broken("understanding", reader_->errstr);
  }
}

Result<Reply> Connection::checked(Reply reply) const {
  if (reply.get()->type != REDIS_REPLY_ERROR) return reply;
  const std::string_view said(reply.get()->str, static_cast<std::size_t>(reply.get()->len));
  return Error{ErrorCode::io, "the server at " + place_of(server_) + " answered: " + std::string(said), {}, "server"};
}

Result<Reply> Connection::run(const Words& words) {
  queue(words);
  return next();
}

Status Connection::run_together(const std::vector<Words>& commands) {
  queue({"MULTI"});
  for (const Words& words : commands) queue(words);
  queue({"EXEC"});
  for (std::size_t i = 0; i < commands.size() + 1; ++i) BLOOMERY_TRY(next());
  Result<Reply> done = next();
  BLOOMERY_TRY(done);
  if (done->size() != commands.size() || done->has_error())
    return broken("asking", "of several commands that belong together not all were done");
  return {};
}

std::optional<EntryId> EntryId::parse(std::string_view text) {
  EntryId id;
  const std::size_t dash = text.find('-');
  if (dash == text.npos || !parse_number(text.substr(0, dash), id.time) ||
      !parse_number(text.substr(dash + 1), id.number))
    return {};
  return id;
}

std::string EntryId::to_string() const { return std::to_string(time) + "-" + std::to_string(number); }

}  // namespace BLOOMERY_NAMESPACE::replica
