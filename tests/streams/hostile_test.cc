// Streams and checkpoints that somebody has tampered with, caps that are reached.
#include <map>
#include <thread>

#include "members.h"
#include "streams/names.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;
using testing::comes_true;
using testing::kKeys;
using testing::lineage_of_tests;
using testing::Member;
using testing::ReplicaStreams;
using testing::TestServer;

const replica::Names kNames(lineage_of_tests());
const Secret kSecret(std::array<std::uint8_t, 16>{1, 2, 3});

class HostileStreams : public ReplicaStreams {
 protected:
  bool all_whole() const {
    return std::ranges::all_of(members_, [](const auto& member) { return member->replica->whole(); });
  }
  bool become_whole() {
    return comes_true([&] {
      for (const auto& member : members_) (void)member->streams->pump(milliseconds(0));
      return all_whole();
    });
  }
};

TEST_F(HostileStreams, ALostRangeIsRepairedOnceAndForAll) {
  join(2);
  add(0, 1000);
  ASSERT_TRUE(settles(1000));
  server_->run({"XTRIM", kNames.stream(), "MAXLEN", "0"});
  for (const auto& member : members_) ASSERT_TRUE(member->streams->pump(milliseconds(0)).ok());
  EXPECT_FALSE(all_whole());
  ASSERT_TRUE(become_whole());
  const std::uint64_t lost = members_[0]->streams->stats().lost_ranges;
  for (int i = 0; i < 50; ++i)
    for (const auto& member : members_) ASSERT_TRUE(member->streams->pump(milliseconds(0)).ok());
  EXPECT_TRUE(all_whole());
  EXPECT_EQ(members_[0]->streams->stats().lost_ranges, lost);
}

TEST_F(HostileStreams, EntriesThatAreNoMessagesAreCountedAndPassed) {
  join(2);
  const std::string stream = kNames.stream();
  server_->run({"XADD", stream, "*", "x", "y"});
  server_->run({"XADD", stream, "*", "m", "nonsense", "s", "main"});
  server_->run({"XADD", stream, "*", "m", std::string(100'000, '\x89'), "s", "main"});
  server_->run({"XADD", stream, "*", "c", "nonsense", "s", "main"});
  server_->run({"XADD", stream, "*", "c", "token 4000 1000000000000", "s", "main"});
  server_->run({"HSET", kNames.peers(), "77", "nonsense"});
  add(0, 1000);
  EXPECT_TRUE(settles(1000));
  EXPECT_EQ(failed_, 0u);
  EXPECT_GE(members_[0]->streams->stats().refused, 4u);
  EXPECT_TRUE(become_whole());
}

TEST_F(HostileStreams, ATwinIsRefused) {
  join(1);
  const auto twin = Member::make(*server_, 1, 1);
  ASSERT_FALSE(twin.ok());
  EXPECT_NE(twin.error().message.find("higher incarnation"), std::string::npos) << twin.error().message;
}

// A pointer that says that everything is covered would have others forget what nobody else has.
TEST_F(HostileStreams, AForgedPointerConfirmsNothing) {
  join(1, {.secret = kSecret});
  Member& member = *members_[0];
  for (std::uint64_t key = 0; key < 1000; ++key) member.replica->add(key);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(member.streams->pump(milliseconds(0)).ok());
  ASSERT_EQ(member.streams->stats().pending, 1u);
  ASSERT_TRUE(*member.streams->checkpoint());
  EXPECT_EQ(member.streams->stats().pending, 0u);
  member.replica->add(5000);
  ASSERT_TRUE(member.streams->pump(milliseconds(0)).ok());
  ASSERT_EQ(member.streams->stats().pending, 1u);
  server_->run({"HSET", kNames.checkpoint(), "covered", "1:1:1000000 "});
  std::this_thread::sleep_for(milliseconds(1100));  // until it looks again
  ASSERT_TRUE(member.streams->pump(milliseconds(0)).ok());
  EXPECT_EQ(member.streams->stats().pending, 1u);
  EXPECT_GT(member.streams->stats().checkpoints_refused, 0u);
  EXPECT_FALSE(Member::make(*server_, 2, 2, {.secret = kSecret}).ok());
}

TEST_F(HostileStreams, ACheckpointOfAnotherSecretIsRefused) {
  join(1);
  add(0, 100);
  ASSERT_TRUE(settles(100));
  ASSERT_TRUE(*members_[0]->streams->checkpoint());
  EXPECT_FALSE(Member::make(*server_, 2, 2, {.secret = kSecret}).ok());
}

TEST_F(HostileStreams, APeerThatIsGoneMakesNobodyStop) {
  const Member::With with = {.pending_cap = 20'000, .delta_keys = 100};
  join(2, with);
  add(0, 10);
  ASSERT_TRUE(settles(10));
  members_.pop_back();  // for good: it acknowledges nothing more
  Member& member = *members_[0];
  std::uint64_t most = 0;
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    member.replica->add(key);
    if (key % 1000 != 999) continue;
    for (int i = 0; i < 30; ++i) {
      ASSERT_TRUE(member.streams->pump(milliseconds(0)).ok());
      most = std::max(most, member.streams->stats().pending_bytes);
    }
  }
  EXPECT_LE(most, 20'000u + 2'000u);  // and a delta
  EXPECT_TRUE(comes_true([&] {
    EXPECT_TRUE(member.streams->pump(milliseconds(0)).ok());
    return member.streams->stats().confirmed >= member.replica->sequence();
  }));
  EXPECT_GT(member.streams->stats().checkpoints, 0u);
  auto newcomer = Member::make(*server_, 3, 2, with);
  ASSERT_TRUE(newcomer.ok()) << newcomer.error().to_string();
  members_.push_back(*std::move(newcomer));
  EXPECT_TRUE(settles(kKeys));
}

// The repair that is due now and then waits for a peer that has gone.
TEST_F(HostileStreams, APeerThatIsGoneKeepsNobodyFromBeingWhole) {
  join(2, {.repair_every = milliseconds(10)});
  add(0, 10);
  ASSERT_TRUE(settles(10));
  members_.pop_back();
  Member& member = *members_[0];
  const std::uint64_t asked = member.streams->stats().repairs_asked;
  ASSERT_TRUE(comes_true([&] {
    EXPECT_TRUE(member.streams->pump(milliseconds(0)).ok());
    return member.streams->stats().repairs_asked > asked;
  }));
  EXPECT_TRUE(become_whole());
}

TEST_F(HostileStreams, AStreamKeepsItsCap) {
  constexpr std::uint64_t kCap = 40;
  join(2, {.stream_cap = kCap, .delta_keys = 50});
  std::uint64_t longest = 0;
  for (std::uint64_t first = 0; first < 10'000; first += 1000) {
    add(first, first + 1000);
    for (int i = 0; i < 5; ++i)
      for (const auto& member : members_) {
        ASSERT_TRUE(member->streams->pump(milliseconds(0)).ok());
        longest = std::max<std::uint64_t>(longest, std::stoull(server_->text({"XLEN", kNames.stream()})));
      }
  }
  EXPECT_LE(longest, kCap + 4);
  EXPECT_GE(longest, kCap);
  EXPECT_TRUE(settles(10'000));
}

TEST_F(HostileStreams, ABridgeThatIsBehindIsNotWaitedForAtTheCap) {
  TestServer second;
  join(1, {.stream_cap = 30, .delta_keys = 10});
  auto other = Member::make(second, 2, 1, {.site = "b"});
  ASSERT_TRUE(other.ok());
  auto bridge = replica::Bridge::connect({server_->address(), second.address(), lineage_of_tests(), "main", "x"});
  ASSERT_TRUE(bridge.ok()) << bridge.error().to_string();
  EXPECT_EQ(server_->text({"HGET", kNames.bridges(), "x"}), "0-0");
  Member& member = *members_[0];
  for (std::uint64_t key = 0; key < 1000; ++key) member.replica->add(key);
  const auto mark = [&] { return server_->text({"HGET", kNames.bridges(), "x"}); };
  ASSERT_TRUE(comes_true([&] {
    EXPECT_TRUE(member.streams->pump(milliseconds(0)).ok());
    return mark() == "behind";
  }));
  members_.push_back(*std::move(other));
  EXPECT_TRUE(comes_true([&] {
    EXPECT_TRUE((*bridge)->pump(milliseconds(0)).ok());
    for (const auto& one : members_) EXPECT_TRUE(one->streams->pump(milliseconds(0)).ok());
    return agree(1000);
  }));
  EXPECT_GT((*bridge)->stats().copied, 0u);
}

// The stream was trimmed long before there was a bridge.
TEST_F(HostileStreams, ANewBridgeTakesTheCheckpointAlong) {
  TestServer second;
  join(1);
  auto other = Member::make(second, 2, 1, {.site = "b"});
  ASSERT_TRUE(other.ok());
  members_.push_back(*std::move(other));
  Member& first = *members_[0];
  for (std::uint64_t key = 0; key < 1000; ++key) first.replica->add(key);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(first.streams->pump(milliseconds(0)).ok());
  ASSERT_TRUE(*first.streams->checkpoint());
  server_->run({"XTRIM", kNames.stream(), "MAXLEN", "0"});
  auto bridge = replica::Bridge::connect({server_->address(), second.address(), lineage_of_tests(), "main", "x"});
  ASSERT_TRUE(bridge.ok()) << bridge.error().to_string();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE((*bridge)->pump(milliseconds(0)).ok());
    for (const auto& member : members_) ASSERT_TRUE(member->streams->pump(milliseconds(0)).ok());
  }
  EXPECT_TRUE(agree(1000));
  EXPECT_EQ((*bridge)->stats().copied, 1u);  // and not once a pump
}

class MapStore final : public replica::CheckpointStore {
 public:
  Status put(const std::string& name, std::span<const std::uint8_t> bytes) override {
    all[name].assign(bytes.begin(), bytes.end());
    return {};
  }
  Result<std::optional<replica::Bytes>> get(const std::string& name) override {
    const auto at = all.find(name);
    return at == all.end() ? std::optional<replica::Bytes>() : std::optional(at->second);
  }
  Status remove(const std::string& name) override { return all.erase(name), Status(); }

  std::map<std::string, replica::Bytes> all;
};

TEST_F(HostileStreams, CheckpointsMayLieInAStoreOfTheUsers) {
  MapStore store;
  join(1, {.store = &store});
  for (std::uint64_t round = 0; round < 4; ++round) {
    add(1000 * round, 1000 * (round + 1));
    ASSERT_TRUE(settles(1000 * (round + 1)));
    ASSERT_TRUE(*members_[0]->streams->checkpoint());
  }
  EXPECT_EQ(store.all.size(), 2u);  // the newest, and the one before
  auto newcomer = Member::make(*server_, 2, 2, {.store = &store});
  ASSERT_TRUE(newcomer.ok()) << newcomer.error().to_string();
  for (std::uint64_t key = 0; key < 4000; ++key) ASSERT_TRUE((*newcomer)->replica->contains(key)) << key;
  EXPECT_FALSE(Member::make(*server_, 3, 2).ok());  // without the store
}

}  // namespace
}  // namespace bloomery
