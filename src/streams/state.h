// What a Streams knows. Its parts are in server.cc (who is there), traffic.cc (entries), restore.cc (checkpoints and
// repair) and figures.cc.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/replica_streams.h"
#include "streams/answers.h"
#include "streams/checkpoint_store.h"
#include "streams/names.h"

namespace BLOOMERY_NAMESPACE::replica {

struct Streams::State {
  State(Replica& of, StreamOptions wanted);

  // Connects anew.
  Status open();
  Status look_at_server();
  // What look_at_server asks.
  Status refuse_twin();
  void take_peers(const Reply& all);
  void take_requests(const Reply& asked);
  Status look_at_pointer(bool server_changed);

  Status append(const Bytes& message);
  void note_length(const Reply& length);
  Status append_pending();
  Status send(StreamStep& step);
  Status send_to(std::uint64_t origin, const Bytes& message);
  Status read(milliseconds wait, StreamStep& step);
  Status take_entries(const redisReply* entries, bool inbox, StreamStep& step);
  Status take_message(std::string_view message, std::string_view site, StreamStep& step);
  Status acknowledge();
  void lost_range();
  void drop_covered(const std::vector<Position>& covered);
  bool stream_is_full() const { return stats.stream_length >= options.stream_cap; }

  Status look_for_repair();
  Status ask_next_peer();
  Status ask_other_sites();
  std::vector<std::uint64_t> origins_of_other_sites() const;
  Result<Checkpoint> read_checkpoint(std::span<const std::uint8_t> bytes);
  Status take_over_checkpoint();
  Status take_copy(const redisReply* entry);
  bool checkpoint_is_due() const;
  Result<bool> write_checkpoint_now();
  Result<StreamStep> step(milliseconds wait);

  void note_made(std::uint64_t keys);
  std::vector<PeerLag> lag() const;

  struct Pending {
    std::uint64_t sequence;
    Bytes message;
    bool appended;  // to the server as it is now
    bool again;     // it was appended before
  };
  struct Made {
    std::uint64_t sequence, keys;
    Clock::time_point at;
  };

  Replica& replica;
  const StreamOptions options;
  const Names names;
  const std::string stream, inbox, own;  // keys, and the origin as text
  std::optional<Connection> connection;
  ServerId server;  // that this replica has last spoken to

  EntryId cursor, inbox_cursor;
  bool cursor_was_lost = false;  // known already: the entry at the cursor is gone
  std::deque<Pending> pending;   // appended, and not confirmed
  std::deque<Made> made;         // for the lag of peers

  std::map<std::uint64_t, bool> peers;           // origin, and whether it is whole
  std::uint64_t last_asked = 0;                  // the peer that was asked for a repair last
  std::size_t asked_in_vain = 0;                 // peers, since the last repair
  std::map<std::uint64_t, std::string> site_of;  // the site that the entries of an origin come from; other sites alone
  std::optional<Clock::time_point> sites_asked;  // since the last repair or copy
  bool copies_wanted = false;                    // of all sites, because entries of theirs may have been lost
  std::vector<Position> acknowledged;            // what this replica has told the others
  bool tell_anyway = false;                      // an acknowledgement although nothing has changed

  std::optional<CheckpointPointer> pointer;  // as last seen
  std::string taken_token;                   // of the checkpoint that was taken over last
  std::uint64_t read_since_checkpoint = 0;
  bool checkpoint_wanted = false, repair_wanted = false;
  std::optional<std::string> checkpoint_asked, repair_asked_for;  // tokens of what others ask of all replicas
  Clock::time_point checked{}, checkpoint_tried{}, repair_asked{}, repaired{Clock::now()};
  StreamStats stats;
};

// Whether an error is about the connection, so that a new one is needed. Others are counted, and the pump goes on.
inline bool is_of_connection(const Error& error) { return error.field == "server"; }

}  // namespace BLOOMERY_NAMESPACE::replica
