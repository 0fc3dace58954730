// Replicas on a seeded network: adds, waits, crashes, checkpoints, repairs, changes of members. After every step what
// was promised is looked at; at the end everything comes to rest.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bloomery/bloomery.h"
#include "bloomery/replica/quorum.h"
#include "bloomery/replica/replica.h"
#include "replica/network.h"

namespace bloomery::replica::sim {

// Mistakes that a simulation can be told to make; each must be found.
enum class Planted : std::uint8_t {
  nothing,
  lost_stripe,            // deltas lack some of what was logged
  early_acknowledgement,  // a delta is acknowledged before it is applied
  late_newness,           // an add that waits is not logged when its bits were there
  late_position,          // a checkpoint's positions are taken after its payload
  votes_without_memory,   // a replica that lost its memory says "no"
  forgotten_old_members,  // a change of members counts at once
};

template <class Filter>
class Simulation {
 public:
  Simulation(std::uint64_t seed, Planted planted)
      : planted_(planted), dice_(seed), nodes_(2 + dice_.below(9)), network_(dice_, nodes_.size()) {
    quorum_ = dice_.chance(0.7);
    crashes_ = dice_.chance(0.7) ? 0.01 : 0;
    log_keys_ = dice_.chance(0.3) ? 16 : 1024;
    guarded_ = dice_.chance(0.1);
    configuration_ = random_configuration(1);
    for (std::uint64_t i = 0; i < nodes_.size(); ++i) start(i, Start::new_lineage);
  }

  // Empty when every promise held, else what did not.
  std::string run(int steps) {
    for (int i = 0; i < steps && wrong_.empty(); ++i) step();
    if (wrong_.empty()) rest();
    return wrong_;
  }

  std::uint64_t promised() const { return promised_.size(); }
  std::uint64_t lost_memories() const { return lost_memories_; }
  std::uint64_t refusals() const { return refusals_; }
  std::uint64_t changes() const { return configuration_.generation - 1; }

 private:
  using Of = ReplicaOf<Filter>;
  struct Checkpoint {
    Snapshot snapshot;
    bool finished = true;
  };
  struct Node {
    std::unique_ptr<Of> replica;
    std::uint64_t incarnation = 0;
    std::optional<Configuration> now, next;  // as it would have on disk
    std::optional<Checkpoint> checkpoint;
  };
  struct Wait {
    std::uint64_t node, incarnation;
    Ticket ticket;
    std::uint64_t key;
    bool logged;
  };

  void fail(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
  }

  Configuration random_configuration(std::uint32_t generation) {
    Configuration made;
    made.generation = generation;
    for (std::uint64_t i = 0; i < nodes_.size(); ++i)
      if (made.members.size() < 2 || dice_.chance(0.8)) made.members.push_back(i);
    const std::uint64_t n = made.members.size();
    made.w = static_cast<std::uint16_t>(1 + dice_.below(n));
    const std::uint64_t least_r = n - made.w + 1;
    made.r = static_cast<std::uint16_t>(least_r + dice_.below(n - least_r + 1));
    return made;
  }

  void start(std::uint64_t i, Start start) {
    Node& node = nodes_[i];
    ReplicaOptions options;
    options.lineage.bytes[0] = 1;
    options.origin = i;
    options.incarnation = ++node.incarnation;
    options.start = planted_ == Planted::votes_without_memory ? Start::new_lineage : start;
    options.log = {1, log_keys_};
    if (guarded_) options.most_fpr = kBound;
    node.replica = *Of::make(*Shared<Filter>::with_capacity(guarded_ ? 50 : 8000, 0.01), options);
    if (!quorum_) return;
    if (!node.now.has_value()) node.now = configuration_;
    if (start != Start::lost || dice_.chance(0.5)) name_members(node);
  }

  // As whoever runs the replica does it: at once, or when it has taken over something already.
  void name_members(Node& node) {
    EXPECT_TRUE(node.replica->configure(*node.now).ok());
    if (node.next.has_value() && !node.replica->configure(*node.next).ok()) fail("a saved configuration is refused");
  }

  void crash(std::uint64_t i) {
    Node& node = nodes_[i];
    ++lost_memories_;
    if (node.replica->configuration().has_value()) {
      node.now = node.replica->configuration();
      node.next = node.replica->next_configuration();
    }
    node.replica.reset();
  }

  void come_back(std::uint64_t i) {
    Node& node = nodes_[i];
    start(i, Start::lost);
    if (!node.checkpoint.has_value() || !node.checkpoint->finished || dice_.chance(0.5)) return;
    if (!node.replica->restore(node.checkpoint->snapshot).ok()) fail("a checkpoint is refused");
  }

  void broadcast(std::uint64_t from, const Bytes& bytes) {
    for (std::uint64_t to = 0; to < nodes_.size(); ++to)
      if (to != from) network_.send(from, to, bytes);
  }

  std::uint64_t new_key() {
    keys_.push_back(dice_.chance(0.2) && !keys_.empty() ? keys_[dice_.below(keys_.size())] : dice_.number());
    return keys_.back();
  }

  void add(std::uint64_t i) {
    Of& replica = *nodes_[i].replica;
    const std::uint64_t key = new_key();
    // Without members an add waits for whoever was heard, which promises no reader anything.
    if (!replica.configuration().has_value() || dice_.chance(0.5)) {
      replica.add(Hash(key));
      return;
    }
    if (planted_ == Planted::late_newness) {
      const bool logged = replica.add(Hash(key));
      waits_.push_back({i, nodes_[i].incarnation, {}, key, logged});
    } else {
      waits_.push_back({i, nodes_[i].incarnation, replica.add_logged(Hash(key)), key, true});
    }
    if (waits_.size() > 200) waits_.erase(waits_.begin());
  }

  void publish(std::uint64_t i) {
    for (;;) {
      auto delta = nodes_[i].replica->take_delta();
      if (!delta.ok()) return fail("take_delta: " + delta.error().to_string());
      if (!delta->has_value()) return;
      Message message = *parse(**delta);
      auto& hashes = std::get<Delta>(message.body).hashes;
      if (planted_ == Planted::lost_stripe) {
        std::erase_if(hashes, [](Hash hash) { return (hash.bits & 3) == 0; });
        if (hashes.empty()) hashes.emplace_back(1);
      }
      made_[{message.header.origin, message.header.incarnation, message.header.sequence}] = hashes;
      broadcast(i, *write(message));
    }
  }

  void deliver(const Mail& mail) {
    Node& node = nodes_[mail.to];
    if (node.replica == nullptr) return;
    if (planted_ == Planted::early_acknowledgement && parse_header(mail.bytes)->type == Type::delta &&
        dice_.chance(0.3))
      return acknowledge_early(mail);
    const Result<Received> received = node.replica->receive(mail.bytes);
    if (!received.ok()) {
      const bool full = guarded_ && received.error().field == "fill";
      refusals_ += full ? 1 : 0;
      if (!full && received.error().field != "generation") fail("receive: " + received.error().to_string());
      return;
    }
    for (const Bytes& answer : received->answers) network_.send(mail.to, mail.from, answer);
  }

  void acknowledge_early(const Mail& mail) {
    Message message = *parse(*nodes_[mail.to].replica->acknowledgement());
    const Header delta = parse_header(mail.bytes)->header;
    auto& positions = std::get<Acknowledgement>(message.body).positions;
    std::erase_if(positions, [&](const Position& position) {
      return position.origin == delta.origin && position.incarnation == delta.incarnation;
    });
    positions.push_back({delta.origin, delta.incarnation, delta.sequence});
    network_.send(mail.to, mail.from, *write(message));
  }

  void save_checkpoint(std::uint64_t i) {
    Node& node = nodes_[i];
    if (node.checkpoint.has_value() && !node.checkpoint->finished) {
      node.checkpoint->snapshot.positions = node.replica->positions();
      node.checkpoint->finished = true;
      return;
    }
    auto snapshots = node.replica->snapshot();
    if (!snapshots.ok()) return;
    node.checkpoint = Checkpoint{std::move(snapshots->front()), planted_ != Planted::late_position};
  }

  // One place decides the members: the next configuration is proposed when the one before is in force there.
  void change_members(std::uint64_t i) {
    Of& replica = *nodes_[i].replica;
    const auto now = replica.configuration();
    if (replica.next_configuration().has_value() || now->generation != configuration_.generation) return;
    configuration_ = random_configuration(now->generation + 1);
    if (planted_ == Planted::forgotten_old_members) {
      const Member at_once{false, {configuration_}};
      Header header;
      header.lineage = replica.options().lineage;
      header.origin = nodes_.size();
      header.incarnation = 1;
      EXPECT_TRUE(replica.receive(*write({header, at_once})).ok());
    } else {
      EXPECT_TRUE(replica.configure(configuration_).ok());
    }
  }

  void act(std::uint64_t i) {
    Node& node = nodes_[i];
    if (node.replica == nullptr) {
      if (dice_.chance(0.1)) come_back(i);
      return;
    }
    if (quorum_ && !node.replica->configuration().has_value() && dice_.chance(0.1)) name_members(node);
    if (dice_.chance(0.4)) add(i);
    if (dice_.chance(0.2)) publish(i);
    if (dice_.chance(0.2)) broadcast(i, *node.replica->acknowledgement());
    const bool knows_members = node.replica->configuration().has_value();
    if (knows_members && dice_.chance(0.1)) broadcast(i, *node.replica->member());
    if (dice_.chance(0.03)) broadcast(i, *node.replica->hello(dice_.chance(0.5)));
    if (dice_.chance(0.08)) repair_somehow(i);
    if (dice_.chance(0.02)) save_checkpoint(i);
    if (knows_members && dice_.chance(0.005)) change_members(i);
    if (dice_.chance(crashes_)) crash(i);
  }

  void repair_somehow(std::uint64_t i) {
    const std::uint64_t source = dice_.below(nodes_.size());
    if (source != i) network_.send(i, source, *nodes_[i].replica->begin_repair(source));
  }

  void step() {
    for (std::uint64_t i = 0; i < nodes_.size(); ++i) act(i);
    for (const Mail& mail : network_.tick()) deliver(mail);
    if (dice_.chance(0.02)) network_.split();
    if (dice_.chance(0.05)) network_.heal();
    look_at_waits();
    check_quorum();
    check_positions();
  }

  void look_at_waits() {
    std::erase_if(waits_, [&](const Wait& wait) {
      const Node& node = nodes_[wait.node];
      if (node.replica == nullptr || node.incarnation != wait.incarnation) return true;
      const bool enough = !wait.logged || node.replica->acknowledged(wait.ticket).enough;
      if (enough) promised_.push_back(wait.key);
      return enough;
    });
  }

  // No reader, whichever configuration it takes for the one in force, gets R noes about a key whose add returned.
  void check_quorum() {
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(3, promised_.size()); ++i) {
      const std::uint64_t key = i == 0 ? promised_.back() : promised_[dice_.below(promised_.size())];
      for (const Node& reader : nodes_) {
        if (reader.replica == nullptr || !reader.replica->configuration().has_value()) continue;
        QuorumReader quorum(*reader.replica->configuration());
        for (std::uint64_t other = 0; other < nodes_.size(); ++other)
          quorum.ask(other, [this, other](Hash hash) -> std::optional<Vote> {
            if (nodes_[other].replica == nullptr) return std::nullopt;
            return nodes_[other].replica->vote(hash);
          });
        if (!quorum.contains(Hash(key))) return fail("a quorum denies a key whose add had returned");
      }
    }
  }

  // What a replica says that it has applied is in it.
  void check_positions() {
    const Node& node = nodes_[dice_.below(nodes_.size())];
    if (node.replica == nullptr) return;
    for (const Position& position : node.replica->positions()) {
      const std::uint64_t from = position.sequence > 8 ? position.sequence - 8 : 1;
      for (std::uint64_t sequence = from; sequence <= position.sequence; ++sequence) {
        const auto delta = made_.find({position.origin, position.incarnation, sequence});
        if (delta == made_.end()) continue;  // left out on purpose
        for (const Hash hash : delta->second)
          if (!node.replica->contains(hash)) return fail("a replica tells a position that it has not reached");
      }
    }
  }

  // Everybody is back, the network is calm, and everybody is repaired against everybody.
  void rest() {
    network_.calm();
    for (std::uint64_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i].replica == nullptr) start(i, Start::lost);
    for (Node& node : nodes_)
      if (quorum_ && !node.replica->configuration().has_value()) name_members(node);
    whole_ = voting();
    Filter all = *nodes_[0].replica->filter().copy();
    for (const Node& node : nodes_) EXPECT_TRUE(all.merge(*node.replica->filter().copy()).ok());
    for (int round = 0; round < 3; ++round) {
      for (std::uint64_t i = 0; i < nodes_.size(); ++i) {
        publish(i);
        broadcast(i, *nodes_[i].replica->acknowledgement());
        if (quorum_) broadcast(i, *nodes_[i].replica->member());
        carry();
      }
      for (std::uint64_t i = 0; i < nodes_.size(); ++i)
        for (std::uint64_t j = 0; j < nodes_.size(); ++j)
          if (i != j) network_.send(i, j, *nodes_[i].replica->begin_repair(j)), carry();
    }
    check_rest(all);
  }

  std::ptrdiff_t voting() const {
    return std::count_if(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.replica->votes(); });
  }

  void carry() {
    for (int i = 0; i < 1000 && !network_.idle(); ++i)
      for (const Mail& mail : network_.tick()) deliver(mail);
  }

  // Who refused something says so, and no merge has pushed it beyond the bound: where the rate is above, its own adds
  // did that.
  void check_guard() {
    for (const Node& node : nodes_) {
      const bool refused = node.replica->stats().refused.count("fill") != 0;
      if (refused && (node.replica->whole() || node.replica->votes())) return fail("whole in spite of a refusal");
      if (refused && node.replica->snapshot().ok()) return fail("a checkpoint in spite of a refusal");
    }
  }

  void check_rest(const Filter& all) {
    if (guarded_) return check_guard();
    std::vector<Hash> survived;
    const auto& first = nodes_[0].replica->filter();
    for (const std::uint64_t key : keys_)
      if (first.contains(Hash(key))) survived.emplace_back(key);
    if (planted_ == Planted::lost_stripe) survived.emplace_back(1);
    Filter rebuilt = *Filter::with_geometry(first.geometry());
    EXPECT_TRUE(rebuilt.add_many(survived).ok());
    for (const Node& node : nodes_) {
      if (!(node.replica->filter().view() == all.view())) return fail("payloads differ at rest");
      // Nobody else is left who could say that all is there; the last who could may have left the members meanwhile.
      if (std::min(whole_, voting()) < (node.replica->votes() ? 2 : 1)) continue;
      if (!node.replica->gaps().empty())
        return fail("a gap is left at rest, of origin " + std::to_string(node.replica->gaps().front()) + " at " +
                    std::to_string(node.replica->options().origin) + " of " + std::to_string(nodes_.size()) + "; " +
                    std::to_string(whole_) + " voted before and " + std::to_string(voting()) + " after");
      if (!quorum_ && !node.replica->whole()) return fail("not whole at rest");
    }
    // Of classic, the bits of one key come by several chunks, and their source may be gone after the first of them.
    if (!std::is_same_v<Filter, ClassicFilter> && !(rebuilt.view() == all.view())) fail("bits of no key at rest");
    check_quorum();
  }

  Planted planted_;
  Dice dice_;
  std::vector<Node> nodes_;
  Network network_;
  static constexpr double kBound = 0.05;  // of the fill guard, in schedules that have one
  bool quorum_ = false, guarded_ = false;
  std::uint64_t refusals_ = 0;
  std::ptrdiff_t whole_ = 0;
  double crashes_ = 0;
  std::uint64_t log_keys_ = 0, lost_memories_ = 0;
  Configuration configuration_;  // the newest that was proposed
  std::vector<std::uint64_t> keys_, promised_;
  std::vector<Wait> waits_;
  std::map<Position, std::vector<Hash>> made_;  // what each delta has
  std::string wrong_;
};

}  // namespace bloomery::replica::sim
