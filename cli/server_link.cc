#include "cli/server_link.h"

#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <sys/time.h>

#include <charconv>

#include "core/base/error.h"

namespace bloomery::cli {
namespace {

constexpr timeval kPatience{60, 0};
constexpr std::string_view kSchemes[] = {"redis://", "valkey://"};

Error wrong_address(const std::string& url, std::string_view why) {
  return invalid_argument("to", fmt::format("'{}' is no address of a server: {}; give redis://USER@HOST:PORT/DB or "
                                            "unix:PATH",
                                            url, why));
}

bool take_number(std::string_view text, int most, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0 && number <= most;
}

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};

Error broken(const ServerAddress& address, const char* why) {
  const std::string where = address.path.empty() ? fmt::format("{}:{}", address.host, address.port) : address.path;
  return Error{ErrorCode::io, fmt::format("{}: {}", where, why), {}, {}};
}

}  // namespace

Result<ServerAddress> ServerAddress::parse(const std::string& url) {
  ServerAddress address;
  std::string_view rest = url;
  if (rest.starts_with("unix:")) {
    address.path = rest.substr(5);
    if (address.path.empty()) return wrong_address(url, "it names no socket");
    return address;
  }
  if (rest.starts_with("rediss://")) return wrong_address(url, "TLS is not spoken here");
  bool known = false;
  for (const std::string_view scheme : kSchemes)
    if (rest.starts_with(scheme)) rest.remove_prefix(scheme.size()), known = true;
  if (!known) return wrong_address(url, "it begins with none of redis://, valkey:// and unix:");
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    address.user = rest.substr(0, at);
    rest.remove_prefix(at + 1);
    if (address.user.find(':') != std::string::npos)  // without its words, which hold the password
      return invalid_argument(
          "to",
          "the address holds a password, which everybody on this machine can read: leave it out and "
          "use --password FILE or BLOOMERY_PASSWORD");
  }
  if (const std::size_t slash = rest.find('/'); slash != std::string_view::npos) {
    const std::string_view database = rest.substr(slash + 1);
    if (!database.empty() && !take_number(database, 1 << 20, address.database))
      return wrong_address(url, "the database is no number");
    rest = rest.substr(0, slash);
  }
  const bool bracket = rest.starts_with('[');
  const std::size_t end = bracket ? rest.find(']') : rest.find(':');
  address.host = bracket ? rest.substr(1, end == std::string_view::npos ? 0 : end - 1) : rest.substr(0, end);
  if (address.host.empty()) return wrong_address(url, "it names no host");
  rest = end == std::string_view::npos ? "" : rest.substr(bracket ? end + 1 : end);
  if (!rest.empty() && (rest[0] != ':' || !take_number(rest.substr(1), 65535, address.port)))
    return wrong_address(url, "the port is no number");
  return address;
}

void ServerLink::Close::operator()(redisContext* context) const { redisFree(context); }

Status ServerLink::connect() {
  context_.reset(address_.path.empty() ? redisConnectWithTimeout(address_.host.c_str(), address_.port, kPatience)
                                       : redisConnectUnixWithTimeout(address_.path.c_str(), kPatience));
  if (context_ == nullptr) return broken(address_, "no memory for a connection");
  if (context_->err != 0) {
    const Error error = broken(address_, context_->errstr);
    context_.reset();
    return error;
  }
  redisSetTimeout(context_.get(), kPatience);
  if (!password_.empty()) {
    std::vector<std::string_view> words = {"AUTH"};
    if (!address_.user.empty()) words.push_back(address_.user);
    words.push_back(password_);
    BLOOMERY_TRY(exchange(words));
  }
  if (address_.database == 0) return {};
  const std::string number = std::to_string(address_.database);
  BLOOMERY_TRY(exchange(std::vector<std::string_view>{"SELECT", number}));
  return {};
}

Result<ServerReply> ServerLink::exchange(std::span<const std::string_view> words) {
  std::vector<const char*> data;
  std::vector<std::size_t> sizes;
  for (const std::string_view word : words) data.push_back(word.data()), sizes.push_back(word.size());
  const std::unique_ptr<redisReply, FreeReply> reply(static_cast<redisReply*>(
      redisCommandArgv(context_.get(), static_cast<int>(words.size()), data.data(), sizes.data())));
  if (reply == nullptr) {
    const Error error = broken(address_, context_->errstr);
    context_.reset();
    return error;
  }
  const auto text = [](const redisReply& from) { return std::string(from.str, static_cast<std::size_t>(from.len)); };
  switch (reply->type) {
    case REDIS_REPLY_ERROR: return Error{ErrorCode::invalid_argument, "the server says: " + text(*reply), {}, {}};
    case REDIS_REPLY_INTEGER: return ServerReply{static_cast<std::uint64_t>(reply->integer), {}};
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_STRING: return ServerReply{0, text(*reply)};
    case REDIS_REPLY_ARRAY:
      if (reply->elements == 2 && reply->element[0]->type == REDIS_REPLY_INTEGER &&
          reply->element[1]->type == REDIS_REPLY_STRING)
        return ServerReply{static_cast<std::uint64_t>(reply->element[0]->integer), text(*reply->element[1])};
      break;
    default: break;
  }
  return Error{ErrorCode::unsupported, "the server gave a reply of another kind: is it Redis or Valkey?", {}, {}};
}

Result<ServerReply> ServerLink::ask(std::span<const std::string_view> words) {
  if (context_ == nullptr) BLOOMERY_TRY(connect());
  return exchange(words);
}

}  // namespace bloomery::cli
