// Looks at a lineage from outside, for programs that are no replica.
#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "streams/answers.h"
#include "streams/checkpoint_store.h"
#include "streams/names.h"

namespace BLOOMERY_NAMESPACE::replica {
namespace {

struct Told {
  Header header;
  Hello hello;
};

std::uint64_t behind_of(const Told& peer, const std::vector<Told>& all) {
  std::uint64_t behind = 0;
  for (const Told& other : all) {
    if (other.header.origin == peer.header.origin) continue;
    std::uint64_t has = 0;
    for (const Position& at : peer.hello.positions)
      if (at.origin == other.header.origin && at.incarnation == other.header.incarnation) has = at.sequence;
    behind += other.header.sequence - std::min(has, other.header.sequence);
  }
  return behind;
}

void take_hellos(const Reply& hellos, const Lineage& lineage, const std::optional<Secret>& secret,
                 StreamStatus& status) {
  std::vector<Told> all;
  for (std::size_t i = 0; i + 1 < hellos.size(); i += 2) {
    const Result<Message> message = parse(as_bytes(Reply::text(hellos.item(i + 1))), secret);
    const Hello* const hello = message.ok() ? std::get_if<Hello>(&message->body) : nullptr;
    if (hello == nullptr || message->header.lineage != lineage || all.size() == kMostPositions) ++status.refused;
    else all.push_back({message->header, *hello});
  }
  for (const Told& one : all)
    status.peers.push_back({one.header.origin, one.header.incarnation, one.header.sequence, one.hello.whole,
                            behind_of(one, all), one.hello.window});
  std::ranges::sort(status.peers, {}, &StreamStatus::Peer::origin);
}

}  // namespace

Result<StreamStatus> stream_status(const StreamServer& server, const Lineage& lineage,
                                   const std::optional<Secret>& secret) {
  return guarded([&]() -> Result<StreamStatus> {
    Result<Connection> connection = Connection::open(server);
    BLOOMERY_TRY(connection);
    const Names names(lineage);
    const std::string stream = names.stream(), peers = names.peers(), bridge_key = names.bridges();
    connection->queue({"XLEN", stream});
    connection->queue({"XREVRANGE", stream, "+", "-", "COUNT", "1"});
    connection->queue({"HGETALL", peers});
    connection->queue({"HGETALL", bridge_key});
    Result<Reply> length = connection->next(), last = connection->next(), hellos = connection->next(),
                  bridges = connection->next();
    for (const Result<Reply>* reply : {&length, &last, &hellos, &bridges})
      if (!reply->ok()) return reply->error();
    StreamStatus status;
    status.entries = static_cast<std::uint64_t>(std::max<std::int64_t>(length->number(), 0));
    status.newest = newest_of(*last).to_string();
    take_hellos(*hellos, lineage, secret, status);
    for (std::size_t i = 0; i + 1 < bridges->size(); i += 2)
      status.bridges.push_back(
          {std::string(Reply::text(bridges->item(i))), std::string(Reply::text(bridges->item(i + 1)))});
    Result<std::optional<CheckpointPointer>> pointer = read_pointer(*connection, names, {&secret});
    if (!pointer.ok()) status.problem = pointer.error().message;
    else if (*pointer)
      status.checkpoint = (*pointer)->position.to_string(), status.checkpoint_bytes = (*pointer)->bytes;
    return status;
  });
}

Status ask_replicas(const StreamServer& server, const Lineage& lineage, StreamRequest request) {
  return guarded([&]() -> Status {
    Result<Connection> connection = Connection::open(server);
    BLOOMERY_TRY(connection);
    const std::string field = request == StreamRequest::repair ? "repair" : "checkpoint";
    BLOOMERY_TRY(connection->run({"HSET", Names(lineage).asked(), field, world().fresh_token()}));
    return {};
  });
}

}  // namespace BLOOMERY_NAMESPACE::replica
