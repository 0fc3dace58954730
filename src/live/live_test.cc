// Live filters: rebuilt, saved, switched off and measured. What threads do to one at the same time is in
// together_test.cc.
#include "bloomery/live/live.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <thread>

#include "bloomery/bloomery.h"
#include "support/locked_memory.h"
#include "support/scratch.h"

namespace bloomery {
namespace {

template <class T>
class LiveFilters : public ::testing::Test {
 protected:
  using Live = LiveFilter<T>;
  static std::unique_ptr<Live> make(std::uint64_t n, std::chrono::milliseconds patience = std::chrono::minutes(1)) {
    return *Live::make({.n = n, .name = "test", .patience = patience});
  }
};
using All = ::testing::Types<ClassicFilter, SplitFilter, BlockFilter>;
TYPED_TEST_SUITE(LiveFilters, All);

TYPED_TEST(LiveFilters, a_rebuild_holds_what_is_fed_and_what_is_added_meanwhile) {
  auto live = this->make(1000);
  live->add("old");
  ASSERT_TRUE(live->begin_rebuild(5000, 0.001).ok());
  EXPECT_TRUE(live->add("meanwhile"));
  EXPECT_TRUE(live->contains("meanwhile"));
  EXPECT_TRUE(live->contains("old"));
  ASSERT_TRUE(live->feed("fed").ok());
  EXPECT_TRUE(live->feed_many(std::vector<std::uint64_t>{1, 2, 3}).ok());
  EXPECT_FALSE(live->contains("fed"));  // not yet
  EXPECT_EQ(live->stats(0)->fed, 4u);
  EXPECT_TRUE(live->stats(0)->rebuilding);
  ASSERT_TRUE(live->commit().ok());
  for (const char* key : {"meanwhile", "fed"}) EXPECT_TRUE(live->contains(key)) << key;
  for (std::uint64_t key : {1u, 2u, 3u}) EXPECT_TRUE(live->contains(key));
  EXPECT_FALSE(live->contains("old"));  // the source of truth did not have it
  EXPECT_EQ(live->stats(0)->designed_count, 5000u);
  EXPECT_EQ(live->stats(0)->retired_bytes, 0u);
  EXPECT_EQ(live->stats(0)->rebuilds, 1u);
}

TYPED_TEST(LiveFilters, an_aborted_rebuild_leaves_no_trace) {
  auto live = this->make(1000);
  live->add("old");
  const std::uint64_t bytes = live->stats(0)->bytes;
  ASSERT_TRUE(live->begin_rebuild(5000, 0.001).ok());
  EXPECT_GT(live->stats(0)->bytes, bytes);
  live->add("meanwhile");
  ASSERT_TRUE(live->abort().ok());
  EXPECT_TRUE(live->contains("old"));
  EXPECT_TRUE(live->contains("meanwhile"));
  EXPECT_EQ(live->stats(0)->bytes, bytes);
  EXPECT_EQ(live->stats(0)->aborted_rebuilds, 1u);
}

TYPED_TEST(LiveFilters, what_makes_no_sense_is_refused_and_changes_nothing) {
  auto live = this->make(1000);
  live->add("old");
  EXPECT_FALSE(live->commit().ok());
  EXPECT_FALSE(live->abort().ok());
  EXPECT_FALSE(live->feed("x").ok());
  EXPECT_FALSE(live->begin_rebuild(0, 0.01).ok());
  EXPECT_FALSE(live->begin_rebuild(1000, 2).ok());
  EXPECT_FALSE(live->stats(0)->rebuilding);
  EXPECT_EQ(live->stats(0)->failed_rebuilds, 2u);
  ASSERT_TRUE(live->begin_rebuild(1000, 0.01).ok());
  const Status twice = live->begin_rebuild(1000, 0.01);
  ASSERT_FALSE(twice.ok());
  EXPECT_NE(twice.error().message.find("under way"), std::string::npos);
  EXPECT_TRUE(live->commit().ok());
  EXPECT_EQ(live->stats(0)->failed_rebuilds, 3u);
  EXPECT_FALSE(LiveFilter<TypeParam>::make({.n = 0}).ok());
  EXPECT_FALSE(live->snapshot("/nonexistent folder/x.blm").ok());
  EXPECT_EQ(live->stats(0)->failed_snapshots, 1u);
}

TYPED_TEST(LiveFilters, a_reader_that_stays_holds_up_a_rebuild_and_shows) {
  auto live = this->make(1000, std::chrono::milliseconds(200));
  std::atomic<bool> reading{false}, enough{false};
  std::thread reader([&] {
    const auto held = live->read();
    reading = true;
    while (!enough) std::this_thread::yield();
  });
  while (!reading) std::this_thread::yield();
  (void)live->stats(0);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_GE(live->stats(0)->oldest_reader_age, std::chrono::milliseconds(5));
  const Status status = live->begin_rebuild(1000, 0.01);
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(live->add("key"));
  EXPECT_TRUE(live->contains("key"));
  enough = true;
  reader.join();
  EXPECT_EQ(live->stats(0)->oldest_reader_age, std::chrono::nanoseconds(0));
  EXPECT_TRUE(live->begin_rebuild(1000, 0.01).ok());
  EXPECT_TRUE(live->commit().ok());
}

TYPED_TEST(LiveFilters, the_switch_answers_maybe_and_adds_go_on) {
  auto live = this->make(1000);
  live->disable();
  EXPECT_TRUE(live->contains("absent"));
  std::vector<std::uint8_t> answers(3);
  live->contains_many(std::vector<std::uint64_t>{1, 2, 3}, answers);
  EXPECT_EQ(answers, (std::vector<std::uint8_t>{1, 1, 1}));
  live->add("added");
  live->enable();
  EXPECT_FALSE(live->contains("absent"));
  EXPECT_TRUE(live->contains("added"));
  ::setenv("BLOOMERY_DISABLE", "1", 1);
  EXPECT_TRUE(this->make(1000)->contains("absent"));
  ::setenv("BLOOMERY_DISABLE", "0", 1);
  EXPECT_FALSE(this->make(1000)->contains("absent"));
  ::unsetenv("BLOOMERY_DISABLE");
}

TYPED_TEST(LiveFilters, counts_what_happens) {
  auto live = this->make(1000);
  for (std::uint64_t key = 0; key < 100; ++key) live->add(key);
  live->add(std::uint64_t{5});
  for (std::uint64_t key = 0; key < 50; ++key) EXPECT_TRUE(live->contains(key));
  std::uint64_t maybes = 50;
  for (std::uint64_t key = 1000; key < 1100; ++key) maybes += live->contains(key);
  live->was_false_positive();
  const LiveStats stats = *live->stats(10'000);
  EXPECT_EQ(stats.queries, 150u);
  EXPECT_EQ(stats.maybes, maybes);
  EXPECT_EQ(stats.adds, 101u);
  EXPECT_GE(stats.new_adds, 95u);
  EXPECT_LT(stats.new_adds, 101u);
  EXPECT_EQ(stats.false_positives, 1u);
  EXPECT_EQ(stats.sampled_fpr.asked, 10'000u);
  EXPECT_LE(stats.sampled_fpr.low, stats.sampled_fpr.rate);
  EXPECT_GE(stats.sampled_fpr.high, stats.sampled_fpr.rate);
  EXPECT_NEAR(stats.capacity_used, 0.1, 0.05);
  const std::string text = *live->prometheus();
  EXPECT_NE(text.find("bloomery_queries_total{filter=\"test\"} 150\n"), std::string::npos) << text;
  for (const char* name : {"rebuild", "snapshot"})
    EXPECT_NE(text.find(std::string("bloomery_") + name + "_duration_seconds_count{filter=\"test\"} 0\n"),
              std::string::npos)
        << text;
  EXPECT_NE(live->json()->find("\"queries_total\":150"), std::string::npos);
}

TYPED_TEST(LiveFilters, a_filter_with_all_bits_set_does_not_look_empty) {
  auto live = this->make(1000);
  EXPECT_NE(live->prometheus()->find("bloomery_capacity_used_ratio{filter=\"test\"} 0"), std::string::npos);
  {
    const auto reading = live->read();
    const std::span<const std::uint8_t> bits = reading.filter().view().payload();
    std::memset(const_cast<std::uint8_t*>(bits.data()), 0xff, bits.size());
  }
  ASSERT_FALSE(live->stats(0)->estimated_count.has_value());
  EXPECT_NE(live->prometheus()->find("bloomery_capacity_used_ratio{filter=\"test\"} +Inf\n"), std::string::npos);
  EXPECT_NE(live->json()->find("\"capacity_used_ratio\":null"), std::string::npos);
}

TYPED_TEST(LiveFilters, says_when_it_was_last_saved) {
  auto live = this->make(1000);
  testing::Scratch scratch;
  EXPECT_FALSE(live->snapshot("/nonexistent folder/x.blm").ok());
  EXPECT_EQ(live->stats(0)->last_snapshot, 0);
  // The same clock: std::time may be some milliseconds behind it, and so a second.
  const auto now = [] { return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()); };
  const std::time_t before = now();
  ASSERT_TRUE(live->snapshot(scratch / "a.blm").ok());
  EXPECT_GE(live->stats(0)->last_snapshot, before);
  EXPECT_LE(live->stats(0)->last_snapshot, now());
}

TYPED_TEST(LiveFilters, a_lost_bit_is_found_and_answered_by_maybe_until_a_rebuild) {
  auto live = this->make(1000);
  EXPECT_TRUE(live->self_check());
  testing::Scratch scratch;
  ASSERT_TRUE(live->snapshot(scratch / "a.blm").ok());
  {
    const auto reading = live->read();
    const std::span<const std::uint8_t> bits = reading.filter().view().payload();
    std::memset(const_cast<std::uint8_t*>(bits.data()), 0, bits.size() / 2);
  }
  EXPECT_FALSE(live->self_check());
  EXPECT_TRUE(live->damaged());
  EXPECT_TRUE(live->contains("absent"));
  EXPECT_EQ(live->stats(0)->sentinel_failures, 1u);
  ASSERT_TRUE(live->begin_rebuild(1000, 0.01).ok());
  ASSERT_TRUE(live->commit().ok());
  EXPECT_TRUE(live->self_check());
  EXPECT_FALSE(live->contains("absent"));
}

TYPED_TEST(LiveFilters, loads_what_it_saved_and_refuses_the_rest) {
  testing::Scratch scratch;
  const Secret secret = *Secret::from_hex("000102030405060708090a0b0c0d0e0f");
  LiveOptions keyed{.n = 1000, .fpr = 0.01, .hasher = Hasher::siphash13(secret)};
  auto live = *LiveFilter<TypeParam>::make(keyed);
  live->add("kept");
  const std::string path = scratch / "keyed.blm";
  ASSERT_TRUE(live->snapshot(path).ok());
  EXPECT_FALSE(LiveFilter<TypeParam>::load(path, keyed).ok());  // no secret
  auto again = LiveFilter<TypeParam>::load(path, keyed, {.secret = secret});
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE((*again)->contains("kept"));
  EXPECT_FALSE((*again)->contains("not kept"));
  using Other = std::conditional_t<std::is_same_v<TypeParam, BlockFilter>, SplitFilter, BlockFilter>;
  const auto wrong = LiveFilter<Other>::load(path, keyed, {.secret = secret});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().field, "kind");
}

TYPED_TEST(LiveFilters, refuses_a_file_of_another_hash_than_it_is_told) {
  const testing::Scratch scratch;
  const std::string path = scratch / "live.blm";
  const Secret secret({1, 2, 3}), other({4});
  const auto save_by = [&](const Hasher& hasher) {
    return (*LiveFilter<TypeParam>::make({.n = 1000, .hasher = hasher}))->snapshot(path);
  };
  const auto load_by = [&](const std::optional<Hasher>& hasher) -> Status {
    auto loaded = LiveFilter<TypeParam>::load(path, {.n = 1000, .hasher = hasher}, {.secret = secret});
    BLOOMERY_TRY(loaded);
    return {};
  };
  const auto refused = [&](const Hasher& hasher, const std::string& why) {
    const Status status = load_by(hasher);
    return !status.ok() && status.error().code == ErrorCode::mismatch && status.error().field == "hash" &&
           status.error().file == path && status.error().message.find(why) != std::string::npos;
  };
  ASSERT_TRUE(save_by(Hasher::xxh64(7)).ok());
  EXPECT_TRUE(refused(Hasher::siphash13(secret), "hashes by xxh64, and the options ask for siphash13"));
  EXPECT_TRUE(refused(Hasher::xxh64(8), "another seed"));
  EXPECT_TRUE(load_by(Hasher::xxh64(7)).ok());
  EXPECT_TRUE(load_by({}).ok());
  ASSERT_TRUE(save_by(Hasher::siphash13(secret)).ok());
  EXPECT_TRUE(refused(Hasher::siphash13(other), "another secret"));
  EXPECT_TRUE(load_by(Hasher::siphash13(secret)).ok());
  EXPECT_TRUE(load_by({}).ok());
}

TYPED_TEST(LiveFilters, locks_every_version_in_memory_when_told) {
  if (!testing::locking_works()) GTEST_SKIP() << "mlock does nothing here: a sanitizer, or a limit of 0";
  const std::uint64_t before = testing::locked_bytes();
  auto live = *LiveFilter<TypeParam>::make({.n = 1'000'000, .lock_memory = true});  // pages of its own
  const std::uint64_t one = live->stats(0)->bytes;
  EXPECT_GE(testing::locked_bytes(), before + one);
  ASSERT_TRUE(live->begin_rebuild(1'000'000, 0.01).ok());
  EXPECT_GE(testing::locked_bytes(), before + 2 * one);
  ASSERT_TRUE(live->commit().ok());
  EXPECT_LT(testing::locked_bytes(), before + 2 * one);
  const testing::Scratch scratch;
  ASSERT_TRUE(live->snapshot(scratch / "live.blm").ok());
  live.reset();
  EXPECT_EQ(testing::locked_bytes(), before);
  live = *LiveFilter<TypeParam>::load(scratch / "live.blm", {.n = 1'000'000, .lock_memory = true});
  EXPECT_GE(testing::locked_bytes(), before + one);
  live.reset();
  live = *LiveFilter<TypeParam>::make({.n = 1'000'000});
  EXPECT_EQ(testing::locked_bytes(), before);
}

TYPED_TEST(LiveFilters, a_refused_lock_is_an_error_and_an_unlocked_filter_works) {
  const int status = testing::in_child_without_locking([] {
    const auto refused = LiveFilter<TypeParam>::make({.n = 1000, .lock_memory = true});
    if (refused.ok() || refused.error().message.find("RLIMIT_MEMLOCK") == std::string::npos) return 1;
    auto live = *LiveFilter<TypeParam>::make({.n = 1000});
    live->add("key");
    return live->contains("key") ? 0 : 2;
  });
  if (status == testing::kCannotRefuse) GTEST_SKIP() << "nothing here refuses to lock memory";
  EXPECT_EQ(status, 0);
}

// What promtool checks of a page: each name is declared once, before its samples, and no series comes twice.
TEST(LiveFigures, filters_of_all_kinds_share_one_page) {
  auto one = *LiveFilter<ClassicFilter>::make({.n = 1000, .name = "one"});
  auto two = *LiveFilter<SplitFilter>::make({.n = 1000, .name = "two"});
  auto three = *LiveFilter<BlockFilter>::make({.n = 1000, .name = "three"});
  two->was_false_positive("tenant");
  std::istringstream page(*prometheus(std::vector{*one->figures(), *two->figures(), *three->figures()}));
  std::set<std::string> families, series;
  std::string family;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("# TYPE ")) {
      family = line.substr(7, line.find(' ', 7) - 7);
      EXPECT_TRUE(families.insert(family).second) << line;
    } else if (!line.starts_with("# HELP ")) {
      EXPECT_TRUE(line.starts_with(family)) << line;
      EXPECT_TRUE(series.insert(line.substr(0, line.rfind(' '))).second) << line;
    }
  }
  for (const char* name : {"one", "two", "three"})
    EXPECT_TRUE(series.contains(std::string("bloomery_queries_total{filter=\"") + name + "\"}")) << name;
  EXPECT_TRUE(series.contains("bloomery_tenant_false_positives_total{filter=\"two\",tenant=\"tenant\"}"));
}

TEST(ObservedRate, bounds_hold_the_rate) {
  EXPECT_EQ(observed_rate(0, 0).asked, 0u);
  EXPECT_EQ(observed_rate(0, 1000).low, 0);
  EXPECT_NEAR(observed_rate(0, 1000).high, 0.0038, 0.0001);
  const ObservedRate rate = observed_rate(100, 10'000);
  EXPECT_NEAR(rate.low, 0.00823, 0.0001);
  EXPECT_NEAR(rate.high, 0.01215, 0.0001);
}

}  // namespace
}  // namespace bloomery
