// Replicas that meet in a stream of a Valkey or Redis server: what one adds is appended there, the others read it. The
// server keeps the stream and the checkpoints that newcomers start from; it needs no module.
//
//   auto streams = replica::Streams::connect(*seen, {.server = {.host = "10.0.0.5"}});
//   for (;;) {                                            // a thread of its own
//     auto step = (*streams)->pump(std::chrono::milliseconds(100));
//     if (!step.ok()) complain(step.error());             // the next pump connects again
//   }
//
// What is carried, and what each trouble of a stream means, is told in spec/replica.md, Streams.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bloomery/export.h"
#include "bloomery/replica/replica.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE::replica {

// Where a server is, and who asks. Credentials come from a file or the environment, never from a command line.
struct StreamServer {
  std::string host = "127.0.0.1";
  std::uint16_t port = 6379;
  std::string unix_socket = {};  // instead of host and port
  unsigned database = 0;
  std::string user = {}, password = {};
  std::chrono::milliseconds timeout{2000};  // of a connection, and of each answer

  // redis://[user@]host[:port][/database]; a password in it is refused, since others see the arguments of a process.
  BLOOMERY_API static Result<StreamServer> parse(const std::string& url);
};

struct StreamOptions {
  StreamServer server = {};
  std::string site = "main";             // the data centre; a bridge forwards only what was born on its own side
  std::uint64_t stream_cap = 1'000'000;  // entries; beyond, a bridge that is behind is not waited for
  std::uint64_t pending_cap = std::uint64_t{64} << 20;  // bytes of deltas that are kept until others have them
  std::size_t delta_keys = 100'000;
  std::size_t part_bytes = std::size_t{8} << 20;  // of a checkpoint; at most 16 MiB
  // A checkpoint is written when so many entries were read since the last one; 0: never by itself.
  std::uint64_t checkpoint_after = 10'000;
  std::chrono::milliseconds repair_every{60'000};  // also without a sign of loss
  std::chrono::milliseconds peer_timeout{2'000};   // silence after which a repair asks somebody else
};

// What one pump did.
struct StreamStep {
  std::uint64_t sent = 0, read = 0, refused = 0;
  bool checkpoint = false;
};

struct StreamStats {
  bool connected = false;
  std::string cursor = "0-0";                    // the last entry that was applied without a gap
  std::uint64_t stream_length = 0;               // as last seen
  std::uint64_t pending = 0, pending_bytes = 0;  // deltas that not everybody has
  std::uint64_t reconnects = 0, lost_ranges = 0, appended_again = 0, checkpoints = 0, checkpoints_lost = 0;
  std::uint64_t repairs_asked = 0, refused = 0;
  std::string checkpoint_position = {};  // of the newest one that this replica has seen
};

// The transport of one replica. One thread at a time; the replica itself serves any threads meanwhile, and must outlive
// this. Owns its connection.
class BLOOMERY_API Streams {
 public:
  // Connects, and takes over the newest checkpoint where there is one. Refuses a server that may evict keys
  // (maxmemory-policy other than noeviction), a checkpoint of another geometry, and one that is damaged.
  static Result<std::unique_ptr<Streams>> connect(Replica& replica, const StreamOptions& options);
  ~Streams();
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  // Appends what was logged, reads what came and waits for it at most so long, acknowledges, repairs, writes a
  // checkpoint when one is due. After an error the replica logs every add until a later pump has connected again and
  // appended what the stream lacks; nothing is lost by calling it again.
  Result<StreamStep> pump(std::chrono::milliseconds wait);

  // Writes a checkpoint now. Refused unless the replica is whole. False: another replica was quicker, or further.
  Result<bool> checkpoint();
  // Asks a peer for all that differs, from the next pump on.
  void repair();
  StreamStats stats() const;

 private:
  struct State;
  explicit Streams(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct BridgeOptions {
  StreamServer from = {}, to = {};
  Lineage lineage = {};
  std::string from_site = "main";  // only what was born there is forwarded: n sites need a bridge for each ordered pair
  std::string name = {};           // of this bridge at FROM, where it holds the stream back until it has forwarded it
};

struct BridgeStats {
  std::uint64_t forwarded = 0, skipped = 0;  // entries; skipped ones were born elsewhere
  std::uint64_t copied = 0;                  // checkpoints of FROM that closed a gap
  std::uint64_t reconnects = 0;
  std::string position = "0-0";  // the last entry of FROM that TO has
};

// Carries what was born in one site to the stream of another. One thread at a time. Owns its connections and nothing
// else: its position lies at TO, written together with the entries, so that any other process may go on instead.
class BLOOMERY_API Bridge {
 public:
  static Result<std::unique_ptr<Bridge>> connect(const BridgeOptions& options);
  ~Bridge();
  Bridge(const Bridge&) = delete;
  Bridge& operator=(const Bridge&) = delete;

  // Forwards what there is, and waits at most so long for it. How many entries it has read. After an error the next
  // one connects again.
  Result<std::uint64_t> pump(std::chrono::milliseconds wait);
  BridgeStats stats() const;

 private:
  struct State;
  explicit Bridge(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace BLOOMERY_NAMESPACE::replica
