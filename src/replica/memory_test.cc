// Members that lose their memory, step by step: whose "no" counts again, and whose acknowledgement still does.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "bloomery/bloomery.h"
#include "bloomery/replica/quorum.h"
#include "replica/carry.h"

namespace bloomery::replica {
namespace {

using MemberReplica = ReplicaOf<BlockFilter>;

// Five members, of which an add and a "no" need three. They have heard each other.
class LostMemory : public testing::Test {
 protected:
  LostMemory() {
    for (const std::uint64_t origin : kFive.members) {
      members_[origin] = start(origin, 1, Start::new_lineage);
      EXPECT_TRUE(members_[origin]->configure(kFive).ok());
    }
    for (const std::uint64_t origin : kFive.members) hello_of(origin, kFive.members);
  }

  static std::unique_ptr<MemberReplica> start(std::uint64_t origin, std::uint64_t incarnation, Start start) {
    ReplicaOptions options;
    options.lineage.bytes[0] = 7;
    options.origin = origin;
    options.incarnation = incarnation;
    options.start = start;
    options.log = {1, 1024};
    return *MemberReplica::make(*Shared<BlockFilter>::with_capacity(20'000, 0.001), options);
  }
  MemberReplica& at(std::uint64_t origin) { return *members_.at(origin); }

  void hello_of(std::uint64_t origin, const std::vector<std::uint64_t>& others) {
    for (const std::uint64_t other : others) {
      if (other == origin) continue;
      EXPECT_TRUE(at(other).receive(*at(origin).hello()).ok());
    }
  }
  // The member comes back without its memory; nobody knows of that yet.
  void lose(std::uint64_t origin) {
    const std::uint64_t incarnation = at(origin).options().incarnation + 1;
    members_[origin] = start(origin, incarnation, Start::lost);
  }
  // Adds a key at the first member. The delta goes to `to`, and their acknowledgements come back.
  Ticket add(const char* key, const std::vector<std::uint64_t>& to) {
    const Ticket ticket = at(1).add_logged(key);
    delta_ = **at(1).take_delta();
    for (const std::uint64_t origin : to) deliver(origin);
    return ticket;
  }
  void deliver(std::uint64_t origin) {
    EXPECT_TRUE(at(origin).receive(delta_).ok());
    acknowledge(origin);
  }
  void acknowledge(std::uint64_t origin) { EXPECT_TRUE(at(1).receive(*at(origin).acknowledgement()).ok()); }
  // Whether a reader that hears these alone finds the key.
  bool found(const char* key, const std::vector<std::uint64_t>& by) {
    QuorumReader reader(kFive);
    for (const std::uint64_t origin : by)
      reader.ask(origin, [this, origin](Hash hash) -> std::optional<Vote> { return at(origin).vote(hash); });
    return reader.contains(hash_key(at(1).filter().hasher(), key));
  }

  const Configuration kFive{1, 3, 3, {1, 2, 3, 4, 5}};
  std::map<std::uint64_t, std::unique_ptr<MemberReplica>> members_;
  Bytes delta_;  // the last one of the first member
};

// Without members one whole peer brings memory back. It is not enough once they are named.
TEST_F(LostMemory, what_was_brought_back_before_the_members_were_known_is_judged_by_them) {
  EXPECT_TRUE(at(1).acknowledged(add("key", {2, 3})).enough);
  lose(2);
  EXPECT_TRUE(repair(at(2), at(4)));
  EXPECT_TRUE(at(2).whole());
  ASSERT_TRUE(at(2).configure(kFive).ok());
  EXPECT_FALSE(at(2).votes());
  EXPECT_TRUE(at(2).needs_repair());
  EXPECT_TRUE(found("key", {2, 4, 5}));
  EXPECT_TRUE(repair(at(2), at(5)) && repair(at(2), at(3)));
  EXPECT_TRUE(at(2).votes());
  EXPECT_TRUE(at(2).contains("key"));
}

TEST_F(LostMemory, an_older_checkpoint_brings_no_vote_back_whenever_the_members_are_named) {
  const auto checkpoint = *at(4).snapshot();
  EXPECT_TRUE(at(1).acknowledged(add("key", {2, 3})).enough);
  for (const bool named_first : {false, true}) {
    lose(2);
    if (named_first) {
      ASSERT_TRUE(at(2).configure(kFive).ok());
    }
    ASSERT_TRUE(at(2).restore(checkpoint).ok());
    EXPECT_EQ(at(2).votes(), !named_first);
    ASSERT_TRUE(at(2).configure(kFive).ok());
    EXPECT_FALSE(at(2).votes());
    EXPECT_TRUE(found("key", {2, 4, 5}));
  }
}

// Members may come by a message as well.
TEST_F(LostMemory, members_that_are_heard_of_judge_as_those_that_are_named) {
  lose(2);
  EXPECT_TRUE(repair(at(2), at(4)));
  EXPECT_TRUE(at(2).votes());
  ASSERT_TRUE(at(2).receive(*at(5).member()).ok());
  EXPECT_FALSE(at(2).votes());
}

// Two members lose their memory. One is brought back by one repair while it knows of no members: it is no source by
// which the other one counts.
TEST_F(LostMemory, a_source_that_knows_of_no_members_does_not_count) {
  lose(3);
  EXPECT_TRUE(repair(at(3), at(4)));
  EXPECT_TRUE(at(3).votes());
  lose(2);
  ASSERT_TRUE(at(2).configure(kFive).ok());
  for (const std::uint64_t source : {3u, 4u, 5u}) EXPECT_TRUE(repair(at(2), at(source)));
  EXPECT_FALSE(at(2).votes());
  EXPECT_TRUE(repair(at(2), at(1)));
  EXPECT_TRUE(at(2).votes());
}

// 2 acknowledges, loses its memory, and is repaired against three others that have not got the key.
TEST_F(LostMemory, an_acknowledgement_ends_with_the_memory_it_was_given_for) {
  const Ticket ticket = add("key", {2});
  lose(2);
  ASSERT_TRUE(at(2).configure(kFive).ok());
  hello_of(2, {1, 3, 4, 5});
  for (const std::uint64_t source : {3u, 4u, 5u}) EXPECT_TRUE(repair(at(2), at(source)));
  EXPECT_TRUE(at(2).votes());
  deliver(3);
  EXPECT_EQ(at(1).acknowledged(ticket).by, (std::vector<std::uint64_t>{1, 3}));
  deliver(2);
  acknowledge(3);  // after it has heard of the second start of 2, which 1 knows
  EXPECT_TRUE(at(1).acknowledged(ticket).enough);
  EXPECT_TRUE(found("key", {2, 4, 5}));
}

// The same, and 1 hears nothing of 2: the acknowledgement of 3 tells it. One of 2 that comes late is none.
TEST_F(LostMemory, an_acknowledgement_tells_whose_memory_may_have_ended) {
  for (const bool late : {false, true}) {
    const Ticket ticket = add(late ? "late" : "key", {});
    EXPECT_TRUE(at(2).receive(delta_).ok());
    const Bytes old = *at(2).acknowledgement();
    if (!late) {
      ASSERT_TRUE(at(1).receive(old).ok());
    }
    lose(2);
    ASSERT_TRUE(at(2).configure(kFive).ok());
    for (const std::uint64_t source : {3u, 4u, 5u}) EXPECT_TRUE(repair(at(2), at(source)));
    EXPECT_TRUE(at(2).votes());
    deliver(3);
    ASSERT_TRUE(at(1).receive(old).ok());
    EXPECT_EQ(at(1).acknowledged(ticket).by, (std::vector<std::uint64_t>{1, 3}));
    EXPECT_FALSE(found(late ? "late" : "key", {2, 4, 5}));  // no add has returned
  }
}

// 3 forgets that it was a source of 2 before it acknowledges.
TEST_F(LostMemory, sources_that_lose_their_memory_as_well_make_no_add_return_too_early) {
  const Ticket ticket = add("key", {2});
  lose(2);
  ASSERT_TRUE(at(2).configure(kFive).ok());
  for (const std::uint64_t source : {3u, 4u, 5u}) EXPECT_TRUE(repair(at(2), at(source)));
  EXPECT_TRUE(at(2).votes());
  lose(3);
  ASSERT_TRUE(at(3).configure(kFive).ok());
  deliver(3);
  EXPECT_FALSE(at(1).acknowledged(ticket).enough);  // 2 knew nothing of the second start of 3
  EXPECT_FALSE(found("key", {2, 4, 5}));
  hello_of(2, {1, 3});
  deliver(4);
  acknowledge(3);
  EXPECT_FALSE(at(1).acknowledged(ticket).enough);  // 4 knows nothing of it either
  hello_of(3, {4});
  hello_of(4, {3});
  acknowledge(3);
  acknowledge(4);
  EXPECT_TRUE(at(1).acknowledged(ticket).enough);
  EXPECT_TRUE(found("key", {2, 4, 5}));
}

// 1 learns of the second start of 2 by positions that it takes over. From then on what 2 had acknowledged before counts
// no more, and 3 must not be the third who has the key.
TEST_F(LostMemory, positions_that_are_taken_over_tell_whose_memory_may_have_ended) {
  enum class By : std::uint8_t { repair, checkpoint, copy };
  for (const By by : {By::repair, By::checkpoint, By::copy}) {
    const std::string key = "key " + std::to_string(static_cast<int>(by));
    const Ticket ticket = add(key.c_str(), {2});
    lose(2);
    ASSERT_TRUE(at(2).configure(kFive).ok());
    for (const std::uint64_t source : {3u, 4u, 5u}) EXPECT_TRUE(repair(at(2), at(source)));
    EXPECT_TRUE(at(2).votes());
    at(2).add("of the second start, " + key);
    carry(at(2), at(3));
    const bool taken = by == By::repair       ? repair(at(1), at(3))
                       : by == By::checkpoint ? at(1).restore(*at(3).snapshot()).ok()
                                              : at(1).restore_copy(*at(3).snapshot()).ok();
    EXPECT_TRUE(taken);
    deliver(3);
    EXPECT_FALSE(at(1).acknowledged(ticket).enough) << key;
    EXPECT_FALSE(found(key.c_str(), {2, 4, 5}));  // no add has returned
    hello_of(3, {2});                             // all of them have it in the end
    for (const std::uint64_t origin : {2u, 4u, 5u}) deliver(origin);
    acknowledge(3);
    EXPECT_TRUE(at(1).acknowledged(ticket).enough) << key;
  }
}

// One message that names many origins which are none takes the room of no member, and nobody repeats it.
TEST_F(LostMemory, origins_that_nobody_has_heard_are_not_repeated_and_take_no_room_of_members) {
  std::vector<Position> made_up;
  for (std::uint64_t i = 0; i < kMostPositions; ++i) made_up.push_back({1000 + i, ~std::uint64_t{0}, 0});
  Header header;
  header.lineage = at(1).options().lineage;
  header.origin = 999, header.incarnation = 1;
  for (const std::uint64_t to : {1u, 2u}) {
    const auto known = at(to).known().size();
    ASSERT_TRUE(at(to).receive(*write({header, Acknowledgement{false, made_up}})).ok());
    EXPECT_EQ(at(to).known().size(), known + 1) << "more than who sent it";
  }
  const auto stranger = start(77, 1, Start::new_lineage);
  EXPECT_TRUE(at(1).receive(*stranger->hello()).ok());
  EXPECT_TRUE(at(1).acknowledged(add("key", {2, 3})).enough);
}

}  // namespace
}  // namespace bloomery::replica
