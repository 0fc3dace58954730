// Streams and bridges of the library above simulated servers, by one seed: up to three sites, members that crash,
// servers that fail over without their tail, streams that are trimmed at the worst moment, two who write checkpoints at
// once. Between any two commands of one client another client may act. After every command what was promised is looked
// at; at the end everything comes to rest.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bloomery/bloomery.h"
#include "bloomery/replica_streams.h"
#include "replica/network.h"
#include "streams/simulation/server.h"
#include "streams/simulation/witness.h"
#include "streams/world.h"

namespace bloomery::replica::sim {

class StreamSimulation final : public World {
 public:
  StreamSimulation(std::uint64_t seed, Planted planted);
  ~StreamSimulation() override { set_world(nullptr); }
  StreamSimulation(const StreamSimulation&) = delete;
  StreamSimulation& operator=(const StreamSimulation&) = delete;

  // Empty when every promise held, else what did not.
  std::string run(int steps);

  // How often what is looked at has happened.
  struct Counts {
    std::uint64_t failovers = 0, trims = 0, crashes = 0, checkpoints = 0, lost_races = 0, forwarded = 0, copied = 0;
    std::uint64_t full_streams = 0, required = 0;
  };
  const Counts& counts() const { return counts_; }
  std::uint64_t trace() const { return trace_; }  // a hash over all commands

  // The world of the streams.
  std::unique_ptr<Road> connect(const StreamServer& server, std::string& why) override;
  Time now() override { return Time(std::chrono::milliseconds(1'000'000 + now_)); }
  std::string fresh_token() override;

 private:
  friend class SimulatedRoad;
  struct Node {
    std::uint64_t origin = 0, incarnation = 0;
    std::size_t site = 0;
    std::unique_ptr<ReplicaOf<BlockFilter>> replica;
    std::unique_ptr<Streams> streams;
    bool busy = false;
  };
  struct Link {
    std::size_t from = 0, to = 0;
    std::unique_ptr<Bridge> bridge;
    bool busy = false;
    std::uint64_t forwarded = 0, copied = 0;
  };

  void fail(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
  }
  StreamServer address(std::size_t site, const std::string& client) const;
  StreamOptions options_of(const Node& node) const;

  void start(Node& node, Start start);
  void add(Node& node);
  void pump(Node& node);
  void pump(Link& link);
  void act(Node& node);
  void crash(Node& node);
  bool may_crash(const Node& node) const;
  void trouble(std::size_t site);
  void someone_acts();
  void step();

  // One command of a client: what may happen before it, the mistake that is planted, the command, the checks.
  std::string perform(std::size_t site, const std::string& client, Command words, bool alone);
  void before_command(std::size_t site);
  void check_caps(std::size_t site);

  void rest();
  std::string unrest() const;
  void check_rest();

  Planted planted_;
  Dice dice_;
  std::vector<SimulatedServer> servers_;  // one a site
  std::vector<Node> nodes_;
  std::vector<Link> links_;
  Witness witness_;
  std::uint64_t now_ = 0, stream_cap_ = 0, pending_cap_ = 0, log_keys_ = 0;
  std::size_t delta_keys_ = 0;
  double failovers_ = 0, trims_ = 0, crashes_ = 0, breaks_ = 0;
  int depth_ = 0;
  bool calm_ = false;
  std::vector<std::uint64_t> keys_, required_;
  Counts counts_;
  std::uint64_t trace_ = 0;
  std::string wrong_;
};

}  // namespace bloomery::replica::sim
