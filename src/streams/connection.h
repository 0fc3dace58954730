// A connection to a server: commands as lists of words, any bytes in them; answers or errors.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/replica_streams.h"
#include "streams/world.h"

struct redisReader;
struct redisReply;

namespace BLOOMERY_NAMESPACE::replica {

// An answer of the server. An error of the server's is an Error of run and next, not a Reply.
class Reply {
 public:
  explicit Reply(redisReply* reply) : reply_(reply, &drop) {}

  bool is_nil() const;
  // The bytes of a string or status; empty for anything else.
  std::string_view text() const;
  std::int64_t number() const;  // of an integer; 0 for anything else
  // The items of an array; none for anything else.
  std::size_t size() const;
  const redisReply* item(std::size_t i) const;
  // Whether an item of the array is an error, as in the answer to EXEC.
  bool has_error() const;
  // Returns the text of an item within a reply.
  static std::string_view text(const redisReply* reply);
  static std::size_t size(const redisReply* reply);
  static const redisReply* item(const redisReply* reply, std::size_t i);

  const redisReply* get() const { return reply_.get(); }

 private:
  static void drop(redisReply* reply);
  std::unique_ptr<redisReply, void (*)(redisReply*)> reply_;
};

using Words = std::vector<std::string_view>;

class Connection {
 public:
  // Connects, authenticates and selects the database.
  static Result<Connection> open(const StreamServer& server);

  Result<Reply> run(const Words& words);
  // Sends several commands at once: queue each, then take as many answers in their order.
  void queue(const Words& words);
  Result<Reply> next();
  // Queues MULTI, the commands and EXEC, and takes all answers. An error of one of the commands is an error.
  Status run_together(const std::vector<Words>& commands);

  // How long an answer may take from now on.
  Status set_timeout(std::chrono::milliseconds timeout);
  const StreamServer& server() const { return server_; }
  // False after an error of the connection itself; true after one that the server answered with.
  bool usable() const { return usable_; }

 private:
  Connection(std::unique_ptr<Road> road, redisReader* reader, StreamServer server);
  static void drop(redisReader* reader);
  Error broken(const char* doing, const std::string& why);
  Status flush();
  Result<Reply> checked(Reply reply) const;

  std::unique_ptr<Road> road_;
  std::unique_ptr<redisReader, void (*)(redisReader*)> reader_;
  StreamServer server_;
  std::string out_;  // queued, not sent yet
  bool usable_ = true;
};

// Ids of stream entries, "milliseconds-number", in their order.
struct EntryId {
  std::uint64_t time = 0, number = 0;
  static std::optional<EntryId> parse(std::string_view text);
  std::string to_string() const;
  friend auto operator<=>(const EntryId&, const EntryId&) = default;  // NOLINT(modernize-use-nullptr): no pointer
};

}  // namespace BLOOMERY_NAMESPACE::replica
