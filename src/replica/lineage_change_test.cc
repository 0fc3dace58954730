#include "bloomery/replica/lineage_change.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "bloomery/bloomery.h"

namespace bloomery::replica {
namespace {

using Change = LineageChange<SplitFilter>;
using One = ReplicaOf<SplitFilter>;

std::shared_ptr<One> replica_of(std::uint8_t lineage, std::uint64_t origin, std::uint64_t n = 1000) {
  ReplicaOptions options;
  options.lineage.bytes[0] = lineage;
  options.origin = origin;
  options.incarnation = 1;
  options.start = Start::new_lineage;
  options.log = {16, 1 << 14};
  return *One::make(*Shared<SplitFilter>::with_capacity(n, 1e-4), options);
}

// All that the one has made goes to the other, and the acknowledgement back.
void carry_all(Replica& from, Replica& to) {
  while (const auto delta = *from.take_delta()) EXPECT_TRUE(to.receive(*delta).ok());
  EXPECT_TRUE(from.receive(*to.acknowledgement()).ok());
}

TEST(LineageChange, adds_go_to_both_and_lookups_ask_the_first_until_the_switch) {
  const auto first = replica_of(1, 7), second = replica_of(2, 7, 4000);
  const auto change = *Change::make(first);
  EXPECT_TRUE(change->add(1));
  ASSERT_TRUE(change->join(second).ok());
  EXPECT_TRUE(change->add(2));
  EXPECT_TRUE(first->contains(2) && second->contains(2));
  EXPECT_TRUE(change->contains(1) && !second->contains(1));
  EXPECT_EQ(change->feed(std::vector<int>{1}).error().field, "scan");
  ASSERT_TRUE(change->begin_scan().ok());
  EXPECT_EQ(change->feed(std::vector<int>{}).error().field, "keys");
  ASSERT_TRUE(change->feed(std::vector<int>{1, 2}).ok());
  EXPECT_FALSE(first->stats().deltas_made != 0);
  EXPECT_EQ(change->leave().error().field, "lineage");
  ASSERT_TRUE(change->switch_over().ok());
  EXPECT_TRUE(change->contains(1) && change->contains(2));
  EXPECT_TRUE(change->add(3));
  EXPECT_TRUE(first->contains(3) && second->contains(3));
  EXPECT_EQ(*change->leave(), first);
  change->add(4);
  EXPECT_TRUE(change->contains(4) && !first->contains(4));
  ASSERT_TRUE(change->join(replica_of(3, 7)).ok());  // and the next change
}

TEST(LineageChange, what_would_lose_keys_is_refused) {
  EXPECT_EQ(Change::make(nullptr).error().field, "replica");
  const auto first = replica_of(1, 7), peer = replica_of(1, 8), peer_second = replica_of(2, 8);
  const auto change = *Change::make(first);
  EXPECT_EQ(change->begin_scan().error().field, "lineage");
  EXPECT_EQ(change->switch_over().error().field, "lineage");
  EXPECT_EQ(change->leave().error().field, "lineage");
  EXPECT_EQ(change->join(nullptr).error().field, "replica");
  EXPECT_EQ(change->join(replica_of(1, 7)).error().field, "lineage");
  EXPECT_EQ(change->join(replica_of(2, 8)).error().field, "origin");
  const auto spoken = replica_of(2, 7);
  ASSERT_TRUE(spoken->receive(*peer_second->hello()).ok());
  EXPECT_EQ(change->join(spoken).error().field, "replica");

  for (const auto& speak : {+[](const One& one) { return one.hello(); }, +[](const One& one) { return one.member(); },
                            +[](const One& one) { return one.acknowledgement(); }}) {
    const auto speaker = replica_of(2, 7);
    ASSERT_TRUE(speaker->configure({1, 2, 1, {7, 8}}).ok());
    ASSERT_TRUE(speak(*speaker).ok());
    const Status joined = change->join(speaker);
    ASSERT_FALSE(joined.ok());
    EXPECT_EQ(joined.error().field, "replica");
  }

  ASSERT_TRUE(first->receive(*peer->hello()).ok());
  const auto second = replica_of(2, 7);
  ASSERT_TRUE(change->join(second).ok());
  EXPECT_EQ(change->join(replica_of(3, 7)).error().field, "lineage");
  EXPECT_EQ(change->missing(), std::vector<std::uint64_t>{8});
  EXPECT_EQ(change->begin_scan().error().field, "members");
  EXPECT_EQ(change->switch_over().error().field, "members");
  const std::vector<std::uint64_t> gone = {8};
  EXPECT_TRUE(change->begin_scan(gone).ok());
  ASSERT_TRUE(second->receive(*peer_second->hello()).ok());
  EXPECT_TRUE(change->missing().empty());
  second->fell_behind();
  EXPECT_EQ(change->switch_over().error().field, "whole");
}

TEST(LineageChange, fed_means_that_everybody_has_it) {
  const auto first = replica_of(1, 7), second = replica_of(2, 7), peer = replica_of(2, 8);
  const auto change = *Change::make(first);
  ASSERT_TRUE(change->join(second).ok());
  ASSERT_TRUE(second->receive(*peer->hello()).ok());
  ASSERT_TRUE(change->begin_scan().ok());
  const Ticket ticket = *change->feed(std::vector<int>{1, 2, 3});
  EXPECT_FALSE(change->fed(ticket));
  carry_all(*second, *peer);
  EXPECT_TRUE(change->fed(ticket));
  EXPECT_TRUE(peer->contains(3));
}

// A thread of the same process has set the bits of a key and is held up before it logs it.
TEST(LineageChange, fed_means_that_everybody_has_what_another_thread_had_added_too) {
  const auto first = replica_of(1, 7), second = replica_of(2, 7), peer = replica_of(2, 8);
  const auto change = *Change::make(first);
  ASSERT_TRUE(change->join(second).ok());
  ASSERT_TRUE(second->receive(*peer->hello()).ok());
  ASSERT_TRUE(change->begin_scan().ok());
  const_cast<Shared<SplitFilter>&>(second->filter()).add(2);
  const Ticket ticket = *change->feed(std::vector<int>{1, 2, 3});
  carry_all(*second, *peer);
  EXPECT_TRUE(change->fed(ticket));
  EXPECT_TRUE(peer->contains(1) && peer->contains(2) && peer->contains(3));
}

TEST(LineageChange, an_add_waits_for_both_lineages_and_votes_are_by_lineage) {
  const auto first = replica_of(1, 7), second = replica_of(2, 7);
  const auto peer = replica_of(1, 8), peer_second = replica_of(2, 8);
  const Configuration two{1, 2, 1, {7, 8}};
  for (const auto& one : {first, second, peer, peer_second}) ASSERT_TRUE(one->configure(two).ok());
  const auto change = *Change::make(first);
  ASSERT_TRUE(change->join(second).ok());
  EXPECT_EQ(change->missing(), std::vector<std::uint64_t>{8});  // a member, though it was never heard
  int calls = 0;
  const auto first_alone = [&] { return carry_all(*first, *peer), ++calls < 3; };
  const Acknowledged half = change->add_and_wait(5, first_alone);
  EXPECT_FALSE(half.enough);
  EXPECT_EQ(half.missing, std::vector<std::uint64_t>{8});
  EXPECT_EQ(half.by, std::vector<std::uint64_t>{7});
  EXPECT_TRUE(
      change->add_and_wait(6, [&] { return carry_all(*first, *peer), carry_all(*second, *peer_second), true; }).enough);
  EXPECT_TRUE(peer->contains(6) && peer_second->contains(6));
  EXPECT_FALSE(change->vote(first->options().lineage, 99).maybe);
  EXPECT_FALSE(change->vote(second->options().lineage, 99).maybe);
  EXPECT_TRUE(change->vote(Lineage{}, 99).maybe);
}

// Everybody finds his own keys while the lineages change under him.
TEST(LineageChange, threads_add_and_ask_meanwhile) {
  const auto change = *Change::make(replica_of(1, 7, 100'000));
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> denied{0}, rounds{0};
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; !stop.load() || i == 0; ++i, ++rounds) {
        const std::uint64_t key = (t << 32) + i % 1000;
        change->add(key);
        if (!change->contains(key)) ++denied;
      }
    });
  std::vector<std::uint64_t> truth;
  for (std::uint64_t t = 0; t < 3; ++t)
    for (std::uint64_t i = 0; i < 1000; ++i) truth.push_back((t << 32) + i);
  for (std::uint8_t lineage = 2; lineage < 12; ++lineage) {
    EXPECT_TRUE(change->join(replica_of(lineage, 7, 100'000)).ok());
    EXPECT_TRUE(change->begin_scan().ok());
    EXPECT_TRUE(change->feed(truth).ok());
    EXPECT_TRUE(change->switch_over().ok());
    EXPECT_TRUE(change->leave().ok());
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(denied.load(), 0u);
  EXPECT_GE(rounds.load(), 3u);
}

}  // namespace
}  // namespace bloomery::replica
