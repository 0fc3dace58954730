// A connection to Redis or Valkey as push and pull need it: one command at a time, a new connection after one that
// broke.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "streams/connection.h"

namespace bloomery::cli {

// The first line of a file, or, where none is named, what a variable of the environment holds; empty without one.
Result<std::string> read_password(const std::string& file, const char* variable);

// A reply. Those of other types are errors of the link.
struct ServerReply {
  std::uint64_t number = 0;
  std::string bytes;
  std::uint64_t offset = 0;  // of a part of a file
};

// One connection. One thread.
class ServerLink {
 public:
  explicit ServerLink(replica::StreamServer server) : server_(std::move(server)) {}

  // Sends a command; connects first when there is no connection. Errors: io when the link broke, which may be tried
  // again; invalid_argument with the server's own words when it refused.
  Result<ServerReply> ask(const replica::Words& words);

 private:
  replica::StreamServer server_;
  std::optional<replica::Connection> connection_;
};

}  // namespace bloomery::cli
