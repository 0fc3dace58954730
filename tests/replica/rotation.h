// Replicas of a rotating filter on a seeded network, each with a clock of its own: off by 0 to 2 windows, in some
// schedules one by a day. After every step what was promised is looked at; at the end everything comes to rest, first
// with the clocks as they are, then with all of them at the same window.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/bloomery.h"
#include "bloomery/replica/quorum.h"
#include "bloomery/replica/rotating.h"
#include "replica/network.h"

namespace bloomery::replica::sim {

// Mistakes that the simulation can be told to make; each must be found.
enum class PlantedRotation : std::uint8_t {
  nothing,
  wrong_window,       // a key goes to the window of who receives it
  held_acknowledged,  // a delta is acknowledged that is held
  remote_drop,        // a message from ahead begins a window
  unasked_spare,      // lookups do not ask the spare
};

// What happened, summed up over schedules: what is checked must happen.
struct RotationCounts {
  std::uint64_t promises_checked = 0, keys_held = 0, overflows = 0, expired = 0, partial = 0, lost_memories = 0,
                restored = 0;
};

template <class Filter>
class Rotation {
 public:
  Rotation(std::uint64_t seed, PlantedRotation planted)
      : planted_(planted), dice_(seed), nodes_(2 + dice_.below(5)), network_(dice_, nodes_.size()) {
    quorum_ = dice_.chance(0.7);
    crashes_ = dice_.chance(0.7) ? 0.01 : 0;
    kept_ = static_cast<unsigned>(1 + dice_.below(4));
    window_steps_ = 10 + dice_.below(60);
    held_cap_ = dice_.chance(0.3) ? 40 : 4096;
    for (std::uint64_t i = 0; i < nodes_.size(); ++i) configuration_.members.push_back(i);
    if (nodes_.size() > 2 && dice_.chance(0.3)) configuration_.members.pop_back();  // the last one is no member
    const std::uint64_t n = configuration_.members.size();
    configuration_.generation = 1;
    configuration_.w = static_cast<std::uint16_t>(1 + dice_.below(n));
    configuration_.r = static_cast<std::uint16_t>(n - configuration_.w + 1);
    const bool early = dice_.chance(0.2);  // epochs near 1, where there are fewer windows
    first_epoch_ = early ? 1 : 100;
    for (Node& node : nodes_) node.skew = dice_.chance(0.4) ? 0 : static_cast<std::int64_t>(dice_.below(3));
    if (dice_.chance(0.3)) nodes_.back().skew = !early && dice_.chance(0.3) ? -kDay : kDay;
    for (std::uint64_t i = 0; i < nodes_.size(); ++i) start(i, Start::new_lineage);
  }

  // Empty when every promise held, else what did not.
  std::string run(int steps) {
    for (int i = 0; i < steps && wrong_.empty(); ++i) step();
    if (wrong_.empty()) rest();
    return wrong_;
  }
  const RotationCounts& counts() const { return counts_; }

 private:
  using Of = ReplicaOf<RotatingFilter<Filter>>;
  static constexpr std::int64_t kDay = 24;
  struct Node {
    std::unique_ptr<Of> replica;
    std::uint64_t incarnation = 0;
    std::int64_t skew = 0;
    std::uint64_t epoch = 0;  // as its owner has said
    bool far_ahead = false;   // since it was started
  };
  struct Added {
    std::uint64_t key, window;
  };
  struct Wait {
    std::uint64_t node, incarnation;
    Ticket ticket;
    Added added;
  };

  void fail(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
  }

  std::uint64_t clock(const Node& node) const {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(first_epoch_ + now_ / window_steps_) + node.skew);
  }
  bool is_member(std::uint64_t i) const {
    return std::binary_search(configuration_.members.begin(), configuration_.members.end(), i);
  }

  // The promise of a key ends when the first replica passes its window by more than are kept. One that is a day ahead
  // and no member has no say in it.
  void owner_says(std::uint64_t i, std::uint64_t epoch) {
    nodes_[i].epoch = epoch;
    latest_ = std::max(latest_, epoch);
    if (!nodes_[i].far_ahead) latest_near_ = std::max(latest_near_, epoch);
    if (!nodes_[i].far_ahead || is_member(i)) latest_voter_ = std::max(latest_voter_, epoch);
  }
  bool is_promised(std::uint64_t window) const { return window + kept_ >= latest_voter_; }

  void start(std::uint64_t i, Start start) {
    Node& node = nodes_[i];
    ReplicaOptions options;
    options.lineage.bytes[0] = 1;
    options.origin = i;
    options.incarnation = ++node.incarnation;
    options.start = start;
    options.log = {1, 1024};
    options.held_keys = held_cap_;
    node.far_ahead = node.skew == kDay;
    owner_says(i, clock(node));
    node.replica = *Of::make({4000, 0.01, kept_, node.epoch, {}}, options);
    if (quorum_ && !node.replica->configure(configuration_).ok()) fail("a configuration is refused");
  }

  void crash(std::uint64_t i) {
    ++counts_.lost_memories;
    note_counts(*nodes_[i].replica);
    nodes_[i].replica.reset();
  }

  // A clock that was off by a day is right now, or not.
  void come_back(std::uint64_t i) {
    if (dice_.chance(0.5)) nodes_[i].skew = static_cast<std::int64_t>(dice_.below(3));
    start(i, Start::lost);
    if (checkpoint_.empty() || dice_.chance(0.5)) return;
    ++counts_.restored;
    if (!nodes_[i].replica->restore(checkpoint_).ok()) fail("a checkpoint is refused");
  }

  void note_counts(const Of& replica) {
    const ReplicaStats stats = replica.stats();
    counts_.overflows += stats.held_overflows;
    counts_.expired += stats.keys_expired;
    counts_.partial += stats.repairs_partial;
  }

  void broadcast(std::uint64_t from, const Bytes& bytes) {
    for (std::uint64_t to = 0; to < nodes_.size(); ++to)
      if (to != from) network_.send(from, to, bytes);
  }

  void add(std::uint64_t i) {
    Node& node = nodes_[i];
    const bool again = dice_.chance(0.2) && !added_.empty();
    added_.push_back({again ? added_[dice_.below(added_.size())].key : dice_.number(), node.replica->epoch()});
    if (!quorum_ || dice_.chance(0.5)) node.replica->add(Hash(added_.back().key));
    else waits_.push_back({i, node.incarnation, node.replica->add_logged(Hash(added_.back().key)), added_.back()});
  }

  void publish(std::uint64_t i) {
    for (;;) {
      auto delta = nodes_[i].replica->take_delta();
      if (!delta.ok()) return fail("take_delta: " + delta.error().to_string());
      if (!delta->has_value()) return;
      const Message message = *parse(**delta);
      made_[{message.header.origin, message.header.incarnation, message.header.sequence}] =
          std::get<Delta>(message.body);
      broadcast(i, **delta);
    }
  }

  void deliver(Mail mail) {
    Node& node = nodes_[mail.to];
    if (node.replica == nullptr) return;
    if (planted_ != PlantedRotation::nothing && parse_header(mail.bytes)->type == Type::delta) plant(node, mail);
    const Result<Received> received = node.replica->receive(mail.bytes);
    if (!received.ok()) return fail("receive: " + received.error().to_string());
    counts_.keys_held += received->held ? received->keys : 0;
    for (const Bytes& answer : received->answers) network_.send(mail.to, mail.from, answer);
  }

  void plant(Node& node, Mail& mail) {
    Message message = *parse(mail.bytes);
    Delta& delta = std::get<Delta>(message.body);
    if (planted_ == PlantedRotation::wrong_window && delta.window < node.epoch) {
      delta.window = node.epoch;
      mail.bytes = *write(message);
    }
    if (planted_ == PlantedRotation::remote_drop && delta.window > node.replica->epoch())
      (void)node.replica->advance_to(delta.window);
    if (planted_ == PlantedRotation::held_acknowledged && delta.window > node.epoch + 1) {
      Message early = *parse(*node.replica->acknowledgement());
      const Header& header = message.header;
      std::get<Acknowledgement>(early.body).positions = {{header.origin, header.incarnation, header.sequence}};
      network_.send(mail.to, mail.from, *write(early));
    }
  }

  void act(std::uint64_t i) {
    Node& node = nodes_[i];
    if (node.replica == nullptr) {
      if (dice_.chance(0.1)) come_back(i);
      return;
    }
    if (dice_.chance(0.5)) turn(i);
    if (dice_.chance(0.4)) add(i);
    if (dice_.chance(0.2)) publish(i);
    if (dice_.chance(0.2)) broadcast(i, *node.replica->acknowledgement());
    if (dice_.chance(0.03)) broadcast(i, *node.replica->hello(dice_.chance(0.5)));
    if (dice_.chance(0.08)) repair_somehow(i);
    if (dice_.chance(0.02))
      if (auto snapshot = node.replica->snapshot(); snapshot.ok()) checkpoint_ = *std::move(snapshot);
    if (dice_.chance(crashes_)) crash(i);
  }

  // The owner follows its clock; one that was set back waits until it has caught up.
  void turn(std::uint64_t i) {
    const std::uint64_t epoch = clock(nodes_[i]);
    if (epoch <= nodes_[i].epoch) return;
    owner_says(i, epoch);
    const Status turned = nodes_[i].replica->advance_to(epoch);
    if (!turned.ok() && planted_ != PlantedRotation::remote_drop) fail("advance_to: " + turned.error().to_string());
  }

  // One that is under way is mostly waited for: it takes several messages for each window.
  void repair_somehow(std::uint64_t i) {
    if (nodes_[i].replica->repairing() && !dice_.chance(0.1)) return;
    const std::uint64_t source = dice_.below(nodes_.size());
    if (source != i) network_.send(i, source, *nodes_[i].replica->begin_repair(source));
  }

  void step() {
    ++now_;
    for (std::uint64_t i = 0; i < nodes_.size(); ++i) act(i);
    for (const Mail& mail : network_.tick()) deliver(mail);
    if (dice_.chance(0.02)) network_.split();
    if (dice_.chance(0.05)) network_.heal();
    if (dice_.chance(0.01)) nodes_.back().skew = static_cast<std::int64_t>(dice_.below(3));  // a clock is set right
    look_at_waits();
    check_quorum();
    check_positions(nodes_[dice_.below(nodes_.size())]);
    check_caps();
  }

  void look_at_waits() {
    std::erase_if(waits_, [&](const Wait& wait) {
      const Node& node = nodes_[wait.node];
      if (node.replica == nullptr || node.incarnation != wait.incarnation) return true;
      const bool enough = node.replica->acknowledged(wait.ticket).enough;
      if (enough) promised_.push_back(wait.added);
      return enough;
    });
  }

  std::optional<Vote> vote_of(std::uint64_t i, Hash hash) const {
    if (nodes_[i].replica == nullptr) return std::nullopt;
    if (planted_ != PlantedRotation::unasked_spare) return nodes_[i].replica->vote(hash);
    Vote vote = nodes_[i].replica->voting();
    const auto generations = nodes_[i].replica->hold().generations;
    for (std::size_t j = 1; j < generations.size(); ++j) vote.maybe |= generations[j]->contains(hash);
    return vote;
  }

  // No reader gets R noes about a key whose add returned, as long as nobody has passed its window.
  void check_quorum() {
    std::erase_if(promised_, [&](const Added& added) { return !is_promised(added.window); });
    QuorumReader quorum(configuration_);
    for (const std::uint64_t member : configuration_.members)
      quorum.ask(member, [this, member](Hash hash) { return vote_of(member, hash); });
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(3, promised_.size()); ++i) {
      const Added& added = i == 0 ? promised_.back() : promised_[dice_.below(promised_.size())];
      ++counts_.promises_checked;
      if (!quorum.contains(Hash(added.key))) return fail("a quorum denies a key whose add had returned");
    }
  }

  // What a replica says that it has applied is in the window where it belongs.
  void check_positions(const Node& node) {
    if (node.replica == nullptr) return;
    for (const Position& position : node.replica->positions()) {
      const std::uint64_t from = position.sequence > 8 ? position.sequence - 8 : 1;
      for (std::uint64_t sequence = from; sequence <= position.sequence; ++sequence)
        check_applied(node, {position.origin, position.incarnation, sequence});
    }
  }

  void check_applied(const Node& node, const Position& at) {
    const auto delta = made_.find(at);
    if (delta == made_.end()) return;  // left out on purpose
    const std::uint64_t window = delta->second.window;
    if (window > node.epoch + 1) return fail("a replica acknowledges a key of a window that has not begun there");
    if (window + kept_ < std::max(node.epoch, latest_near_)) return;  // somebody has dropped it
    const std::shared_ptr<Shared<Filter>> generation = window_of(node, window);
    if (generation == nullptr) return fail("a replica has dropped a window that its owner keeps");
    for (const Hash hash : delta->second.hashes)
      if (!generation->contains(hash)) return fail("a replica tells a position that it has not reached");
  }

  std::shared_ptr<Shared<Filter>> window_of(const Node& node, std::uint64_t window) const {
    const auto state = node.replica->hold();
    const std::uint64_t at = state.epoch + 1 - window;
    return at < state.generations.size() ? state.generations[at] : nullptr;
  }

  void check_caps() {
    for (const Node& node : nodes_)
      if (node.replica != nullptr && node.replica->stats().keys_held > held_cap_) fail("too much is held");
  }

  void carry() {
    for (int i = 0; i < 2000 && !network_.idle(); ++i)
      for (const Mail& mail : network_.tick()) deliver(mail);
  }

  void repair_all(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      for (std::uint64_t i = 0; i < nodes_.size(); ++i) {
        publish(i);
        broadcast(i, *nodes_[i].replica->acknowledgement());
        carry();
      }
      for (std::uint64_t i = 0; i < nodes_.size(); ++i)
        for (std::uint64_t j = 0; j < nodes_.size(); ++j)
          if (i != j) network_.send(i, j, *nodes_[i].replica->begin_repair(j)), carry();
    }
  }

  std::ptrdiff_t voting() const {
    return std::count_if(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.replica->votes(); });
  }

  // Everybody is back and the network is calm. At first the clocks differ still; then all owners say the same.
  void rest() {
    network_.calm();
    for (std::uint64_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i].replica == nullptr) start(i, Start::lost);
    repair_all(2);
    check_windows();
    check_quorum();
    for (const Node& node : nodes_) check_positions(node);
    if (!wrong_.empty()) return;
    const std::ptrdiff_t voted = voting();
    for (std::uint64_t i = 0; i < nodes_.size(); ++i) {
      owner_says(i, latest_);
      if (!nodes_[i].replica->advance_to(latest_).ok()) return fail("an owner cannot go on");
    }
    repair_all(3);
    check_windows();
    check_whole(voted);
    for (const Node& node : nodes_) note_counts(*node.replica);
  }

  // Whoever has a window has the same in it, and nothing but keys that were added in that window.
  void check_windows() {
    std::map<std::uint64_t, std::shared_ptr<Shared<Filter>>> first;
    for (const Node& node : nodes_) {
      const auto state = node.replica->hold();
      for (std::size_t i = 0; i < state.generations.size(); ++i) {
        const auto& generation = state.generations[i];
        const auto [other, fresh] = first.emplace(state.epoch + 1 - i, generation);
        if (!fresh && !(other->second->view() == generation->view())) return fail("windows differ at rest");
      }
    }
    if (std::is_same_v<Filter, ClassicFilter>) return;  // as in simulation.h: a key's bits come by several chunks
    for (const auto& [window, generation] : first) {
      Filter rebuilt = *Filter::with_geometry(generation->geometry());
      for (const Added& added : added_)
        if (added.window == window && generation->contains(Hash(added.key))) rebuilt.add(Hash(added.key));
      if (!(rebuilt.view() == generation->view())) return fail("bits of no key of the window at rest");
    }
  }

  void check_whole(std::ptrdiff_t voted) {
    for (const Node& node : nodes_) {
      if (node.replica->stats().keys_held != 0) return fail("keys are held at rest");
      if (std::min(voted, voting()) < 2) continue;  // nobody is left who could say that all is there
      if (!node.replica->gaps().empty()) return fail("a gap is left at rest");
      if (!quorum_ && !node.replica->whole()) return fail("not whole at rest");
    }
  }

  PlantedRotation planted_;
  Dice dice_;
  std::vector<Node> nodes_;
  Network network_;
  bool quorum_ = false;
  double crashes_ = 0;
  unsigned kept_ = 1;
  std::uint64_t window_steps_ = 1, held_cap_ = 0, first_epoch_ = 1, now_ = 0;
  std::uint64_t latest_ = 0, latest_near_ = 0, latest_voter_ = 0;  // epochs that owners have said, ever
  Configuration configuration_;
  std::vector<Snapshot> checkpoint_;  // the newest of anybody
  std::vector<Added> added_, promised_;
  std::vector<Wait> waits_;
  std::map<Position, Delta> made_;
  RotationCounts counts_;
  std::string wrong_;
};

}  // namespace bloomery::replica::sim
