#include "replica/members.h"

#include <gtest/gtest.h>

namespace bloomery::replica {
namespace {

const Configuration kOld{1, 2, 2, {1, 2, 3}};
const Configuration kNew{2, 1, 3, {1, 2, 4}};

Header from(std::uint64_t origin, std::uint32_t generation) {
  Header header;
  header.origin = origin;
  header.incarnation = 1;
  header.generation = generation;
  return header;
}

// A message of any kind, then what its origin knows of the members.
void tell(Members& members, std::uint64_t origin, const Member& known) {
  const Header header = from(origin, known.configurations.back().generation);
  members.heard(header);
  ASSERT_TRUE(members.heard(header, known).ok());
}

Members in_change() {
  Members members(1, false);
  EXPECT_TRUE(members.configure(kOld).ok());
  EXPECT_TRUE(members.configure(kNew).ok());
  return members;
}

TEST(ReplicaMembers, the_first_configuration_is_in_force_and_the_next_one_waits) {
  const Members members = in_change();
  EXPECT_EQ(members.now(), kOld);
  EXPECT_EQ(members.next(), kNew);
  EXPECT_EQ(members.generation(), 2u);
}

TEST(ReplicaMembers, two_contents_of_one_generation_and_a_generation_left_out_are_refused) {
  Members members = in_change();
  EXPECT_TRUE(members.configure(kNew).ok());
  EXPECT_EQ(members.configure({2, 2, 2, {1, 2, 3}}).error().field, "members");
  EXPECT_EQ(members.configure({3, 2, 2, {1, 2, 3}}).error().field, "generation");
  EXPECT_EQ(members.heard(from(2, 1), Member{false, {{1, 3, 3, {1, 2, 3}}}}).error().field, "members");
}

TEST(ReplicaMembers, during_a_change_an_add_needs_both_sets) {
  Members members = in_change();
  EXPECT_FALSE(members.enough({1}));  // enough for the new one alone
  EXPECT_TRUE(members.enough({1, 3}));
  EXPECT_FALSE(members.enough({3, 4}));
}

TEST(ReplicaMembers, an_acknowledgement_of_who_knows_more_does_not_count) {
  Members members(1, false);
  ASSERT_TRUE(members.configure(kOld).ok());
  members.acknowledged(from(2, 2), 7, {});
  EXPECT_EQ(members.holders(7), std::vector<std::uint64_t>{1});
  members.acknowledged(from(2, 1), 7, {});
  EXPECT_EQ(members.holders(7), (std::vector<std::uint64_t>{1, 2}));
}

// Both have it. But the third may be a start of which the second knew nothing when it acknowledged.
TEST(ReplicaMembers, acknowledgements_count_together_when_their_origins_know_each_other) {
  Members members(1, false);
  ASSERT_TRUE(members.configure({1, 3, 1, {1, 2, 3}}).ok());
  for (const std::uint64_t origin : {2u, 3u}) members.heard(from(origin, 1));
  members.acknowledged(from(2, 1), 7, {});
  members.acknowledged(from(3, 1), 7, {{2, 1, 5}});
  EXPECT_EQ(members.holders(7), (std::vector<std::uint64_t>{1, 2}));
  members.acknowledged(from(2, 1), 0, {{3, 1, 0}});
  EXPECT_EQ(members.holders(7), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(members.holders(8), std::vector<std::uint64_t>{1});
}

TEST(ReplicaMembers, an_acknowledgement_ends_with_the_incarnation_that_gave_it) {
  Members members(1, false);
  ASSERT_TRUE(members.configure(kOld).ok());
  members.heard(from(2, 1));
  members.acknowledged(from(2, 1), 7, {});
  members.started(2, 2);
  EXPECT_EQ(members.holders(7), std::vector<std::uint64_t>{1});
  members.acknowledged(from(2, 1), 7, {});  // comes late
  EXPECT_EQ(members.holders(7), std::vector<std::uint64_t>{1});
  members.started(3, 2);  // before 3 was heard at all
  members.heard(from(3, 1));
  members.acknowledged(from(3, 1), 7, {});
  EXPECT_EQ(members.holders(7), std::vector<std::uint64_t>{1});
  EXPECT_EQ(members.acknowledgements(), (std::vector<Position>{{2, 2, 0}, {3, 2, 0}}));
}

// 1 has acknowledged, and ended before the others were started again: it keeps none of them from being counted.
TEST(ReplicaMembers, who_has_gone_with_an_acknowledgement_keeps_nobody_who_knows_the_others_from_being_counted) {
  Members members(5, false);
  ASSERT_TRUE(members.configure({1, 3, 3, {1, 2, 3, 4, 5}}).ok());
  for (const std::uint64_t origin : {1u, 2u, 3u, 4u}) members.heard(from(origin, 1));
  members.acknowledged(from(1, 1), 7, {{2, 1, 0}, {3, 1, 0}, {4, 1, 0}});
  for (const std::uint64_t origin : {2u, 3u, 4u}) {
    Header again = from(origin, 1);
    again.incarnation = 2;
    members.heard(again);
    members.acknowledged(again, 7, {{1, 1, 0}});
  }
  EXPECT_EQ(members.holders(7), (std::vector<std::uint64_t>{1, 5}));
  for (const std::uint64_t origin : {2u, 3u, 4u}) {
    Header again = from(origin, 1);
    again.incarnation = 2;
    members.acknowledged(again, 7, {{1, 1, 0}, {2, 2, 0}, {3, 2, 0}, {4, 2, 0}});
  }
  EXPECT_EQ(members.holders(7), (std::vector<std::uint64_t>{2, 3, 4, 5}));
  EXPECT_TRUE(members.enough(members.holders(7)));
}

TEST(ReplicaMembers, starts_of_strangers_take_no_room_of_members_and_of_whoever_was_heard) {
  Members members(1, false);
  ASSERT_TRUE(members.configure(kOld).ok());
  members.heard(from(9, 1));
  std::uint64_t remembered = 0;
  for (std::uint64_t origin = 100; origin < 100 + 2 * kMostPositions; ++origin)
    remembered += members.started(origin, ~std::uint64_t{0}) ? 1 : 0;
  EXPECT_LE(remembered, kMostPositions);
  EXPECT_GE(remembered, kMostPositions - 1);
  EXPECT_TRUE(members.started(100, 1));
  for (const std::uint64_t origin : {2u, 3u, 9u}) EXPECT_TRUE(members.started(origin, 2)) << origin;
  EXPECT_TRUE(members.is_known(2) && members.is_known(9) && !members.is_known(100));
}

TEST(ReplicaMembers, a_change_waits_for_repairs_for_the_others_and_for_who_leaves) {
  Members members = in_change();
  members.repaired_against(from(2, 1));  // these did not know of the change
  members.repaired_against(from(3, 1));
  EXPECT_FALSE(members.ready());
  members.repaired_against(from(4, 2));  // no member of the old set
  members.repaired_against(from(2, 2));
  EXPECT_FALSE(members.ready());
  members.repaired_against(from(3, 2));
  EXPECT_TRUE(members.ready());
  tell(members, 2, {true, {kOld, kNew}});
  tell(members, 4, {false, {kOld, kNew}});
  EXPECT_EQ(members.now(), kOld);
  tell(members, 4, {true, {kOld, kNew}});
  EXPECT_EQ(members.now(), kOld);  // 3 leaves, and may not know of it
  members.heard(from(3, 2));
  EXPECT_EQ(members.now(), kNew);
  // Adds wait for the old set until those who stay go by the new one.
  EXPECT_FALSE(members.enough({1}));
  EXPECT_TRUE(members.enough({1, 2}));
  tell(members, 2, {false, {kNew}});
  EXPECT_TRUE(members.enough({1}));
}

TEST(ReplicaMembers, who_leaves_for_good_need_not_know) {
  Members members = in_change();
  members.repaired_against(from(2, 2));
  members.repaired_against(from(3, 2));
  tell(members, 2, {true, {kOld, kNew}});
  tell(members, 4, {true, {kOld, kNew}});
  members.retire(3);
  EXPECT_EQ(members.now(), kNew);
}

TEST(ReplicaMembers, who_leaves_votes_maybe_as_soon_as_it_knows) {
  Members members(3, false);
  ASSERT_TRUE(members.configure(kOld).ok());
  EXPECT_TRUE(members.may_vote());
  ASSERT_TRUE(members.configure(kNew).ok());
  EXPECT_FALSE(members.may_vote());
}

TEST(ReplicaMembers, lost_memory_comes_back_by_n_less_w_plus_one_others) {
  Members members(1, true);
  EXPECT_FALSE(members.bring_memory_back({{2, 1}, {3, 1}}));  // by which members?
  ASSERT_TRUE(members.configure(kOld).ok());
  EXPECT_FALSE(members.bring_memory_back({{2, 1}, {9, 1}}));
  EXPECT_FALSE(members.bring_memory_back({{2, 1}, {3, 0}}));  // 3 knew of no members when it was asked
  EXPECT_TRUE(members.bring_memory_back({{2, 1}, {3, 1}}));
  // A change that it was started with may have had its acknowledgements before: judged again when it is in force.
  ASSERT_TRUE(members.configure(kNew).ok());
  EXPECT_EQ(members.inherited(), 0u);
  tell(members, 2, {false, {kNew}});
  EXPECT_EQ(members.inherited(), 2u);
  EXPECT_FALSE(members.bring_memory_back({{2, 2}, {3, 2}}));
}

}  // namespace
}  // namespace bloomery::replica
