// Replicas that meet in a stream of a Valkey or Redis server: each appends what was added to it, and the others read
// that. The server keeps the stream and the checkpoints that newcomers start from; it needs no module.
//
//   auto streams = replica::Streams::connect(*seen, {.server = {.host = "10.0.0.5"}});
//   for (;;) {                                            // a thread of its own
//     auto step = (*streams)->pump(std::chrono::milliseconds(100));
//     if (!step.ok()) complain(step.error());             // the next pump connects again
//   }
//
// spec/replica_streams.md says what is carried, and what follows from each trouble of a stream.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/export.h"
#include "bloomery/figures.h"
#include "bloomery/replica/replica.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE::replica {

// The address of a server, and the credentials of the client, which come from a file or the environment and never from
// a command line.
struct StreamServer {
  std::string host = "127.0.0.1";
  std::uint16_t port = 6379;
  std::string unix_socket = {};  // instead of host and port
  unsigned database = 0;
  std::string user = {}, password = {};
  std::chrono::milliseconds timeout{2000};  // for a connection, and for each answer

  // Reads redis://[user@]host[:port][/database], valkey:// likewise, or unix:PATH. Refuses a password in it, because
  // other users see the arguments of a process.
  BLOOMERY_API static Result<StreamServer> parse(const std::string& url);
};

// Keeps the bytes of checkpoints outside the server, which filters of more than 512 MiB need. All replicas of a lineage
// must see the same store. The thread that pumps calls it; the caller owns it and keeps it as long as the Streams.
class BLOOMERY_API CheckpointStore {
 public:
  virtual ~CheckpointStore();
  // Keeps bytes under a name of 32 hexadecimal digits, which is written once.
  virtual Status put(const std::string& name, std::span<const std::uint8_t> bytes) = 0;
  // Returns the bytes of that name, or nothing where there are none.
  virtual Result<std::optional<Bytes>> get(const std::string& name) = 0;
  // Removes the bytes of that name. It is called when two newer checkpoints were written.
  virtual Status remove(const std::string& name) = 0;
};

struct StreamOptions {
  StreamServer server = {};
  std::string site = "main";  // the data centre; a bridge forwards only what was added at its own site
  // The most entries of the stream. A full stream takes no more until a checkpoint has it trimmed, and does not wait
  // for bridges that are behind. Replicas look before they append, so there may be a few more for each of them.
  std::uint64_t stream_cap = 1'000'000;
  std::uint64_t pending_cap = std::uint64_t{64} << 20;  // bytes of deltas kept until others have them
  std::size_t delta_keys = 100'000;
  std::size_t part_bytes = std::size_t{8} << 20;  // of a checkpoint; at most 16 MiB
  // A checkpoint is written when so many entries were read since the last one. Whatever this says, one is also written
  // when half of pending_cap is used, or the stream is full.
  std::uint64_t checkpoint_after = 10'000;
  CheckpointStore* store = nullptr;                // instead of keys of the server; not owned
  std::chrono::milliseconds repair_every{60'000};  // even without a sign of loss
  std::chrono::milliseconds peer_timeout{2'000};   // silence after which a repair asks somebody else
};

// What one pump did.
struct StreamStep {
  std::uint64_t sent = 0, read = 0, refused = 0;
  bool checkpoint = false;
};

// How far a peer is behind this replica: what was sent to it and not acknowledged.
struct PeerLag {
  std::uint64_t origin = 0, keys = 0;
  double seconds = 0;  // since the oldest of them was sent
};

struct StreamStats {
  bool connected = false, whole = false;
  std::string cursor = "0-0";                    // the last entry that was applied without a gap
  std::uint64_t stream_length = 0;               // as last seen
  std::uint64_t pending = 0, pending_bytes = 0;  // deltas that some peer lacks
  // The number of the last delta that surely everybody has, or a checkpoint.
  std::uint64_t confirmed = 0;
  std::uint64_t bytes_sent = 0, bytes_received = 0;  // of messages
  std::uint64_t reconnects = 0, lost_ranges = 0, appended_again = 0, repairs_asked = 0;
  std::uint64_t checkpoints = 0;          // written
  std::uint64_t checkpoints_lost = 0;     // another replica was quicker
  std::uint64_t checkpoints_refused = 0;  // could not be written, or were not accepted
  std::uint64_t refused = 0;              // messages; Replica::stats has the reasons
  std::string checkpoint_position = {};   // of the newest checkpoint that this replica has seen
  std::vector<PeerLag> lag = {};
};

// The transport of one replica. One thread at a time may use it; the replica itself serves all threads meanwhile, and
// must outlive this. It owns its connection.
class BLOOMERY_API Streams {
 public:
  // Connects, and takes over the newest checkpoint where there is one. Refuses a server that may evict keys
  // (maxmemory-policy other than noeviction), a checkpoint of another geometry, and one that is damaged.
  static Result<std::unique_ptr<Streams>> connect(Replica& replica, const StreamOptions& options);
  ~Streams();
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  // Appends what was logged, reads what came and waits at most `wait` for it, acknowledges, repairs, and writes a
  // checkpoint when one is due. After an error the replica logs every add until a later pump has connected again and
  // appended what the stream lacks; call it again, and nothing is lost.
  Result<StreamStep> pump(std::chrono::milliseconds wait);

  // Writes a checkpoint now. Refused unless the replica is whole. False: another replica was quicker, or knew more.
  Result<bool> checkpoint();
  // From the next pump on, asks a peer for all that differs.
  void repair();
  StreamStats stats() const;
  // Returns these stats and those of the replica for Prometheus and JSON (bloomery/figures.h), under that name.
  Result<Figures> figures(std::string_view name) const;

 private:
  struct State;
  explicit Streams(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct BridgeOptions {
  StreamServer from = {}, to = {};
  Lineage lineage = {};
  std::string from_site = "main";  // only what was added there is forwarded: each ordered pair of sites needs a bridge
  std::string name = {};           // of this bridge at FROM, which keeps entries until the bridge has forwarded them
  // The most entries of the stream of TO: the bridge waits while there are so many. The replicas there trim it.
  std::uint64_t stream_cap = 1'000'000;
  // How often FROM's checkpoint is copied even without a sign of loss. An entry of a replica that crashed may be lost
  // at the server too; then only replicas of its site that had read it have it, and no missing number shows that
  // elsewhere.
  std::chrono::milliseconds copy_every{3'600'000};
};

struct BridgeStats {
  std::uint64_t forwarded = 0, skipped = 0;  // entries; skipped ones were added at another site
  std::uint64_t copied = 0;                  // checkpoints of FROM that closed a gap
  std::uint64_t reconnects = 0;
  bool gap = false;              // what is missing waits for FROM's next checkpoint
  std::string position = "0-0";  // the last entry of FROM that TO has
};

// Carries what was added at one site to the stream of another. One thread at a time may use it. It owns its connections
// and nothing else: its position lies at TO, written together with the entries, so that another process may take over.
class BLOOMERY_API Bridge {
 public:
  static Result<std::unique_ptr<Bridge>> connect(const BridgeOptions& options);
  ~Bridge();
  Bridge(const Bridge&) = delete;
  Bridge& operator=(const Bridge&) = delete;

  // Forwards what there is, and waits at most `wait` for it. Returns how many entries it has read. After an error the
  // next pump connects again.
  Result<std::uint64_t> pump(std::chrono::milliseconds wait);
  BridgeStats stats() const;

 private:
  struct State;
  explicit Bridge(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// What lies at a server, as `bloomery replica status` shows it.
struct StreamStatus {
  struct Peer {
    std::uint64_t origin = 0, incarnation = 0, sequence = 0;
    bool whole = false;
    std::uint64_t deltas_behind = 0;  // how many deltas of others it lacks, by what they say
    std::uint64_t window = 0;         // of a rotating filter, else 0
  };
  struct Bridge {
    std::string name, position;  // the last entry it has forwarded, or "behind"
  };
  std::uint64_t entries = 0;
  std::string newest = "0-0";
  std::vector<Peer> peers = {};  // by the last hello of each
  std::vector<Bridge> bridges = {};
  std::string checkpoint = {};  // its position; empty: none
  std::uint64_t checkpoint_bytes = 0;
  std::string problem = {};   // what is wrong with the pointer of the checkpoint
  std::uint64_t refused = 0;  // hellos that could not be read
};
BLOOMERY_API Result<StreamStatus> stream_status(const StreamServer& server, const Lineage& lineage,
                                                const std::optional<Secret>& secret = {});

// Asks all replicas at a server to repair themselves, or one of them to write a checkpoint. They look every second.
enum class StreamRequest : std::uint8_t { checkpoint, repair };
BLOOMERY_API Status ask_replicas(const StreamServer& server, const Lineage& lineage, StreamRequest request);

}  // namespace BLOOMERY_NAMESPACE::replica
