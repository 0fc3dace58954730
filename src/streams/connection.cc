#include "streams/connection.h"

#include <hiredis/hiredis.h>
#include <sys/time.h>

#include "core/base/error.h"
#include "streams/answers.h"

namespace BLOOMERY_NAMESPACE::replica {
namespace {

timeval time_of(std::chrono::milliseconds wait) {
  return {static_cast<time_t>(wait.count() / 1000), static_cast<suseconds_t>(wait.count() % 1000 * 1000)};
}

std::string place_of(const StreamServer& server) {
  return server.unix_socket.empty() ? server.host + ":" + std::to_string(server.port) : server.unix_socket;
}

}  // namespace

Result<StreamServer> StreamServer::parse(const std::string& url) {
  const auto refuse = [](const std::string& why) {
    return invalid_argument("server", why + ": give redis://[user@]host[:port][/database]");
  };
  constexpr std::string_view kScheme = "redis://";
  std::string_view rest = url;
  if (!rest.starts_with(kScheme)) return refuse("'" + url + "' does not begin with redis://");
  rest.remove_prefix(kScheme.size());
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

Connection::Connection(redisContext* context, StreamServer server)
    : context_(context, &drop), server_(std::move(server)) {}
void Connection::drop(redisContext* context) { redisFree(context); }

Error Connection::broken(const char* doing) const {
  const char* why = context_->errstr[0] != '\0' ? context_->errstr : "no answer";
  return {ErrorCode::io, std::string(doing) + " the server at " + place_of(server_) + " failed: " + why, {}, "server"};
}

Result<Connection> Connection::open(const StreamServer& server) {
  const timeval patience = time_of(server.timeout);
  redisContext* context = server.unix_socket.empty()
                              ? redisConnectWithTimeout(server.host.c_str(), server.port, patience)
                              : redisConnectUnixWithTimeout(server.unix_socket.c_str(), patience);
  if (context == nullptr) return out_of_memory();
  Connection connection(context, server);
  if (context->err != 0) return connection.broken("connecting to");
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
  if (redisSetTimeout(context_.get(), time_of(timeout)) != REDIS_OK) return broken("setting the timeout of");
  return {};
}

void Connection::queue(const Words& words) {
  std::vector<const char*> starts(words.size());
  std::vector<std::size_t> lengths(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) starts[i] = words[i].data(), lengths[i] = words[i].size();
  // When this fails there is no memory for the command, and next says so by the error that it leaves behind.
  redisAppendCommandArgv(context_.get(), static_cast<int>(words.size()), starts.data(), lengths.data());
}

Result<Reply> Connection::next() {
  void* answer = nullptr;
  if (redisGetReply(context_.get(), &answer) != REDIS_OK || answer == nullptr) return broken("asking");
  Reply reply(static_cast<redisReply*>(answer));
  if (reply.get()->type == REDIS_REPLY_ERROR)
    return Error{ErrorCode::io,
                 "the server at " + place_of(server_) +
                     " answered: " + std::string(reply.get()->str, static_cast<std::size_t>(reply.get()->len)),
                 {},
                 "server"};
  return reply;
}

Result<Reply> Connection::run(const Words& words) {
  queue(words);
  return next();
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
