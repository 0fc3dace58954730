// A change of size under traffic: processes join a second lineage, one scans the truth, all switch, on a network that
// loses and doubles. By many seeds, and with mistakes that must be found. One seed again: BLOOMERY_SEED=n.
#include "bloomery/replica/lineage_change.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>

#include "bloomery/bloomery.h"
#include "replica/network.h"

namespace bloomery::replica::sim {
namespace {

using Change = LineageChange<BlockFilter>;
using One = ReplicaOf<BlockFilter>;

enum class Mistake : std::uint8_t {
  nothing,
  feeds_one,         // a process goes on adding to the first lineage alone
  joins_late,        // a process speaks in the second lineage before its adds go there
  scans_too_little,  // all switch when a part of the truth was fed
  truth_comes_last,  // keys are written to the truth some time after they were added
};

std::shared_ptr<One> replica_of(std::uint8_t lineage, std::uint64_t origin, std::uint64_t n) {
  ReplicaOptions options;
  options.lineage.bytes[0] = lineage;
  options.origin = origin;
  options.incarnation = 1;
  options.start = Start::new_lineage;
  options.log = {2, 128};
  return *One::make(*Shared<BlockFilter>::with_capacity(n, 1e-6), options);
}

class Processes {
 public:
  Processes(std::uint64_t seed, Mistake mistake)
      : mistake_(mistake), dice_(seed), nodes_(2 + dice_.below(4)), network_(dice_, nodes_.size()) {
    for (std::uint64_t i = 0; i < nodes_.size(); ++i) {
      nodes_[i].change = *Change::make(replica_of(1, i, 4000));
      nodes_[i].next = replica_of(2, i, 9000);
    }
    for (std::uint64_t i = 0; i < nodes_.size(); ++i)  // whom a process never heard of it cannot wait for
      for (std::uint64_t j = 0; j < nodes_.size(); ++j) {
        if (i == j) continue;
        EXPECT_TRUE(nodes_[j].change->hold().now->receive(*nodes_[i].change->hold().now->hello()).ok());
      }
  }

  // Empty when no process denied what it must know, else what went wrong.
  std::string run() {
    constexpr int kPatience = 20'000, kBadHours = 1000;  // steps; nobody is whole for long while much is lost
    for (int i = 0; i < kPatience && wrong_.empty() && !all(&Node::left); ++i) {
      if (i == kBadHours) network_.calm();
      step();
    }
    if (wrong_.empty() && !all(&Node::left)) return "the change did not come to its end";
    if (wrong_.empty()) rest();
    return wrong_;
  }
  std::uint64_t scanned_keys() const { return scanned_; }
  std::uint64_t keys_of_both() const { return truth_.size() - before_scan_; }

 private:
  struct Node {
    std::unique_ptr<Change> change;
    std::shared_ptr<One> next;  // until it has joined
    std::vector<std::uint64_t> own, unwritten;
    bool speaks_early = false, joined = false, switched = false, left = false;
  };

  bool all(bool Node::*flag) const {
    return std::all_of(nodes_.begin(), nodes_.end(), [&](const Node& node) { return node.*flag; });
  }
  void fail(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
  }

  std::vector<std::shared_ptr<One>> replicas(const Node& node) const {
    const Change::State state = node.change->hold();
    std::vector<std::shared_ptr<One>> those = {state.now};
    if (state.next != nullptr) those.push_back(state.next);
    else if (node.speaks_early) those.push_back(node.next);
    return those;
  }

  void add(Node& node) {
    const std::uint64_t key = dice_.number();
    if (mistake_ == Mistake::truth_comes_last) node.unwritten.push_back(key);
    else truth_.push_back(key);
    node.own.push_back(key);
    if (mistake_ == Mistake::feeds_one && &node == &nodes_[0]) node.change->hold().now->add(Hash(key));
    else if (dice_.chance(0.2)) std::thread([&] { node.change->add(Hash(key)); }).join();  // by another stripe
    else node.change->add(Hash(key));
    if (node.speaks_early && node.joined) node.next->add(Hash(key));
  }

  void speak(std::uint64_t i) {
    for (const auto& replica : replicas(nodes_[i])) {
      if (dice_.chance(0.2)) {
        const std::size_t most = 1 + dice_.below(100);  // a small delta has what one stripe holds
        while (const auto delta = *replica->take_delta(most)) {
          broadcast(i, *delta);
          if (dice_.chance(0.3)) break;
        }
      }
      if (dice_.chance(0.2)) broadcast(i, *replica->acknowledgement());
      // Seldom enough that one comes to its end before the next begins.
      if ((replica->needs_repair() || replica->repairing()) && dice_.chance(0.01)) {
        const std::uint64_t source = dice_.below(nodes_.size());
        if (source != i) network_.send(i, source, *replica->begin_repair(source));
      }
    }
  }

  void broadcast(std::uint64_t from, const Bytes& bytes) {
    for (std::uint64_t to = 0; to < nodes_.size(); ++to)
      if (to != from) network_.send(from, to, bytes);
  }

  void deliver(const Mail& mail) {
    const Lineage lineage = parse_header(mail.bytes)->header.lineage;
    for (const auto& replica : replicas(nodes_[mail.to])) {
      if (replica->options().lineage != lineage) continue;
      const Result<Received> received = replica->receive(mail.bytes);
      if (!received.ok()) return fail("receive: " + received.error().to_string());
      for (const Bytes& answer : received->answers) network_.send(mail.to, mail.from, answer);
    }
  }

  void join(Node& node) {
    // LineageChange refuses a replica that has spoken, so this mistake is made without it.
    if (mistake_ == Mistake::joins_late && &node == &nodes_[0]) {
      node.joined = node.speaks_early;
      node.speaks_early = true;
      return;
    }
    EXPECT_TRUE(node.change->join(node.next).ok());
    node.joined = true;
  }

  // The last process scans, part by part.
  void scan() {
    Node& node = nodes_.back();
    if (!scanning_) {
      scanning_ = node.change->begin_scan().ok();
      before_scan_ = scanning_ ? truth_.size() : 0;
      return;
    }
    if (!ticket_.has_value() || scanned_ < before_scan_) {
      const std::size_t end = std::min(before_scan_, scanned_ + 1 + dice_.below(50));
      std::vector<Hash> part;
      for (; scanned_ < end; ++scanned_) part.emplace_back(truth_[scanned_]);
      if (part.empty()) done_ = true;  // there was no truth yet
      else ticket_ = *node.change->feed(part);
      const bool enough = mistake_ == Mistake::scans_too_little && scanned_ >= before_scan_ / 2;
      if (enough) scanned_ = before_scan_;
      return;
    }
    done_ = node.change->fed(*ticket_);
  }

  void act(std::uint64_t i) {
    Node& node = nodes_[i];
    if (dice_.chance(node.own.size() < 200 ? 0.4 : 0.02)) add(node);
    if (dice_.chance(0.1)) {
      truth_.insert(truth_.end(), node.unwritten.begin(), node.unwritten.end());
      node.unwritten.clear();
    }
    speak(i);
    if (!node.joined && dice_.chance(0.02)) join(node);
    if (i + 1 == nodes_.size() && node.joined && !done_) scan();
    if (done_ && node.joined && !node.switched && dice_.chance(0.1)) {
      node.switched = node.speaks_early || node.change->switch_over().ok();
      if (node.switched) check_scanned(node);
    }
    if (all(&Node::switched) && !node.left && dice_.chance(0.1)) {
      node.left = node.speaks_early || node.change->leave().ok();
      if (!node.left) fail("leave is refused");
    }
  }

  void step() {
    for (std::uint64_t i = 0; i < nodes_.size(); ++i) act(i);
    for (const Mail& mail : network_.tick()) deliver(mail);
    const Node& node = nodes_[dice_.below(nodes_.size())];
    for (const std::uint64_t key : node.own)
      if (!asks(node, key)) return fail("a process denies what it has added itself");
  }

  // A process that spoke early is asked in the second lineage as soon as it has switched.
  bool asks(const Node& node, std::uint64_t key) const {
    return node.speaks_early && node.switched ? node.next->contains(Hash(key)) : node.change->contains(Hash(key));
  }

  // Whoever switches knows at once all that was there when the scan began.
  void check_scanned(const Node& node) {
    for (std::size_t i = 0; i < before_scan_; ++i)
      if (!asks(node, truth_[i])) return fail("a process that has switched denies a key of the scan");
  }

  void rest() {
    network_.calm();
    for (int round = 0; round < 3; ++round)
      for (std::uint64_t i = 0; i < nodes_.size(); ++i)
        for (std::uint64_t j = 0; j < nodes_.size(); ++j) {
          if (i == j) continue;
          network_.send(i, j, *replicas(nodes_[i]).back()->begin_repair(j));
          while (!network_.idle())
            for (const Mail& mail : network_.tick()) deliver(mail);
        }
    for (const Node& node : nodes_) {
      for (const Node& other : nodes_)
        for (const std::uint64_t key : other.own)
          if (!asks(node, key)) return fail("a key is denied at rest");
    }
  }

  Mistake mistake_;
  Dice dice_;
  std::vector<Node> nodes_;
  Network network_;
  std::vector<std::uint64_t> truth_;  // in the order in which it was written
  std::size_t before_scan_ = 0, scanned_ = 0;
  bool scanning_ = false, done_ = false;
  std::optional<Ticket> ticket_;
  std::string wrong_;
};

TEST(LineageChange, whoever_switches_knows_all_of_the_truth_and_nobody_forgets_what_he_added) {
  const char* const one = std::getenv("BLOOMERY_SEED");
  const std::uint64_t first = one != nullptr ? std::strtoull(one, nullptr, 10) : 1;
  const std::uint64_t count = one != nullptr ? 1 : std::getenv("BLOOMERY_SOAK") != nullptr ? 2000 : 40;
  std::uint64_t scanned = 0, of_both = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Processes processes(seed, Mistake::nothing);
    EXPECT_EQ(processes.run(), "") << "BLOOMERY_SEED=" << seed;
    scanned += processes.scanned_keys(), of_both += processes.keys_of_both();
  }
  if (one != nullptr) return;
  EXPECT_GE(scanned, 10 * count);  // what is checked happens
  EXPECT_GE(of_both, 10 * count);
}

class PlantedInChanges : public testing::TestWithParam<Mistake> {};

TEST_P(PlantedInChanges, are_found) {
  std::string found;
  for (std::uint64_t seed = 1; seed <= 50 && found.empty(); ++seed) found = Processes(seed, GetParam()).run();
  RecordProperty("found", found);
  EXPECT_NE(found, "");
  EXPECT_NE(found, "the change did not come to its end");
}

INSTANTIATE_TEST_SUITE_P(Each, PlantedInChanges,
                         testing::Values(Mistake::feeds_one, Mistake::joins_late, Mistake::scans_too_little,
                                         Mistake::truth_comes_last));

}  // namespace
}  // namespace bloomery::replica::sim
