// Replicas that meet in the stream of a real server.
#include "bloomery/replica_streams.h"

#include <gtest/gtest.h>

#include "members.h"
#include "streams/names.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;
using testing::kKeys;
using testing::lineage_of_tests;
using testing::Member;
using testing::ReplicaStreams;
using testing::TestServer;

TEST_F(ReplicaStreams, LearnWhatTheOthersAdded) {
  join(3);
  add(0, kKeys);
  EXPECT_TRUE(settles(kKeys));
  EXPECT_EQ(failed_, 0u);
}

TEST_F(ReplicaStreams, SurviveAServerThatIsKilledWhileTheyAdd) {
  join(3);
  for (std::uint64_t first = 0; first < kKeys; first += kKeys / 4) {
    add(first, first + kKeys / 4);
    for (const auto& member : members_) failed_ += !member->streams->pump(milliseconds(0)).ok();
    server_->kill();
    for (const auto& member : members_) EXPECT_FALSE(member->streams->pump(milliseconds(0)).ok());
    server_->start();
  }
  EXPECT_TRUE(settles(kKeys));
}

TEST_F(ReplicaStreams, SurviveAServerThatComesBackEmpty) {
  join(3);
  add(0, kKeys / 2);
  for (const auto& member : members_) ASSERT_TRUE(member->streams->pump(milliseconds(0)).ok());
  server_->kill();
  server_->lose_everything();
  server_->start();
  add(kKeys / 2, kKeys);
  EXPECT_TRUE(settles(kKeys));
}

TEST_F(ReplicaStreams, SurviveAStreamThatIsTrimmedBehindTheirBacks) {
  join(3);
  add(0, kKeys / 2);
  ASSERT_TRUE(settles(kKeys / 2));
  for (std::uint64_t key = kKeys / 2; key < kKeys; ++key) members_[0]->replica->add(key);
  ASSERT_TRUE(members_[0]->streams->pump(milliseconds(0)).ok());
  server_->run({"XTRIM", replica::Names(lineage_of_tests()).stream(), "MAXLEN", "0"});
  EXPECT_TRUE(settles(kKeys));
  EXPECT_GT(members_[1]->streams->stats().lost_ranges, 0u);
}

TEST_F(ReplicaStreams, NewcomersStartFromTheCheckpoint) {
  join(2);
  add(0, kKeys / 2);
  ASSERT_TRUE(settles(kKeys / 2));
  ASSERT_TRUE(*members_[0]->streams->checkpoint());
  add(kKeys / 2, kKeys);
  ASSERT_TRUE(settles(kKeys));
  ASSERT_TRUE(*members_[1]->streams->checkpoint());  // the stream now lacks what the first one holds
  auto newcomer = Member::make(*server_, 3, 2);
  ASSERT_TRUE(newcomer.ok()) << newcomer.error().to_string();
  for (std::uint64_t key = 0; key < kKeys; ++key) ASSERT_TRUE((*newcomer)->replica->contains(key)) << key;
  members_.push_back(*std::move(newcomer));
  EXPECT_TRUE(settles(kKeys));
}

TEST_F(ReplicaStreams, OfTwoCheckpointsAtOncePlaceOneCounts) {
  join(2);
  add(0, kKeys);
  ASSERT_TRUE(settles(kKeys));
  for (int i = 0; i < 10; ++i)
    for (const auto& member : members_) ASSERT_TRUE(member->streams->pump(milliseconds(0)).ok());
  const Result<bool> first = members_[0]->streams->checkpoint(), second = members_[1]->streams->checkpoint();
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_TRUE(*first);
  EXPECT_FALSE(*second);  // at the same entry: no further
}

TEST_F(ReplicaStreams, RefuseACheckpointOfAnotherSize) {
  join(1);
  add(0, 100);
  ASSERT_TRUE(settles(100));
  ASSERT_TRUE(*members_[0]->streams->checkpoint());
  const auto other = Member::make(*server_, 2, 2, {.n = 3 * kKeys});
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().message.find("another kind, size or hash"), std::string::npos) << other.error().message;
}

TEST_F(ReplicaStreams, RefuseACheckpointThatIsDamaged) {
  join(1);
  add(0, 100);
  ASSERT_TRUE(settles(100));
  ASSERT_TRUE(*members_[0]->streams->checkpoint());
  auto connection = replica::Connection::open(server_->address());
  ASSERT_TRUE(connection.ok());
  const replica::Names names(lineage_of_tests());
  auto token = connection->run({"HGET", names.checkpoint(), "token"});
  ASSERT_TRUE(token.ok());
  server_->run({"SETRANGE", names.part(std::string(token->text()), 0), "1000", "x"});
  const auto other = Member::make(*server_, 2, 2);
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().message.find("damaged"), std::string::npos) << other.error().message;
}

TEST_F(ReplicaStreams, RefuseAServerThatEvicts) {
  server_->run({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"});
  const auto member = Member::make(*server_, 1);
  ASSERT_FALSE(member.ok());
  EXPECT_NE(member.error().message.find("noeviction"), std::string::npos) << member.error().message;
}

// Sites A, B and C with a server each, a bridge for each ordered pair.
TEST_F(ReplicaStreams, BridgesJoinSitesWithoutEchoes) {
  constexpr std::size_t kSites = 3;
  TestServer second, third;
  const TestServer* servers[kSites] = {server_.get(), &second, &third};
  const std::string sites[kSites] = {"a", "b", "c"};
  for (std::size_t i = 0; i < 2 * kSites; ++i) {
    auto member = Member::make(*servers[i / 2], i + 1, 1, {.site = sites[i / 2]});
    ASSERT_TRUE(member.ok()) << member.error().to_string();
    members_.push_back(*std::move(member));
  }
  std::vector<std::unique_ptr<replica::Bridge>> bridges;
  for (std::size_t from = 0; from < kSites; ++from)
    for (std::size_t to = 0; to < kSites; ++to) {
      if (from == to) continue;
      auto bridge = replica::Bridge::connect({servers[from]->address(), servers[to]->address(), lineage_of_tests(),
                                              sites[from], sites[from] + " to " + sites[to]});
      ASSERT_TRUE(bridge.ok()) << bridge.error().to_string();
      bridges.push_back(*std::move(bridge));
    }
  const auto carry = [&](int rounds) {
    for (int i = 0; i < rounds; ++i) {
      for (const auto& bridge : bridges) ASSERT_TRUE(bridge->pump(milliseconds(0)).ok());
      for (const auto& member : members_) ASSERT_TRUE(member->streams->pump(milliseconds(0)).ok());
    }
  };
  const auto forwarded = [&] {
    std::uint64_t sum = 0;
    for (const auto& bridge : bridges) sum += bridge->stats().forwarded;
    return sum;
  };
  add(0, kKeys);
  EXPECT_TRUE(testing::comes_true([&] {
    const std::uint64_t before = forwarded();
    carry(20);
    return agree(kKeys) && forwarded() == before;  // it comes to rest: nothing goes round
  }));
}

// The bridge comes too late for what was trimmed, and takes the checkpoint along.
TEST_F(ReplicaStreams, ABridgeClosesAGapByTheCheckpoint) {
  TestServer second;
  join(1);
  auto other = Member::make(second, 2, 1, {.site = "b"});
  ASSERT_TRUE(other.ok()) << other.error().to_string();
  members_.push_back(*std::move(other));
  const replica::BridgeOptions options = {server_->address(), second.address(), lineage_of_tests(), "main",
                                          "main to b"};
  auto bridge = replica::Bridge::connect(options);
  ASSERT_TRUE(bridge.ok());
  Member& first = *members_[0];
  for (std::uint64_t key = 0; key < 10; ++key) first.replica->add(key);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(first.streams->pump(milliseconds(0)).ok());
  ASSERT_TRUE((*bridge)->pump(milliseconds(0)).ok());
  for (std::uint64_t key = 10; key < kKeys; ++key) first.replica->add(key);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(first.streams->pump(milliseconds(0)).ok());
  ASSERT_TRUE(*first.streams->checkpoint());
  server_->run({"XTRIM", replica::Names(lineage_of_tests()).stream(), "MAXLEN", "1"});
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE((*bridge)->pump(milliseconds(0)).ok());
    for (const auto& member : members_) ASSERT_TRUE(member->streams->pump(milliseconds(0)).ok());
  }
  EXPECT_EQ((*bridge)->stats().copied, 1u);
  EXPECT_TRUE(agree(kKeys));
}

TEST(StreamServer, ParsesAddresses) {
  const auto server = replica::StreamServer::parse("redis://reader@db.example:7000/3");
  ASSERT_TRUE(server.ok());
  EXPECT_EQ(server->user, "reader");
  EXPECT_EQ(server->host, "db.example");
  EXPECT_EQ(server->port, 7000);
  EXPECT_EQ(server->database, 3u);
  EXPECT_EQ(replica::StreamServer::parse("redis://[::1]:7000")->host, "::1");
  EXPECT_EQ(replica::StreamServer::parse("redis://localhost")->port, 6379);
  for (const char* wrong : {"", "localhost", "redis://", "redis://me:secret@host", "redis://host:0",
                            "redis://host:70000", "redis://host:x", "redis://host/x"})
    EXPECT_FALSE(replica::StreamServer::parse(wrong).ok()) << wrong;
}

}  // namespace
}  // namespace bloomery
