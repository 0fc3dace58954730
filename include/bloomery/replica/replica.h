// A filter on many machines: each replica adds locally, all learn what the others added, and none denies a key that it
// has learned of. This is the core without a transport: it takes and gives bytes, opens no socket and reads no clock.
//
//   auto seen = replica::ReplicaOf<BlockFilter>::make(*Shared<BlockFilter>::with_capacity(n, fpr), options);
//   (*seen)->add(key);                                    // from any thread
//   while (auto delta = *(*seen)->take_delta()) send_to_all(*delta);
//   auto received = (*seen)->receive(bytes);              // from any replica; answers go back to the sender
//
// A transport calls, in whatever order and as often as it likes (messages may be lost, doubled and reordered):
//   take_delta, hello, acknowledgement, member      return what is to be sent to everybody
//   receive                                         takes a message; its answers go back to the sender
//   begin_repair                                    returns what is to be sent to one peer, which answers until the
//                                                   repair is done
//   positions, snapshot, restore                    serve checkpoints
//   whole, needs_repair, acknowledged_by_all        say what to do next
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/detail/compiled_for.h"
#include "bloomery/live/shared.h"
#include "bloomery/replica/log.h"
#include "bloomery/replica/message.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE::replica {

struct RepairStep;
struct Window;
using WindowList = std::vector<std::shared_ptr<Window>>;

// What a replica may take for granted when it starts.
enum class Start : std::uint8_t {
  new_lineage,  // nobody has added anything yet, so nothing is missing
  lost,         // it was a member before, or joins: it votes "maybe" until it was repaired
};

struct ReplicaOptions {
  Lineage lineage = {};
  std::uint64_t origin = 0;           // this replica; the same after a restart
  std::uint64_t incarnation = 0;      // higher at each start: a counter, or the time
  std::optional<Secret> secret = {};  // of the MAC of messages
  Start start = Start::lost;
  double most_fpr = 1;  // fill guard: no merge may push the predicted rate beyond it, in any window
  // How many keys of windows that have not begun here a rotating filter holds, 8 bytes each; a delta counts as 16 more.
  std::uint64_t held_keys = std::uint64_t{1} << 20;
  LogOptions log = {};
};

// The contents of one window, for a checkpoint. The positions were taken before the payload, and are the same in all
// windows of a checkpoint.
struct Snapshot {
  Lineage lineage = {};
  std::uint64_t window = 0;
  std::vector<Position> positions;
  Bytes payload;
};

// What a message was and did; `answers` go back to the sender.
struct Received {
  Type type = Type::hello;
  Header header = {};
  std::vector<Bytes> answers = {};
  std::uint64_t keys = 0, known = 0;   // of a delta: its hashes, and how many of them changed nothing
  bool gap = false;                    // a delta before this one is missing
  bool held = false, expired = false;  // of a delta: its window has not begun here, or is gone
  bool repaired = false;               // this message completed a repair
};

// Counters since the start; window and keys_held are values of this moment. `refused` counts by the field that errors
// name.
struct ReplicaStats {
  std::uint64_t deltas_made = 0, keys_sent = 0, deltas_applied = 0, keys_applied = 0, keys_known = 0;
  std::uint64_t repairs_begun = 0, repairs_done = 0, chunks_sent = 0, lines_applied = 0;
  std::uint64_t log_overflows = 0, gaps = 0;
  // Only of rotating filters: the epoch; keys held for windows that have not begun here, and deltas that found no room
  // among them; keys of windows that were gone; repairs that closed no gap because the source was too far ahead.
  std::uint64_t window = 0, keys_held = 0, held_overflows = 0, keys_expired = 0, repairs_partial = 0;
  std::map<std::string, std::uint64_t> refused = {};
};

// Stands for a key that was logged; `acknowledged` takes it.
struct Ticket {
  std::uint64_t stripe = 0, position = 0;
};

// The answer of one replica to "was this key added?". A "no" counts only among members of the same generation.
struct Vote {
  bool maybe = true;
  std::uint32_t generation = 0;
};

// Whose acknowledgements of a key count, and whose are missing or do not count any more: spec/replica.md, Quorum. The
// replica that added it counts towards W.
struct Acknowledged {
  bool enough = false;
  std::vector<std::uint64_t> by, missing;  // origins
};

// One replica, whatever its kind of filter. Any thread may use it. It owns its log; ReplicaOf owns the filter.
class BLOOMERY_API Replica {
 public:
  virtual ~Replica();
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;

  const ReplicaOptions& options() const { return options_; }

  // Returns the next delta of what was logged, or nothing when there is none. It holds at most most_keys keys, and
  // never more than kMostHashes. When the log was overrun a sequence number is left out, so that others see a gap and
  // repair.
  Result<std::optional<Bytes>> take_delta(std::size_t most_keys = 100'000);
  Result<Bytes> hello(bool asks = false) const;
  Result<Bytes> acknowledgement() const;
  Result<Bytes> member() const;  // refused without a configuration
  // Returns whether it has made any message: somebody may have heard of it.
  bool has_spoken() const;

  // Takes a message. A message of another lineage, a damaged one, one that is too large and one that tells of a later
  // start of this replica are errors that name the field, and are counted; the filter goes on serving. Send the answers
  // of the result to the sender.
  Result<Received> receive(std::span<const std::uint8_t> message);

  // Returns what it has applied of every origin without a gap, itself included.
  std::vector<Position> positions() const;
  // Returns what acknowledgements say: the positions, and the newest incarnation of each other origin that was heard or
  // is a member, with sequence 0. The transport sends an acknowledgement when this has changed.
  std::vector<Position> known() const;

  // Begins to copy all that a peer has. Send the message to that peer and give its answers to `receive`, until one says
  // `repaired`. A repair that was under way is forgotten: after silence, begin again.
  Result<Bytes> begin_repair(std::uint64_t source);
  bool repairing() const;
  void forget_repair();  // ends a repair that nobody answers
  // gaps: the origins that a delta is missing of. needs_repair: whether anything is missing, by a gap or otherwise
  // (fell_behind, an overflow, lost memory).
  std::vector<std::uint64_t> gaps() const;
  bool needs_repair() const;
  // The transport calls it when it lost entries that it cannot name. The replica is not whole until it is repaired, or
  // restored from a checkpoint.
  void fell_behind();
  // The transport calls it with true when the others cannot be reached: from then on every add is logged, new or not.
  // It calls it with false when they can be reached again.
  void set_cut_off(bool cut_off);

  // Returns whether it may write a checkpoint: nothing is missing, refused or held, no repair is under way, and its
  // memory was not lost. Deltas of the origins `but_for` may be missing; the positions of the checkpoint say so.
  bool whole(std::span<const std::uint64_t> but_for = {}) const;
  // Returns whether its "no" counts in a quorum: its memory is whole, nothing was refused, and it is a member that
  // stays.
  bool votes() const;
  // Returns votes() as a Vote, with the generation that is in force here.
  Vote voting() const;

  // Returns a copy of all windows, the oldest first, with the positions that they surely hold. Refused unless
  // whole(but_for).
  Result<std::vector<Snapshot>> snapshot(std::span<const std::uint64_t> but_for = {}) const;
  // Takes over a checkpoint of the same lineage and geometry, all its windows at once. The checkpoint of a writer that
  // is ahead may hold more than fits here; then this replica is behind until it is repaired.
  Status restore(std::span<const Snapshot> snapshots);
  Status restore(const Snapshot& snapshot) { return restore(std::span(&snapshot, 1)); }
  // Takes over the bits and positions of a checkpoint whose writers do not hold all that this replica's peers do, as
  // those of another site. It makes up for what lost_copy reported of that site, but not for lost memory, nor for what
  // fell_behind reported.
  Status restore_copy(std::span<const Snapshot> snapshots, const std::string& site = {});
  // The transport calls it when it lost such a copy. The replica is not whole until another one of that site has come,
  // or until it is repaired or restored.
  void lost_copy(const std::string& site = {});
  // Returns whether such a copy is missing.
  bool lacks_copies() const;

  // The number of the last delta written, and of the last one that every member has acknowledged. Without a
  // configuration every peer that was ever heard counts as a member.
  std::uint64_t sequence() const;
  std::uint64_t acknowledged_by_all() const;
  // Returns what the newest incarnation of each peer has last acknowledged of this replica's deltas.
  std::vector<Position> acknowledgements() const;
  Acknowledged acknowledged(const Ticket& ticket) const;
  // Calls `pump` until enough members have acknowledged the key, or pump returns false.
  template <class Pump>
  Acknowledged wait_for(const Ticket& ticket, Pump&& pump) const {
    Acknowledged known = acknowledged(ticket);
    while (!known.enough && pump()) known = acknowledged(ticket);
    return known;
  }

  // Sets the members. The first configuration is in force at once; spec/replica.md, Members, says when later ones are.
  Status configure(const Configuration& next);
  std::optional<Configuration> configuration() const;  // in force
  std::optional<Configuration> next_configuration() const;
  // Declares that a leaving member has ended for good, so that the change does not wait for it.
  void retire(std::uint64_t origin);

  // Drops keys of windows that have not begun here, because their sender has a wrong clock. They are missing from then
  // on, and a repair closes that gap when the incarnation of their sender has ended.
  void forget_held();

  // Always refuses: another size is another lineage. The error says what to do instead.
  Status begin_rebuild(std::uint64_t n, double fpr) const;

  ReplicaStats stats() const;

 protected:
  struct State;
  explicit Replica(const ReplicaOptions& options);

  // Checks the options.
  static Result<std::unique_ptr<Log>> make_log(const ReplicaOptions& options);
  // Gives the engine its log and its windows; ReplicaOf calls it once. `kept` is how many windows a key stays after its
  // own; 0 without rotation.
  void attach(std::unique_ptr<Log> log, WindowList windows, std::uint64_t kept);
  // Changes to the windows of a later epoch, which lookups ask already, and applies what was held for them.
  Status turn_to(WindowList windows);
  Log& log() { return *log_; }
  bool logs_all() const { return logs_all_.load(std::memory_order_relaxed); }

 private:
  // These are called under the mutex of the state.
  Header header_now() const;
  std::vector<Position> positions_now() const;
  std::vector<Position> known_now() const;
  bool whole_now(std::span<const std::uint64_t> but_for = {}) const;
  bool votes_now() const;
  void note_acknowledgement(const Header& header, const std::vector<Position>& positions);
  Result<bool> take_over(std::span<const Snapshot> snapshots);
  void cover(const std::vector<Position>& positions);
  Status go_on(const Result<RepairStep>& step, Received& received);
  Status ask_source(const Digest& question, Received& received);
  Result<std::optional<Digest>> next_question();
  void finish_repair();
  void note_applied(const Position& at, Received& received);
  Status hold(const Position& at, const Delta& delta, Received& received);

  void mark_own_adds();
  Status take_delta_of(const Position& at, const Delta& delta, Received& received);
  Result<Received> take(std::span<const std::uint8_t> bytes);
  Status check_sender(const Header& header) const;
  Status check_named(const std::vector<Position>& positions) const;
  Status on(const Header& header, const Hello& hello, Received& received);
  Status on(const Header& header, const Delta& delta, Received& received);
  Status on(const Header& header, const Digest& digest, Received& received);
  Status on(const Header& header, const Chunks& chunks, Received& received);
  Status on(const Header& header, const Acknowledgement& known, Received& received);
  Status on(const Header& header, const Member& member, Received& received);

  ReplicaOptions options_;
  std::unique_ptr<Log> log_;
  std::atomic<bool> logs_all_{false};
  std::unique_ptr<State> state_;
};

// A replica of a classic, split or block filter; bloomery/replica/rotating.h has replicas of rotating filters. Any
// thread may use it: add and contains are those of Shared, wait-free. It owns its filter.
template <class Filter>
class ReplicaOf;

template <class Layout>
class ReplicaOf<BasicFilter<Layout>> final : public Replica {
  static_assert(
      requires { sizeof(detail::AtomicBits<Layout>); },
      "of classic, split and block: only those unite bit by bit, so that messages may come twice and in any order");

 public:
  using Filter = BasicFilter<Layout>;

  BLOOMERY_API static Result<std::unique_ptr<ReplicaOf>> make(Shared<Filter> filter, const ReplicaOptions& options);

  // Adds a key. Returns whether it changed a bit; then the key is logged. A call that returns false may return before
  // another thread that adds the same key has logged it.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool add(const T& key) {
    const Hash hash = hash_key(filter_.hasher(), key);
    const bool changed = filter_.add(hash);
    if (changed || logs_all()) log().append(0, hash);
    return changed;
  }
  // Adds a key and logs it, new or not.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  Ticket add_logged(const T& key) {
    const Hash hash = hash_key(filter_.hasher(), key);
    filter_.add(hash);
    const Log::Place place = log().append(0, hash);
    return {place.stripe, place.position};
  }
  // Adds a key, and calls `pump` until as many members as the configuration wants have acknowledged it, or pump returns
  // false. pump lets the transport send and receive, and decides how long to wait.
  template <Key T, class Pump>
  Acknowledged add_and_wait(const T& key, Pump pump) {
    return wait_for(add_logged(key), pump);
  }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool contains(const T& key) const noexcept {
    return filter_.contains(key);
  }
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_many(const Keys& keys, std::span<std::uint8_t> answers) const noexcept {
    filter_.contains_many(keys, answers);
  }
  const Shared<Filter>& filter() const { return filter_; }

  // Returns its answer in a quorum. It asks first whether it may vote: a repair that ends in between must not turn an
  // answer from before the repair into a "no".
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  Vote vote(const T& key) const {
    const Vote vote = voting();
    return {vote.maybe || contains(key), vote.generation};
  }

 private:
  ReplicaOf(Shared<Filter> filter, const ReplicaOptions& options) : Replica(options), filter_(std::move(filter)) {}

  Shared<Filter> filter_;
};

}  // namespace BLOOMERY_NAMESPACE::replica
