// A connection to Redis or Valkey as push and pull need it: an address as a URL, one command at a time, a new
// connection after one that broke.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/result.h"

struct redisContext;

namespace bloomery::cli {

// redis://[USER@]HOST[:PORT][/DB], valkey:// likewise, unix:PATH.
struct ServerAddress {
  std::string user, host, path;  // `path` of a Unix socket, or `host`
  int port = 6379;
  int database = 0;

  // Refuses a password in it: arguments are seen by every user of the machine.
  static Result<ServerAddress> parse(const std::string& url);
};

// A reply. Those of other types are errors of the link.
struct ServerReply {
  std::uint64_t number = 0;
  std::string bytes;
};

// One connection. One thread.
class ServerLink {
 public:
  ServerLink(ServerAddress address, std::string password)
      : address_(std::move(address)), password_(std::move(password)) {}

  // Sends a command; connects first when there is no connection. Errors: io when the link broke, which may be tried
  // again; invalid_argument with the server's own words when it refused.
  Result<ServerReply> ask(std::span<const std::string_view> words);

 private:
  struct Close {
    void operator()(redisContext* context) const;
  };
  Status connect();
  Result<ServerReply> exchange(std::span<const std::string_view> words);

  ServerAddress address_;
  std::string password_;
  std::unique_ptr<redisContext, Close> context_;
};

}  // namespace bloomery::cli
