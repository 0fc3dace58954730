// Another size over a real server: two lineages side by side, both fed, and the switch.
#include "bloomery/replica/lineage_change.h"

#include <gtest/gtest.h>

#include "members.h"

namespace bloomery {
namespace {

using replica::LineageChange;
using replica::StreamOptions;
using replica::Streams;
using std::chrono::milliseconds;
using testing::comes_true;
using testing::ReplicaStreams;

using One = replica::ReplicaOf<BlockFilter>;

constexpr std::uint64_t kBefore = 2000, kDuring = 4000, kAfter = 6000;  // keys by then

// A process: the replicas that it has, each with its transport.
struct Process {
  std::unique_ptr<LineageChange<BlockFilter>> change;
  std::vector<std::unique_ptr<Streams>> streams;
};

class Lineages : public ReplicaStreams {
 protected:
  static std::shared_ptr<One> replica_of(std::uint8_t lineage, std::uint64_t origin, std::uint64_t n) {
    replica::ReplicaOptions options;
    options.lineage.bytes.fill(lineage);
    options.origin = origin;
    options.incarnation = 1;
    options.start = replica::Start::new_lineage;
    return *One::make(*Shared<BlockFilter>::with_capacity(n, 1e-6), options);
  }
  void connect(Process& process, One& replica) {
    StreamOptions options;
    options.server = server_->address();
    options.peer_timeout = milliseconds(100);
    auto streams = Streams::connect(replica, options);
    ASSERT_TRUE(streams.ok()) << streams.error().to_string();
    process.streams.push_back(*std::move(streams));
  }
  void pump() {
    for (Process& process : processes_)
      for (const auto& streams : process.streams) ASSERT_TRUE(streams->pump(milliseconds(0)).ok());
  }
  // Whether the condition comes to hold of all processes while they pump.
  template <class Holds>
  bool all_come_to(Holds holds) {
    return comes_true([&] {
      pump();
      return std::ranges::all_of(processes_, holds);
    });
  }
  // As a process takes an event: the truth first.
  void add(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t key = first; key < last; ++key) {
      truth_.push_back(key);
      processes_[key % processes_.size()].change->add(key);
    }
  }
  bool has_all(const Process& process) const {
    return std::ranges::all_of(truth_, [&](std::uint64_t key) { return process.change->contains(key); });
  }

  std::vector<Process> processes_{3};
  std::vector<std::uint64_t> truth_;
};

TEST_F(Lineages, AFilterMovesToAnotherSizeUnderTraffic) {
  for (std::uint64_t i = 0; i < processes_.size(); ++i) {
    processes_[i].change = *LineageChange<BlockFilter>::make(replica_of(1, i + 1, kBefore));
    connect(processes_[i], *processes_[i].change->hold().now);
  }
  add(0, kBefore);
  ASSERT_TRUE(all_come_to([&](const Process& one) { return has_all(one); }));

  Process& scanner = processes_[0];
  ASSERT_TRUE(scanner.change->join(replica_of(2, 1, 4 * kAfter)).ok());
  connect(scanner, *scanner.change->hold().next);
  pump();
  EXPECT_FALSE(scanner.change->begin_scan().ok());  // the others feed the first one alone
  for (std::uint64_t i = 1; i < processes_.size(); ++i) {
    ASSERT_TRUE(processes_[i].change->join(replica_of(2, i + 1, 4 * kAfter)).ok());
    connect(processes_[i], *processes_[i].change->hold().next);
  }
  add(kBefore, kDuring);
  ASSERT_TRUE(all_come_to([](const Process& one) { return one.change->missing().empty(); }));

  ASSERT_TRUE(scanner.change->begin_scan().ok());
  const auto ticket = scanner.change->feed(truth_);
  ASSERT_TRUE(ticket.ok()) << ticket.error().to_string();
  ASSERT_TRUE(comes_true([&] {
    pump();
    return scanner.change->fed(*ticket);
  }));
  ASSERT_TRUE(all_come_to([](Process& one) { return one.change->switch_over().ok(); }));
  for (const Process& one : processes_) EXPECT_TRUE(has_all(one));

  add(kDuring, kAfter);  // to both still: somebody may not have switched
  ASSERT_TRUE(all_come_to([&](const Process& one) { return has_all(one); }));
  for (Process& one : processes_) {
    const auto left = one.change->leave();
    ASSERT_TRUE(left.ok()) << left.error().to_string();
    EXPECT_TRUE(std::ranges::all_of(truth_, [&](std::uint64_t key) { return (*left)->contains(key); }));
    one.streams.erase(one.streams.begin());
    EXPECT_GT(one.change->hold().now->filter().bytes(), (*left)->filter().bytes());
  }
  add(kAfter, kAfter + 100);
  EXPECT_TRUE(all_come_to([&](const Process& one) { return has_all(one); }));
}

}  // namespace
}  // namespace bloomery
