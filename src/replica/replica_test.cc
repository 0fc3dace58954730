#include "bloomery/replica/replica.h"

#include <gtest/gtest.h>

#include <random>
#include <span>
#include <thread>
#include <utility>

#include "bloomery/bloomery.h"
#include "replica/carry.h"
#include "replica/cells.h"

namespace bloomery::replica {
namespace {

ReplicaOptions options_of(std::uint64_t origin, Start start = Start::new_lineage) {
  ReplicaOptions options;
  options.lineage.bytes[3] = 9;
  options.origin = origin;
  options.incarnation = 1;
  options.start = start;
  options.log = {2, 1 << 12};
  return options;
}

template <class Filter>
std::unique_ptr<ReplicaOf<Filter>> make(const ReplicaOptions& options, std::uint64_t n = 20'000) {
  auto made = ReplicaOf<Filter>::make(*Shared<Filter>::with_capacity(n, 0.01), options);
  EXPECT_TRUE(made.ok());
  return *std::move(made);
}

template <class Filter>
bool equal(const ReplicaOf<Filter>& a, const ReplicaOf<Filter>& b) {
  return a.filter().view() == b.filter().view();
}

template <class Filter>
class Replicas : public testing::Test {};
using Kinds = testing::Types<ClassicFilter, SplitFilter, BlockFilter>;
TYPED_TEST_SUITE(Replicas, Kinds);
static_assert(noexcept(std::declval<const ReplicaOf<BlockFilter>&>().contains("key")));
static_assert(noexcept(std::declval<const ReplicaOf<BlockFilter>&>().contains_many(std::span<const Hash>(), {})));

TYPED_TEST(Replicas, a_delta_brings_what_was_new) {
  const auto a = make<TypeParam>(options_of(1)), b = make<TypeParam>(options_of(2));
  for (std::uint64_t i = 0; i < 1000; ++i) a->add(i);
  for (std::uint64_t i = 500; i < 1500; ++i) b->add(i);
  carry(*a, *b);
  carry(*b, *a);
  EXPECT_TRUE(equal(*a, *b));
  for (std::uint64_t i = 0; i < 1500; ++i) EXPECT_TRUE(a->contains(i) && b->contains(i));
  EXPECT_EQ(b->stats().deltas_applied, 1u);
  EXPECT_LE(b->stats().keys_applied, 1000u);
  EXPECT_EQ(a->positions(), b->positions());
  EXPECT_TRUE(a->whole() && b->whole());
}

TYPED_TEST(Replicas, lost_doubled_and_reordered_deltas_are_harmless_and_a_gap_is_seen) {
  const auto a = make<TypeParam>(options_of(1)), b = make<TypeParam>(options_of(2));
  std::vector<Bytes> deltas;
  for (std::uint64_t i = 0; i < 5; ++i) {
    a->add(i);
    deltas.push_back(**a->take_delta());
  }
  EXPECT_FALSE(b->receive(deltas[0])->gap);
  EXPECT_FALSE(b->receive(deltas[0])->gap);
  EXPECT_TRUE(b->receive(deltas[3])->gap);
  EXPECT_FALSE(b->whole());
  EXPECT_EQ(b->gaps(), std::vector<std::uint64_t>{1});
  EXPECT_EQ(b->positions(), (std::vector<Position>{{1, 1, 1}}));
  EXPECT_FALSE(b->snapshot().ok());
  EXPECT_TRUE(b->receive(deltas[2])->gap);
  EXPECT_FALSE(b->receive(deltas[1])->gap);
  EXPECT_EQ(b->positions(), (std::vector<Position>{{1, 1, 4}}));
  EXPECT_TRUE(b->whole());
  EXPECT_TRUE(b->receive(*a->hello()).ok());  // tells that there are five
  EXPECT_EQ(b->gaps(), std::vector<std::uint64_t>{1});
  EXPECT_TRUE(repair(*b, *a));
  EXPECT_TRUE(b->gaps().empty());
  EXPECT_TRUE(equal(*a, *b));
}

TYPED_TEST(Replicas, repair_brings_all_of_one_side_and_a_second_one_the_other_way_makes_them_equal) {
  const auto a = make<TypeParam>(options_of(1)), b = make<TypeParam>(options_of(2));
  for (std::uint64_t i = 0; i < 3000; ++i) a->add(i);
  for (std::uint64_t i = 2000; i < 4000; ++i) b->add(i);
  while (a->take_delta()->has_value()) {
  }
  while (b->take_delta()->has_value()) {
  }
  EXPECT_TRUE(repair(*b, *a));
  for (std::uint64_t i = 0; i < 4000; ++i) EXPECT_TRUE(b->contains(i));
  EXPECT_TRUE(repair(*a, *b));
  EXPECT_TRUE(equal(*a, *b));
  std::uint64_t bytes = 0;
  EXPECT_TRUE(repair(*a, *b, &bytes));  // nothing differs
  EXPECT_LE(bytes, 64'000u);
}

TYPED_TEST(Replicas, a_digest_knows_of_adds_deltas_and_repairs_since_the_last_one) {
  const auto a = make<TypeParam>(options_of(1)), b = make<TypeParam>(options_of(2));
  EXPECT_TRUE(repair(*a, *b));
  a->add(1);
  EXPECT_TRUE(repair(*b, *a));
  EXPECT_TRUE(b->contains(1));
  b->add(2);
  carry(*b, *a);
  const auto c = make<TypeParam>(options_of(3));
  EXPECT_TRUE(repair(*c, *a));
  EXPECT_TRUE(c->contains(1) && c->contains(2));
  const auto d = make<TypeParam>(options_of(4));
  EXPECT_TRUE(repair(*d, *c));
  EXPECT_TRUE(equal(*d, *c));
}

TYPED_TEST(Replicas, an_overrun_log_leaves_a_gap_that_repair_closes) {
  const auto a = make<TypeParam>(options_of(1)), b = make<TypeParam>(options_of(2));
  for (std::uint64_t i = 0; i < 10'000; ++i) a->add(i);
  carry(*a, *b);
  EXPECT_EQ(a->stats().log_overflows, 1u);
  EXPECT_TRUE(b->receive(*a->hello()).ok());
  EXPECT_EQ(b->gaps(), std::vector<std::uint64_t>{1});
  EXPECT_TRUE(repair(*b, *a));
  EXPECT_TRUE(b->gaps().empty());
  EXPECT_TRUE(equal(*a, *b));
}

TYPED_TEST(Replicas, the_fill_guard_refuses_and_from_then_on_nothing_of_that_origin_is_acknowledged) {
  ReplicaOptions bounded = options_of(2);
  bounded.most_fpr = 0.05;
  const auto a = make<TypeParam>(options_of(1), 1000), b = make<TypeParam>(bounded, 1000);
  std::uint64_t next = 0;
  bool refused = false;
  for (int round = 0; round < 100 && !refused; ++round) {
    for (int i = 0; i < 100; ++i) a->add(next++);
    const auto received = b->receive(**a->take_delta());
    refused = !received.ok();
    EXPECT_EQ(refused ? received.error().field : "fill", "fill");
  }
  ASSERT_TRUE(refused);
  EXPECT_GE(next, 1000u);
  EXPECT_LE(b->filter().predicted_fpr(), 0.05);
  EXPECT_FALSE(b->whole() || b->votes());
  EXPECT_TRUE(b->positions().empty());
  EXPECT_EQ(b->stats().refused.at("fill"), 1u);
  EXPECT_EQ(b->snapshot().error().field, "whole");
  for (int i = 0; i < 2000; ++i) a->add(next++);
  EXPECT_FALSE(repair(*b, *a));  // the same bits by another way
  EXPECT_LE(b->filter().predicted_fpr(), 0.05);
  b->add(std::uint64_t{1} << 60);  // goes on serving
  EXPECT_TRUE(b->contains(std::uint64_t{1} << 60));
}

TYPED_TEST(Replicas, a_checkpoint_is_taken_over_with_its_positions) {
  const auto a = make<TypeParam>(options_of(1)), b = make<TypeParam>(options_of(2, Start::lost));
  for (std::uint64_t i = 0; i < 100; ++i) a->add(i);
  EXPECT_TRUE(a->take_delta().ok());
  const auto snapshots = a->snapshot();
  ASSERT_TRUE(snapshots.ok());
  EXPECT_FALSE(b->whole());
  ASSERT_TRUE(b->restore(snapshots->front()).ok());
  EXPECT_TRUE(b->whole());
  EXPECT_TRUE(equal(*a, *b));
  EXPECT_EQ(a->positions(), b->positions());
  Snapshot wrong = snapshots->front();
  wrong.lineage.bytes[0] = 1;
  EXPECT_EQ(b->restore(wrong).error().field, "lineage");
  wrong = snapshots->front();
  wrong.payload.pop_back();
  EXPECT_EQ(b->restore(wrong).error().field, "payload");
}

// The writers of another site need not have what this replica lacks.
TYPED_TEST(Replicas, a_copy_of_another_site_brings_its_bits_and_makes_nobody_whole) {
  const auto a = make<TypeParam>(options_of(1)), b = make<TypeParam>(options_of(2, Start::lost)),
             c = make<TypeParam>(options_of(3));
  for (std::uint64_t i = 0; i < 100; ++i) a->add(i);
  EXPECT_TRUE(a->take_delta().ok());
  const auto snapshots = *a->snapshot();
  ASSERT_TRUE(b->restore_copy(snapshots).ok());
  EXPECT_TRUE(equal(*a, *b));
  EXPECT_EQ(a->positions(), b->positions());
  EXPECT_FALSE(b->whole() || b->votes());
  c->fell_behind();
  ASSERT_TRUE(c->restore_copy(snapshots).ok());
  EXPECT_TRUE(!c->whole() && c->needs_repair());
  ASSERT_TRUE(c->restore(snapshots).ok());
  EXPECT_TRUE(c->whole());
  c->lost_copy();
  EXPECT_TRUE(!c->whole() && c->needs_repair());
  ASSERT_TRUE(c->restore_copy(snapshots).ok());
  EXPECT_TRUE(c->whole() && !c->needs_repair());
}

// What a lost copy would have brought, the copy of a third site need not have.
TYPED_TEST(Replicas, a_copy_that_was_lost_is_made_good_by_one_of_the_same_site) {
  const auto a = make<TypeParam>(options_of(1)), b = make<TypeParam>(options_of(2));
  const auto snapshots = *a->snapshot();
  for (const std::string site : {"x", "y"}) b->lost_copy(site);
  ASSERT_TRUE(b->restore_copy(snapshots, "x").ok());
  ASSERT_TRUE(b->restore_copy(snapshots, "z").ok());
  EXPECT_TRUE(!b->whole() && b->needs_repair());
  ASSERT_TRUE(b->restore_copy(snapshots, "y").ok());
  EXPECT_TRUE(b->whole());
  for (std::uint64_t i = 0; i < 2 * kMostPositions; ++i) b->lost_copy(std::to_string(i));
  for (std::uint64_t i = 0; i < 2 * kMostPositions; ++i)
    ASSERT_TRUE(b->restore_copy(snapshots, std::to_string(i)).ok());
  EXPECT_FALSE(b->whole()) << "of more sites than it remembers, a repair makes good what is missing";
  EXPECT_TRUE(repair(*b, *a));
  EXPECT_TRUE(b->whole());
}

TEST(Replica, what_is_not_ours_is_refused_by_name_and_counted) {
  const auto a = make<BlockFilter>(options_of(1)), b = make<BlockFilter>(options_of(2));
  ReplicaOptions other = options_of(3);
  other.lineage.bytes[0] = 1;
  const auto foreign = make<BlockFilter>(other);
  foreign->add(1);
  EXPECT_EQ(a->receive(**foreign->take_delta()).error().field, "lineage");
  const auto larger = make<BlockFilter>(options_of(4), 200'000);
  larger->add(7);
  EXPECT_EQ(a->receive(*larger->begin_repair(1)).error().field, "chunks");
  EXPECT_TRUE(a->receive(**larger->take_delta()).ok());  // a delta is taken for any filter of its lineage
  EXPECT_TRUE(a->contains(7));
  ReplicaOptions hashed = options_of(5);
  const auto seeded = *ReplicaOf<BlockFilter>::make(
      *Shared<BlockFilter>::with_capacity(100, 0.01, FilterOptions(Hasher::xxh3(5))), hashed);
  EXPECT_EQ(a->receive(*seeded->hello()).error().field, "hash");
  ReplicaOptions later = options_of(1);
  later.incarnation = 2;
  EXPECT_EQ(a->receive(*make<BlockFilter>(later)->hello()).error().field, "origin");
  EXPECT_EQ(a->receive(Bytes(100)).error().field, "magic");
  EXPECT_EQ(a->stats().refused.size(), 5u);
  EXPECT_TRUE(a->receive(**[&] {
                 b->add(3);
                 return b->take_delta();
               }())
                  .ok());
}

// Peers count nothing of a start that is not the newest, so that its adds would wait for good: it hears of that.
TEST(Replica, whoever_names_a_later_start_of_this_replica_is_refused_and_counted) {
  const auto a = make<BlockFilter>(options_of(1)), b = make<BlockFilter>(options_of(2)),
             c = make<BlockFilter>(options_of(3));
  ReplicaOptions options = options_of(1);
  options.incarnation = 2;
  const auto later = make<BlockFilter>(options);
  later->add(1);
  carry(*later, *b);
  EXPECT_FALSE(a->receive(*b->acknowledgement()).ok());
  EXPECT_FALSE(a->receive(*b->hello()).ok());
  EXPECT_FALSE(repair(*a, *b));
  EXPECT_FALSE(a->restore(*b->snapshot()).ok());
  EXPECT_FALSE(a->restore_copy(*b->snapshot()).ok());
  EXPECT_EQ(a->stats().refused, (std::map<std::string, std::uint64_t>{{"origin", 3}}));
  EXPECT_TRUE(a->positions().empty());
  EXPECT_TRUE(later->receive(*b->acknowledgement()).ok());
  EXPECT_TRUE(c->receive(*b->acknowledgement()).ok());
}

TEST(Replica, a_delta_of_a_window_and_a_rebuild_are_refused) {
  const auto a = make<BlockFilter>(options_of(1));
  Header header;
  header.lineage = a->options().lineage;
  header.origin = 2, header.incarnation = 1, header.sequence = 1;
  EXPECT_EQ(a->receive(*write({header, Delta{3, {Hash(1)}}})).error().field, "window");
  EXPECT_TRUE(a->positions().empty());
  EXPECT_EQ(a->begin_rebuild(1000, 0.01).error().field, "lineage");
}

TEST(Replica, options_that_cannot_be_are_refused) {
  ReplicaOptions options = options_of(1);
  options.incarnation = 0;
  const auto of = [&] { return ReplicaOf<BlockFilter>::make(*Shared<BlockFilter>::with_capacity(10, 0.1), options); };
  EXPECT_EQ(of().error().field, "incarnation");
  options.incarnation = 1, options.most_fpr = 0;
  EXPECT_EQ(of().error().field, "most_fpr");
  options.most_fpr = 1, options.log.keys = 1000;
  EXPECT_EQ(of().error().field, "keys");
}

TEST(Replica, a_key_that_was_there_is_logged_when_cut_off_or_waited_for) {
  const auto a = make<BlockFilter>(options_of(1));
  a->add(1);
  EXPECT_TRUE(a->take_delta()->has_value());
  a->add(1);
  EXPECT_FALSE(a->take_delta()->has_value());
  a->add_logged(1);
  EXPECT_TRUE(a->take_delta()->has_value());
  a->set_cut_off(true);
  a->add(1);
  EXPECT_TRUE(a->take_delta()->has_value());
}

TEST(Replica, an_add_waits_for_w_members_and_names_those_that_are_missing) {
  const auto a = make<BlockFilter>(options_of(1)), b = make<BlockFilter>(options_of(2)),
             c = make<BlockFilter>(options_of(3));
  for (Replica* one : {static_cast<Replica*>(a.get()), static_cast<Replica*>(b.get()), static_cast<Replica*>(c.get())})
    ASSERT_TRUE(one->configure({1, 2, 2, {1, 2, 3}}).ok());
  int calls = 0;
  const Acknowledged in_vain = a->add_and_wait(42, [&] { return ++calls < 3; });
  EXPECT_FALSE(in_vain.enough);
  EXPECT_EQ(in_vain.by, std::vector<std::uint64_t>{1});
  EXPECT_EQ(in_vain.missing, (std::vector<std::uint64_t>{2, 3}));
  const Acknowledged known = a->add_and_wait(43, [&] {
    carry(*a, *b);
    return a->receive(*b->acknowledgement()).ok();
  });
  EXPECT_TRUE(known.enough);
  EXPECT_EQ(known.by, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(known.missing, std::vector<std::uint64_t>{3});
  EXPECT_TRUE(b->contains(43) && b->contains(42));
  EXPECT_EQ(a->acknowledged_by_all(), 0u);
}

// The bars of the issue, on a filter of 64 MiB: beyond what is compared plainly.
TEST(Replica, repair_takes_little_more_than_what_differs) {
  const auto a = *ReplicaOf<BlockFilter>::make(*Shared<BlockFilter>::with_geometry({1 << 20, 8}), options_of(1));
  const auto b = *ReplicaOf<BlockFilter>::make(*Shared<BlockFilter>::with_geometry({1 << 20, 8}), options_of(2));
  std::mt19937_64 random(1);
  // One line in each of 200 chunks: a hash whose block number is chosen by its high bits.
  const auto add_to_block = [&](std::uint64_t block) { a->add(Hash((block << 44) | (random() & 0xffffffff))); };
  for (std::uint64_t i = 0; i < 200; ++i) add_to_block(64 * (5 * i + 3) + i % 64);
  std::uint64_t bytes = 0;
  ASSERT_TRUE(repair(*b, *a, &bytes));
  ASSERT_TRUE(equal(*a, *b));
  EXPECT_LE(bytes, 700 * 200 + 64'000u);
  // Whole chunks: 1,000 of them, each line.
  for (std::uint64_t chunk = 1000; chunk < 2000; ++chunk)
    for (std::uint64_t line = 0; line < 64; ++line) add_to_block(64 * chunk + line);
  ASSERT_TRUE(repair(*b, *a, &bytes));
  ASSERT_TRUE(equal(*a, *b));
  EXPECT_LE(static_cast<double>(bytes), 1.15 * 1000 * 4096 + 64'000);
  // All of it.
  const auto c = *ReplicaOf<BlockFilter>::make(*Shared<BlockFilter>::with_geometry({1 << 20, 8}), options_of(3));
  for (std::uint64_t block = 0; block < 1 << 20; ++block) add_to_block(block);
  ASSERT_TRUE(repair(*c, *a, &bytes));
  ASSERT_TRUE(equal(*a, *c));
  EXPECT_LE(static_cast<double>(bytes), 1.15 * 16384 * 4096 + 64'000);
}

TEST(Replica, threads_add_apply_ask_and_repair_at_once) {
  const auto a = make<BlockFilter>(options_of(1)), b = make<BlockFilter>(options_of(2));
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 2000; ++i) (t == 0 ? *a : *b).add(t << 32 | i);
    });
  threads.emplace_back([&] {
    for (int i = 0; i < 200; ++i) carry(*a, *b), carry(*b, *a);
  });
  threads.emplace_back([&] {
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(repair(*b, *a) && repair(*a, *b));
  });
  threads.emplace_back([&] {
    for (std::uint64_t i = 0; i < 2000; ++i) (void)a->contains(i), (void)b->stats(), (void)b->whole();
  });
  for (std::thread& thread : threads) thread.join();
  carry(*a, *b);
  carry(*b, *a);
  EXPECT_TRUE(repair(*b, *a) && repair(*a, *b));
  EXPECT_TRUE(equal(*a, *b));
}

}  // namespace
}  // namespace bloomery::replica
