// Sites with a server each, and a bridge for each direction, that lose entries before those are forwarded.
#include <gtest/gtest.h>

#include <chrono>

#include "members.h"
#include "streams/names.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;
using testing::lineage_of_tests;
using testing::Member;
using testing::ReplicaStreams;
using testing::TestServer;

// Neither is whole, so that neither would write the checkpoint that the other waits for.
TEST_F(ReplicaStreams, SitesThatEachLackADeltaOfTheOtherComeTogetherAgain) {
  constexpr std::uint64_t kCount = 1000;
  TestServer second;
  TestServer* const servers[] = {server_.get(), &second};
  const std::string sites[] = {"a", "b"};
  std::vector<std::unique_ptr<replica::Bridge>> bridges;
  for (std::size_t i = 0; i < 2; ++i) {
    auto member = Member::make(*servers[i], i + 1, 1, {.site = sites[i]});
    ASSERT_TRUE(member.ok()) << member.error().to_string();
    members_.push_back(*std::move(member));
    auto bridge = replica::Bridge::connect({.from = servers[i]->address(),
                                            .to = servers[1 - i]->address(),
                                            .lineage = lineage_of_tests(),
                                            .from_site = sites[i],
                                            .name = sites[i]});
    ASSERT_TRUE(bridge.ok()) << bridge.error().to_string();
    bridges.push_back(*std::move(bridge));
  }
  const auto pump_members = [&] {
    for (const auto& member : members_) ASSERT_TRUE(member->streams->pump(milliseconds(0)).ok());
  };
  const auto carry = [&] {
    for (const auto& bridge : bridges) ASSERT_TRUE(bridge->pump(milliseconds(0)).ok());
    pump_members();
  };
  add(0, kCount / 4);  // each site has entries that its bridge has forwarded
  pump_members();
  carry();
  add(kCount / 4, kCount / 2);
  pump_members();
  const std::string stream = replica::Names(lineage_of_tests()).stream();
  for (TestServer* server : servers) server->run({"XTRIM", stream, "MAXLEN", "0"});
  add(kCount / 2, kCount);  // the delta behind the one that is missing
  pump_members();
  EXPECT_TRUE(testing::comes_true([&] {
    carry();
    return agree(kCount) && members_[0]->replica->whole() && members_[1]->replica->whole();
  }));
}

// It takes over what the other site has, and nobody says that this is all that it had.
TEST_F(ReplicaStreams, ACopyOfAnotherSiteMakesNobodyWholeWhoLostHisMemory) {
  constexpr std::uint64_t kCount = 1000;
  TestServer second;
  join(1, {.site = "a"});
  add(0, kCount);
  ASSERT_TRUE(members_[0]->streams->pump(milliseconds(0)).ok());
  ASSERT_TRUE(members_[0]->streams->checkpoint().ok());
  auto lost = Member::make(second, 2, 2, {.site = "b"});
  ASSERT_TRUE(lost.ok()) << lost.error().to_string();
  members_.push_back(*std::move(lost));
  auto bridge = replica::Bridge::connect({.from = server_->address(),
                                          .to = second.address(),
                                          .lineage = lineage_of_tests(),
                                          .from_site = "a",
                                          .name = "a"});
  ASSERT_TRUE(bridge.ok()) << bridge.error().to_string();
  EXPECT_TRUE(testing::comes_true([&] {
    EXPECT_TRUE((*bridge)->pump(milliseconds(0)).ok());
    for (const auto& member : members_) EXPECT_TRUE(member->streams->pump(milliseconds(0)).ok());
    return agree(kCount);
  }));
  EXPECT_FALSE(members_[1]->replica->whole());
}

// Behind the checkpoint, however often it is taken over, the stream has the same entry. Where the other site is gone
// for good, the way out of docs/operations/replicas.md is to delete the entry and to start again.
TEST_F(ReplicaStreams, ACopyThatIsGoneIsNotLookedForForEver) {
  join(1, {.site = "a"});
  add(0, 1000);
  Member& alone = *members_[0];
  ASSERT_TRUE(alone.streams->pump(milliseconds(0)).ok());
  ASSERT_TRUE(alone.streams->checkpoint().ok());
  const replica::Names names(lineage_of_tests());
  const std::string copy =
      server_->text({"XADD", names.stream(), "*", replica::kCopyField, "gone 1 100", replica::kSiteField, "b"});
  const auto lost = [&] { return alone.streams->stats().checkpoints_refused; };
  ASSERT_TRUE(testing::comes_true([&] { return alone.streams->pump(milliseconds(10)).ok() && lost() > 0; }));
  EXPECT_TRUE(testing::comes_true([&] {
    const std::uint64_t before = lost();
    const auto end = std::chrono::steady_clock::now() + milliseconds(3500);  // as long as three peers are waited for
    while (std::chrono::steady_clock::now() < end) EXPECT_TRUE(alone.streams->pump(milliseconds(100)).ok());
    return lost() == before;
  }));
  EXPECT_FALSE(alone.replica->whole());

  members_.clear();
  server_->run({"XDEL", names.stream(), copy});
  auto again = Member::make(*server_, 1, 2, {.site = "a"});
  ASSERT_TRUE(again.ok()) << again.error().to_string();
  members_.push_back(*std::move(again));
  EXPECT_TRUE(testing::comes_true([&] {
    return members_[0]->streams->pump(milliseconds(10)).ok() && members_[0]->replica->whole() && agree(1000);
  }));
  EXPECT_TRUE(members_[0]->streams->checkpoint().ok());
}

}  // namespace
}  // namespace bloomery
