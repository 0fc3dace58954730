#include "bloomery/replica/rotating.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "bloomery/bloomery.h"
#include "replica/carry.h"

namespace bloomery::replica {
namespace {

template <class Filter>
using Rotating = ReplicaOf<RotatingFilter<Filter>>;

ReplicaOptions rotating_options(std::uint64_t origin, Start start = Start::new_lineage) {
  ReplicaOptions options;
  options.lineage.bytes[3] = 9;
  options.origin = origin;
  options.incarnation = 1;
  options.start = start;
  options.log = {2, 1 << 12};
  return options;
}

template <class Filter>
std::unique_ptr<Rotating<Filter>> make_rotating(std::uint64_t epoch, const ReplicaOptions& options) {
  auto made = Rotating<Filter>::make({5000, 0.01, 2, epoch, {}}, options);
  EXPECT_TRUE(made.ok());
  return *std::move(made);
}

template <class Filter>
class RotatingReplicas : public testing::Test {};
using RotatingKinds = testing::Types<ClassicFilter, SplitFilter, BlockFilter>;
TYPED_TEST_SUITE(RotatingReplicas, RotatingKinds);

// Whether the windows that both have are the same.
template <class Filter>
bool equal_windows(const Rotating<Filter>& a, const Rotating<Filter>& b) {
  const auto of_a = a.hold(), of_b = b.hold();
  for (std::size_t i = 0; i < of_a.generations.size(); ++i) {
    const std::uint64_t at = of_b.epoch + i - of_a.epoch;
    if (at < of_b.generations.size() && !(of_a.generations[i]->view() == of_b.generations[at]->view())) return false;
  }
  return true;
}

TYPED_TEST(RotatingReplicas, a_key_goes_to_its_window_and_leaves_with_it) {
  const auto a = make_rotating<TypeParam>(10, rotating_options(1)),
             b = make_rotating<TypeParam>(9, rotating_options(2));
  a->add(1);
  carry(*a, *b);  // to the spare, which lookups ask
  EXPECT_TRUE(b->contains(1));
  EXPECT_EQ(b->epoch(), 9u);
  EXPECT_TRUE(b->whole());
  EXPECT_EQ(a->positions(), b->positions());
  EXPECT_TRUE(equal_windows(*a, *b));
  b->add(2);
  carry(*b, *a);  // to the window before
  EXPECT_TRUE(a->contains(2));
  EXPECT_TRUE(equal_windows(*a, *b));
  for (auto* one : {a.get(), b.get()}) {
    ASSERT_TRUE(one->advance_to(11).ok());
    EXPECT_TRUE(one->contains(1) && one->contains(2));
    ASSERT_TRUE(one->advance_to(12).ok());
    EXPECT_TRUE(one->contains(1) && !one->contains(2));
    ASSERT_TRUE(one->advance_to(13).ok());
    EXPECT_FALSE(one->contains(1));
  }
}

TYPED_TEST(RotatingReplicas, what_is_further_ahead_is_held_and_not_acknowledged_until_the_owner_gets_there) {
  const auto a = make_rotating<TypeParam>(34, rotating_options(1)),
             b = make_rotating<TypeParam>(10, rotating_options(2));
  a->add(1);
  const Bytes delta = **a->take_delta();
  const auto received = b->receive(delta);
  EXPECT_TRUE(received->held && !received->gap);
  EXPECT_TRUE(b->receive(delta)->held);  // twice
  EXPECT_EQ(b->stats().keys_held, 1u);
  EXPECT_FALSE(b->contains(1));
  EXPECT_TRUE(b->positions().empty());
  EXPECT_FALSE(b->whole());
  EXPECT_FALSE(b->needs_repair());  // nothing is missing
  EXPECT_FALSE(b->snapshot().ok());
  EXPECT_EQ(b->epoch(), 10u);
  ASSERT_TRUE(b->advance_to(32).ok());
  EXPECT_EQ(b->stats().keys_held, 1u);
  ASSERT_TRUE(b->advance_to(33).ok());
  EXPECT_TRUE(b->contains(1));
  EXPECT_EQ(b->positions(), a->positions());
  EXPECT_TRUE(b->whole());
  EXPECT_EQ(b->stats().keys_held, 0u);
  EXPECT_TRUE(equal_windows(*a, *b));
}

TYPED_TEST(RotatingReplicas, held_keys_are_bounded_and_an_overflow_is_a_gap_that_repair_closes) {
  ReplicaOptions small = rotating_options(2);
  small.held_keys = 100;
  const auto a = make_rotating<TypeParam>(34, rotating_options(1)), b = make_rotating<TypeParam>(10, small);
  for (std::uint64_t i = 0; i < 100; ++i) a->add(i), carry(*a, *b);
  EXPECT_GT(b->stats().keys_held, 0u);
  EXPECT_LE(b->stats().keys_held, 100u);
  EXPECT_GT(b->stats().held_overflows, 0u);
  EXPECT_TRUE(b->needs_repair());
  EXPECT_TRUE(repair(*b, *a));
  EXPECT_EQ(b->stats().repairs_partial, 1u);
  EXPECT_TRUE(b->needs_repair() && b->positions().empty());
  ASSERT_TRUE(b->advance_to(34).ok());
  EXPECT_TRUE(repair(*b, *a));
  EXPECT_FALSE(b->needs_repair());
  EXPECT_TRUE(b->whole());
  EXPECT_TRUE(equal_windows(*a, *b));
}

TYPED_TEST(RotatingReplicas, a_key_of_a_window_that_is_gone_is_acknowledged_and_counted) {
  const auto a = make_rotating<TypeParam>(10, rotating_options(1)),
             b = make_rotating<TypeParam>(13, rotating_options(2));
  a->add(1);
  carry(*a, *b);
  EXPECT_FALSE(b->contains(1));
  EXPECT_EQ(b->positions(), a->positions());
  EXPECT_EQ(b->stats().keys_expired, 1u);
  EXPECT_TRUE(b->whole());
}

TYPED_TEST(RotatingReplicas, keys_given_up_are_missing_until_their_sender_has_started_again) {
  const auto a = make_rotating<TypeParam>(34, rotating_options(1)),
             b = make_rotating<TypeParam>(10, rotating_options(2)),
             c = make_rotating<TypeParam>(10, rotating_options(3));
  a->add(1);
  carry(*a, *b);
  b->forget_held();
  EXPECT_EQ(b->stats().keys_held, 0u);
  EXPECT_EQ(b->gaps(), std::vector<std::uint64_t>{1});
  ReplicaOptions later = rotating_options(1, Start::lost);
  later.incarnation = 2;
  const auto again = make_rotating<TypeParam>(10, later);
  EXPECT_TRUE(b->receive(*again->hello()).ok());
  EXPECT_TRUE(repair(*b, *c));
  EXPECT_TRUE(b->gaps().empty());
  EXPECT_TRUE(b->whole());
}

TYPED_TEST(RotatingReplicas, repair_goes_through_all_windows) {
  const auto a = make_rotating<TypeParam>(10, rotating_options(1)),
             b = make_rotating<TypeParam>(10, rotating_options(2));
  for (std::uint64_t epoch = 10; epoch <= 13; ++epoch) {
    ASSERT_TRUE(a->advance_to(epoch).ok());
    for (std::uint64_t i = 0; i < 500; ++i) a->add(epoch << 32 | i);
    while (a->take_delta()->has_value()) {
    }
  }
  ASSERT_TRUE(b->advance_to(12).ok());  // one behind
  EXPECT_TRUE(b->receive(*a->hello()).ok());
  EXPECT_TRUE(b->needs_repair());
  EXPECT_TRUE(repair(*b, *a));
  EXPECT_FALSE(b->needs_repair());  // behind the spare there is nothing
  EXPECT_TRUE(equal_windows(*a, *b));
  for (std::uint64_t epoch = 11; epoch <= 13; ++epoch)
    for (std::uint64_t i = 0; i < 500; ++i) EXPECT_TRUE(b->contains(epoch << 32 | i));
  std::uint64_t bytes = 0;
  EXPECT_TRUE(repair(*a, *b, &bytes));  // nothing differs
  EXPECT_LE(bytes, 64'000u);
}

TYPED_TEST(RotatingReplicas, a_source_that_has_more_than_fits_closes_nothing) {
  const auto a = make_rotating<TypeParam>(11, rotating_options(1)),
             b = make_rotating<TypeParam>(10, rotating_options(2)),
             ahead = make_rotating<TypeParam>(12, rotating_options(3));
  ahead->add(1);
  carry(*ahead, *a);  // to its spare, which is behind that of b
  a->add(2);
  EXPECT_TRUE(a->take_delta()->has_value());
  EXPECT_TRUE(b->receive(*a->hello()).ok());
  EXPECT_TRUE(repair(*b, *a));
  EXPECT_TRUE(b->contains(2) && !b->contains(1));
  EXPECT_EQ(b->stats().repairs_partial, 1u);
  EXPECT_TRUE(b->needs_repair() && b->positions().empty());
  ASSERT_TRUE(b->advance_to(11).ok());
  EXPECT_TRUE(repair(*b, *a));
  EXPECT_TRUE(b->contains(1));
  EXPECT_EQ(b->positions(), a->positions());
}

TYPED_TEST(RotatingReplicas, a_checkpoint_brings_all_windows_at_once) {
  const auto a = make_rotating<TypeParam>(10, rotating_options(1));
  for (std::uint64_t epoch = 10; epoch <= 12; ++epoch) {
    ASSERT_TRUE(a->advance_to(epoch).ok());
    a->add(epoch);
    EXPECT_TRUE(a->take_delta()->has_value());
  }
  const auto snapshots = a->snapshot();
  ASSERT_EQ(snapshots->size(), 4u);
  const auto same = make_rotating<TypeParam>(12, rotating_options(2, Start::lost));
  ASSERT_TRUE(same->restore(*snapshots).ok());
  EXPECT_TRUE(same->whole() && equal_windows(*a, *same));
  EXPECT_EQ(same->positions(), a->positions());
  const auto later = make_rotating<TypeParam>(13, rotating_options(3, Start::lost));
  ASSERT_TRUE(later->restore(*snapshots).ok());
  EXPECT_TRUE(later->whole() && !later->contains(10) && later->contains(11) && later->contains(12));
  const auto behind =
      make_rotating<TypeParam>(10, rotating_options(4, Start::lost));  // what was added in 12 does not fit
  ASSERT_TRUE(behind->restore(*snapshots).ok());
  EXPECT_TRUE(behind->contains(10) && behind->contains(11) && !behind->contains(12));
  EXPECT_TRUE(!behind->whole() && behind->needs_repair() && behind->positions().empty());
  auto wrong = *snapshots;
  std::swap(wrong[1], wrong[2]);
  EXPECT_EQ(same->restore(wrong).error().field, "window");
  wrong = *snapshots;
  wrong[1].positions.clear();
  EXPECT_EQ(same->restore(wrong).error().field, "positions");
  EXPECT_EQ(same->restore(std::span<const Snapshot>()).error().field, "window");
}

TEST(RotatingReplica, what_cannot_be_is_refused_by_name) {
  const auto with = [](unsigned windows, std::uint64_t epoch) {
    return Rotating<BlockFilter>::make({1000, 0.01, windows, epoch, {}}, rotating_options(1));
  };
  EXPECT_EQ(with(0, 1).error().field, "windows");
  EXPECT_EQ(with(255, 1).error().field, "windows");
  EXPECT_EQ(with(1, 0).error().field, "epoch");
  EXPECT_TRUE(with(254, 1).ok());
  const auto a = make_rotating<BlockFilter>(10, rotating_options(1));
  EXPECT_EQ(a->advance_to(9).error().field, "epoch");
  EXPECT_EQ(a->advance_to(~std::uint64_t{0}).error().field, "epoch");
  EXPECT_TRUE(a->advance_to(10).ok());
  const auto fixed =
      *ReplicaOf<BlockFilter>::make(*Shared<BlockFilter>::with_capacity(5000, 0.01), rotating_options(2));
  fixed->add(1);
  a->add(2);
  EXPECT_EQ(a->receive(**fixed->take_delta()).error().field, "window");
  EXPECT_EQ(fixed->receive(**a->take_delta()).error().field, "window");
  EXPECT_EQ(fixed->receive(*a->begin_repair(2)).error().field, "window");
  EXPECT_EQ(a->receive(*fixed->begin_repair(1)).error().field, "window");
}

TEST(RotatingReplica, its_hello_says_in_which_window_it_is_and_how_many_it_keeps) {
  const auto a = make_rotating<BlockFilter>(10, rotating_options(1));
  const Hello hello = std::get<Hello>(parse(*a->hello())->body);
  EXPECT_EQ(hello.window, 10u);
  EXPECT_EQ(hello.geometry.back(), 2u);
  EXPECT_EQ(a->stats().window, 10u);
}

TEST(RotatingReplica, the_first_windows_are_fewer) {
  const auto a = make_rotating<BlockFilter>(1, rotating_options(1)),
             b = make_rotating<BlockFilter>(1, rotating_options(2));
  EXPECT_EQ(a->hold().generations.size(), 2u);
  a->add(1);
  for (std::uint64_t epoch = 2; epoch <= 4; ++epoch) {
    EXPECT_TRUE(a->contains(1));
    ASSERT_TRUE(a->advance_to(epoch).ok());
    EXPECT_EQ(a->hold().generations.size(), std::min<std::uint64_t>(epoch + 1, 4));
  }
  EXPECT_FALSE(a->contains(1));
  carry(*a, *b);
  EXPECT_TRUE(b->contains(1));
}

// For ThreadSanitizer: adders, readers, who applies, repairs and takes snapshots, and owners who turn windows.
TEST(RotatingReplica, threads_add_apply_ask_repair_and_rotate_at_once) {
  const auto a = make_rotating<BlockFilter>(1, rotating_options(1)),
             b = make_rotating<BlockFilter>(1, rotating_options(2));
  std::atomic<bool> ended{false};
  std::vector<std::thread> others;
  others.emplace_back([&] {
    while (!ended.load()) carry(*a, *b), carry(*b, *a);
  });
  others.emplace_back([&] {
    while (!ended.load()) (void)(repair(*b, *a) && repair(*a, *b));
  });
  others.emplace_back([&] {
    for (std::uint64_t i = 0; !ended.load(); ++i)
      (void)a->vote(i), (void)b->contains(i), (void)b->stats(), (void)a->snapshot(), (void)b->whole();
  });
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 2000; ++i) (t == 0 ? *a : *b).add(t << 32 | i);
    });
  threads.emplace_back([&] {  // b lags by up to three windows, so that keys are held
    for (std::uint64_t epoch = 2; epoch <= 40; ++epoch) {
      EXPECT_TRUE(a->advance_to(epoch).ok());
      EXPECT_TRUE(epoch % 4 != 0 || b->advance_to(epoch).ok());
      std::this_thread::yield();
    }
  });
  for (std::thread& thread : threads) thread.join();
  ended = true;
  for (std::thread& thread : others) thread.join();
  carry(*a, *b);
  carry(*b, *a);
  EXPECT_TRUE(repair(*b, *a) && repair(*a, *b));
  EXPECT_TRUE(equal_windows(*a, *b));
  EXPECT_EQ(a->epoch(), b->epoch());
  EXPECT_EQ(b->stats().keys_held, 0u);
}

}  // namespace
}  // namespace bloomery::replica
