#include "streams/simulation/simulation.h"

namespace bloomery::replica::sim {
namespace {

constexpr std::uint64_t kFilterKeys = 3000;
constexpr std::uint64_t kInboxCap = 64, kBridgeEntries = 16;

std::string name_of(std::size_t site) { return std::string(1, static_cast<char>('a' + site)); }
const Names& names() {
  static const Names all(lineage_of_simulation());
  return all;
}

}  // namespace

// Commands are done as they are sent; answers wait until they are received. A road may break between any two.
class SimulatedRoad final : public Road {
 public:
  SimulatedRoad(StreamSimulation& world, std::size_t site, std::string client)
      : world_(world), site_(site), client_(std::move(client)), run_(world.servers_[site].run) {}

  std::string send(std::string_view bytes) override {
    while (!bytes.empty()) {
      Command words = take_command(bytes);
      if (breaks()) return {};
      if (words[0] == "MULTI") {
        together_ = {{}};
        answers_ += "+OK\r\n";
      } else if (words[0] == "EXEC") {
        exec();
      } else if (!together_.empty()) {
        together_.push_back(std::move(words));
        answers_ += "+QUEUED\r\n";
      } else {
        const std::string answer = world_.perform(site_, client_, std::move(words), false);
        if (!breaks()) answers_ += answer;
      }
    }
    return {};
  }
  std::string receive(std::span<char> into, std::size_t& got) override {
    if (answers_.empty()) return broken_ ? "it closed the connection" : "no answer in time";
    got = answers_.copy(into.data(), into.size());
    answers_.erase(0, got);
    return {};
  }
  std::string set_timeout(std::chrono::milliseconds) override { return {}; }

 private:
  bool breaks() {
    const SimulatedServer& server = world_.servers_[site_];
    if (server.run != run_ || server.down != 0) broken_ = true;
    if (!world_.calm_ && world_.dice_.chance(world_.breaks_)) broken_ = true;
    return broken_;
  }
  void exec() {
    answers_ += "*" + std::to_string(together_.size() - 1) + "\r\n";
    for (std::size_t i = 1; i < together_.size(); ++i)
      answers_ += world_.perform(site_, client_, std::move(together_[i]), true);
    together_.clear();
  }

  StreamSimulation& world_;
  std::size_t site_;
  std::string client_, answers_;
  std::uint64_t run_;
  std::vector<Command> together_;  // between MULTI and EXEC: an empty one, then those that wait
  bool broken_ = false;
};

StreamSimulation::StreamSimulation(std::uint64_t seed, Planted planted)
    : planted_(planted), dice_(seed), servers_(1 + dice_.below(3)), witness_([this](const auto& what) { fail(what); }) {
  set_world(this);
  failovers_ = dice_.chance(0.5) ? 0.02 : 0;
  trims_ = dice_.chance(0.3) ? 0.01 : 0;
  crashes_ = dice_.chance(0.5) ? 0.02 : 0;
  breaks_ = dice_.chance(0.5) ? 0.003 : 0;
  stream_cap_ = dice_.chance(0.4) ? 20 + dice_.below(40) : 1'000'000;
  pending_cap_ = dice_.chance(0.3) ? 1000 : 1 << 20;
  delta_keys_ = 1 + dice_.below(30);
  log_keys_ = dice_.chance(0.2) ? 16 : 1024;
  const std::size_t in_each = servers_.size() == 1 ? 2 + dice_.below(2) : 1 + dice_.below(3);
  if (in_each == 1) crashes_ = 0;  // it would have nobody to be repaired by
  for (std::size_t site = 0; site < servers_.size(); ++site) {
    servers_[site].run = 1 + 1000 * site;
    for (std::size_t i = 0; i < in_each; ++i) {
      nodes_.emplace_back();
      nodes_.back().origin = nodes_.size();
      nodes_.back().site = site;
    }
    for (std::size_t other = 0; other < servers_.size(); ++other)
      if (other != site) links_.push_back({site, other, nullptr, false, 0, 0});
  }
  now_ = 1000;
  for (SimulatedServer& server : servers_) server.now = now_;
  calm_ = true;
  for (Node& node : nodes_) start(node, Start::new_lineage);
  calm_ = false;
  const BlockGeometry geometry = nodes_[0].replica->filter().geometry();
  for (SimulatedServer& server : servers_)
    server.on_checkpoint = [this, &server, geometry](const Command& keys, const Command& arguments) {
      witness_.checkpoint(server.data, keys, arguments, geometry);
    };
}

std::string StreamSimulation::fresh_token() {
  std::string token;
  for (int i = 0; i < 32; ++i) token += "0123456789abcdef"[dice_.below(16)];
  return token;
}

StreamServer StreamSimulation::address(std::size_t site, const std::string& client) const {
  StreamServer server;
  server.host = name_of(site);
  server.user = client;
  return server;
}

std::unique_ptr<Road> StreamSimulation::connect(const StreamServer& server, std::string& why) {
  const auto site = static_cast<std::size_t>(server.host[0] - 'a');
  if (servers_[site].down == 0) return std::make_unique<SimulatedRoad>(*this, site, server.user);
  why = "nobody listens";
  return nullptr;
}

StreamOptions StreamSimulation::options_of(const Node& node) const {
  StreamOptions options;
  options.server = address(node.site, std::to_string(node.origin));
  options.site = name_of(node.site);
  options.stream_cap = stream_cap_;
  options.pending_cap = planted_ == Planted::endless_pending ? 100 * pending_cap_ : pending_cap_;
  options.delta_keys = delta_keys_;
  options.checkpoint_after = 20;
  options.repair_every = std::chrono::seconds(20);
  options.peer_timeout = std::chrono::milliseconds(500);
  return options;
}

void StreamSimulation::start(Node& node, Start start) {
  ReplicaOptions options;
  options.lineage = lineage_of_simulation();
  options.origin = node.origin;
  options.incarnation = ++node.incarnation;
  options.start = start;
  options.log = {1, planted_ == Planted::endless_log ? 64 * log_keys_ : log_keys_};
  node.replica = *ReplicaOf<BlockFilter>::make(*Shared<BlockFilter>::with_capacity(kFilterKeys, 0.01), options);
  node.busy = true;
  auto streams = Streams::connect(*node.replica, options_of(node));
  node.busy = false;
  if (streams.ok()) {
    node.streams = *std::move(streams);
    return;
  }
  node.replica.reset();
  const std::string& field = streams.error().field;
  if (field != "server" && field != "checkpoint") fail("connect: " + streams.error().to_string());
}

void StreamSimulation::add(Node& node) {
  const std::uint64_t count = 1 + dice_.below(8);
  for (std::uint64_t i = 0; i < count && keys_.size() < kFilterKeys; ++i) {
    keys_.push_back(dice_.chance(0.2) && !keys_.empty() ? keys_[dice_.below(keys_.size())] : dice_.number());
    node.replica->add(Hash(keys_.back()));
  }
}

void StreamSimulation::pump(Node& node) {
  node.busy = true;
  const std::uint64_t sent = node.replica->stats().keys_sent;
  const auto step = node.streams->pump(std::chrono::milliseconds(0));
  if (step.ok() && step->checkpoint) ++counts_.checkpoints;
  if (!step.ok() && step.error().field != "server") fail("pump: " + step.error().to_string());
  if (dice_.chance(0.02)) {
    const auto written = node.streams->checkpoint();
    if (written.ok()) ++(*written ? counts_.checkpoints : counts_.lost_races);
  }
  node.busy = false;
  if (node.streams->stats().pending_bytes > pending_cap_ + witness_.largest_delta())
    fail("more is pending than the cap and a delta");
  // Nobody adds to it meanwhile: what it sends was in the log.
  if (node.replica->stats().keys_sent - sent > log_keys_) fail("the log held more than its cap");
}

void StreamSimulation::pump(Link& link) {
  link.busy = true;
  const std::string name = name_of(link.from) + name_of(link.to);
  if (link.bridge == nullptr) {
    auto made = Bridge::connect({.from = address(link.from, name),
                                 .to = address(link.to, name),
                                 .lineage = lineage_of_simulation(),
                                 .from_site = name_of(link.from),
                                 .name = name,
                                 .stream_cap = stream_cap_,
                                 .copy_every = std::chrono::seconds(20)});
    if (made.ok()) link.bridge = *std::move(made);
    else if (made.error().field != "server") fail("bridge: " + made.error().to_string());
  } else if (dice_.chance(0.01) && !calm_) {
    link.bridge.reset();  // another process goes on
  } else {
    const auto read = link.bridge->pump(std::chrono::milliseconds(0));
    if (!read.ok() && read.error().field != "server") fail("bridge: " + read.error().to_string());
    const BridgeStats stats = link.bridge->stats();
    counts_.forwarded += stats.forwarded > link.forwarded ? stats.forwarded - link.forwarded : 0;
    counts_.copied += stats.copied > link.copied ? stats.copied - link.copied : 0;
    link.forwarded = stats.forwarded, link.copied = stats.copied;
  }
  link.busy = false;
}

void StreamSimulation::act(Node& node) {
  if (node.busy) return;
  if (node.replica == nullptr) {
    if (dice_.chance(0.2)) start(node, Start::lost);
    return;
  }
  if (dice_.chance(0.4)) add(node);
  if (dice_.chance(0.6)) pump(node);
}

void StreamSimulation::someone_acts() {
  const std::uint64_t who = dice_.below(nodes_.size() + links_.size());
  if (who < nodes_.size()) return act(nodes_[who]);
  Link& link = links_[who - nodes_.size()];
  if (!link.busy) pump(link);
}

// If all lost their memory at once nobody could say any more that nothing is missing.
bool StreamSimulation::may_crash(const Node& node) const {
  return std::all_of(nodes_.begin(), nodes_.end(), [&](const Node& other) {
    return other.origin == node.origin ? other.replica != nullptr : other.replica != nullptr && other.replica->whole();
  });
}

// What a replica took for safe outlives it, unless its server loses what it had said at the same time.
void StreamSimulation::crash(Node& node) {
  ++counts_.crashes;
  if (failovers_ == 0)
    for (const Hash hash : witness_.up_to({node.origin, node.incarnation, node.streams->stats().confirmed}))
      required_.push_back(hash.bits);
  node.streams.reset();
  node.replica.reset();
}

void StreamSimulation::trouble(std::size_t site) {
  SimulatedServer& server = servers_[site];
  if (server.down != 0) --server.down;
  if (dice_.chance(0.3)) server.sync();
  if (dice_.chance(0.01)) server.restart(), server.down = dice_.below(10);
  if (!dice_.chance(failovers_)) return;
  ++counts_.failovers;
  if (dice_.chance(0.1)) server.lose_everything();
  else server.fail_over(dice_.below(2000));
  server.down = dice_.below(5);
}

void StreamSimulation::before_command(std::size_t site) {
  if (calm_ || depth_ != 0) return;
  ++depth_;
  if (dice_.chance(0.05)) someone_acts();
  if (dice_.chance(trims_)) {
    auto& entries = servers_[site].data.streams[names().stream()].entries;
    for (std::uint64_t left = dice_.below(entries.size() + 1); left != 0; --left) entries.pop_front();
    ++counts_.trims;
  }
  --depth_;
}

std::string StreamSimulation::perform(std::size_t site, const std::string& client, Command words, bool alone) {
  SimulatedServer& server = servers_[site];
  const std::uint64_t run = server.run;
  if (!alone) before_command(site);
  if (server.run != run || server.down != 0) return {};
  const bool by_bridge = client[0] >= 'a';
  const EntryId last = server.data.streams[names().stream()].last;
  plant(planted_, witness_, last, name_of(site), by_bridge, words);
  for (const std::string& word : words) trace_ = detail::splitmix64(trace_ ^ Hasher::xxh3()(word).bits);
  if (words[0] == "XADD" && words[1] == names().stream() && words[3] == kMessageField) {
    const auto message = parse({reinterpret_cast<const std::uint8_t*>(words[4].data()), words[4].size()});
    if (!message.ok()) fail("a damaged message was appended");
    else if (by_bridge && nodes_[message->header.origin - 1].site != static_cast<std::size_t>(client[0] - 'a'))
      fail("a bridge forwards what was not added where it reads");
    else if (!by_bridge)
      witness_.appended(*message, words[4].size(),
                        [&](Hash hash) { return nodes_[message->header.origin - 1].replica->contains(hash); });
  }
  std::string answer = server.answer(words);
  if (planted_ == Planted::endless_inbox && words[0] == "XADD" && words[1] != names().stream())
    for (std::uint64_t i = 0; i < kInboxCap; ++i) server.answer(words);
  if (planted_ == Planted::unseen_length && words[0] == "XLEN" && !by_bridge) answer = ":0\r\n";
  check_caps(site);
  return answer;
}

// A replica that has looked may append one entry more than fits, and so may the others that looked at the same time; a
// bridge may append all that one read brought, and a copy.
void StreamSimulation::check_caps(std::size_t site) {
  const auto& streams = servers_[site].data.streams;
  const std::uint64_t length = streams.at(names().stream()).entries.size();
  const std::uint64_t in_site = nodes_.size() / servers_.size(), bridges = servers_.size() - 1;
  if (length >= stream_cap_) ++counts_.full_streams;
  if (length > stream_cap_ + 2 * in_site + bridges * (kBridgeEntries + 1))
    fail("the stream has " + std::to_string(length) + " entries, and its cap is " + std::to_string(stream_cap_));
  for (const Node& node : nodes_) {
    const auto inbox = streams.find(names().inbox(node.origin));
    if (inbox != streams.end() && inbox->second.entries.size() > kInboxCap) fail("an inbox is above its cap");
  }
}

void StreamSimulation::step() {
  now_ += dice_.chance(0.003) ? 700'000 : dice_.below(400);
  for (SimulatedServer& server : servers_) server.now = now_;
  for (std::size_t site = 0; site < servers_.size(); ++site) trouble(site);
  for (Node& node : nodes_) {
    act(node);
    if (node.replica != nullptr && dice_.chance(crashes_) && may_crash(node)) crash(node);
  }
  for (Link& link : links_)
    if (dice_.chance(0.5)) pump(link);
}

std::string StreamSimulation::run(int steps) {
  for (int i = 0; i < steps && wrong_.empty(); ++i) step();
  if (wrong_.empty()) rest();
  counts_.required = required_.size();
  return wrong_;
}

// What is not at rest yet; empty when all is.
std::string StreamSimulation::unrest() const {
  for (const Node& node : nodes_) {
    const std::string who = "replica " + std::to_string(node.origin);
    if (node.replica == nullptr) return who + " is away";
    if (!node.replica->whole())
      return who + " is not whole: " + std::to_string(node.replica->gaps().size()) + " gaps, " +
             (node.replica->votes() ? "votes" : "does not vote") +
             (node.replica->needs_repair() ? ", needs repair" : "");
    if (const std::uint64_t left = node.streams->stats().pending; left != 0)
      return who + " has " + std::to_string(left) + " deltas pending";
    if (!(node.replica->filter().view() == nodes_[0].replica->filter().view())) return who + " differs";
  }
  return {};
}

// Everybody is back, servers answer, and time goes by until nothing changes any more.
void StreamSimulation::rest() {
  calm_ = true;
  for (SimulatedServer& server : servers_) server.down = 0;
  std::string left = "no round";
  for (int round = 0; round < 400 && !left.empty() && wrong_.empty(); ++round) {
    now_ += 300;
    for (SimulatedServer& server : servers_) server.now = now_;
    for (Node& node : nodes_)
      if (node.replica == nullptr) start(node, Start::lost);
      else pump(node);
    for (Link& link : links_) pump(link);
    left = unrest();
  }
  if (!left.empty())
    fail("no rest of " + std::to_string(servers_.size()) + " sites, failovers " + std::to_string(failovers_) +
         ", trims " + std::to_string(trims_) + ", crashes " + std::to_string(crashes_) + ": " + left);
  if (wrong_.empty()) check_rest();
}

void StreamSimulation::check_rest() {
  const auto& filter = nodes_[0].replica->filter();
  for (const std::uint64_t key : required_)
    if (!filter.contains(Hash(key))) return fail("a key is lost that its replica took for safe");
  std::vector<Hash> survived;
  for (const std::uint64_t key : keys_)
    if (filter.contains(Hash(key))) survived.emplace_back(key);
  BlockFilter rebuilt = *BlockFilter::with_geometry(filter.geometry());
  if (!rebuilt.add_many(survived).ok() || !(rebuilt.view() == filter.view())) fail("bits of no key at rest");
}

}  // namespace bloomery::replica::sim
