#include "cli/server_link.h"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <cstdlib>

#include "core/base/error.h"
#include "core/io/file.h"

namespace bloomery::cli {
namespace {

using replica::Reply;

constexpr std::size_t kMostPassword = 4096;

// A number, a text, or a part of a file: a number, an offset and a text.
std::optional<ServerReply> simple(const Reply& reply) {
  switch (reply.get()->type) {
    case REDIS_REPLY_INTEGER: return ServerReply{static_cast<std::uint64_t>(reply.number()), {}, 0};
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_STRING: return ServerReply{0, std::string(reply.text()), 0};
    case REDIS_REPLY_ARRAY:
      if (reply.size() == 3 && reply.item(0)->type == REDIS_REPLY_INTEGER &&
          reply.item(1)->type == REDIS_REPLY_INTEGER && reply.item(2)->type == REDIS_REPLY_STRING)
        return ServerReply{static_cast<std::uint64_t>(reply.item(0)->integer), std::string(Reply::text(reply.item(2))),
                           static_cast<std::uint64_t>(reply.item(1)->integer)};
      return {};
    default: return {};
  }
}

}  // namespace

Result<std::string> read_password(const std::string& file, const char* variable) {
  if (file.empty()) {
    const char* const given = std::getenv(variable);
    return std::string(given == nullptr ? "" : given);
  }
  Result<io::File> opened = io::File::open_read(file);
  BLOOMERY_TRY(opened);
  std::string text(kMostPassword, '\0');
  const Result<std::size_t> got = opened->read_some({reinterpret_cast<std::uint8_t*>(text.data()), text.size()});
  BLOOMERY_TRY(got);
  text.resize(*got);
  text.resize(std::min(text.size(), text.find_first_of("\r\n")));
  if (text.empty()) return in_file(invalid_argument("password", "holds no password in its first line"), file);
  return text;
}

Result<ServerReply> ServerLink::ask(const replica::Words& words) {
  if (!connection_) {
    Result<replica::Connection> opened = replica::Connection::open(server_);
    BLOOMERY_TRY(opened);
    connection_.emplace(*std::move(opened));
  }
  const Result<Reply> reply = connection_->run(words);
  if (reply.ok()) {
    std::optional<ServerReply> answer = simple(*reply);
    if (answer) return *std::move(answer);
    return Error{ErrorCode::unsupported, "the server gave a reply of another kind: is it Redis or Valkey?", {}, {}};
  }
  Error error = reply.error();
  if (connection_->usable()) error.code = ErrorCode::invalid_argument;
  else connection_.reset();
  return error;
}

}  // namespace bloomery::cli
