// Figures, switch and snapshots of the filters that are not a LiveFilter.
#include "bloomery/live/watched.h"

#include <gtest/gtest.h>

#include <set>
#include <span>
#include <sstream>
#include <thread>
#include <utility>

#include "bloomery/bloomery.h"
#include "bloomery/live/live.h"
#include "support/scratch.h"

namespace bloomery {
namespace {

using Rotating = RotatingFilter<BlockFilter>;
constexpr std::uint64_t kWatchedKeys = 10'000;
// Lookups of every class cannot throw.
template <class Filter>
constexpr bool kAsksWithoutThrowing = noexcept(std::declval<const Filter&>().contains("key"));
template <class Filter>
constexpr bool kAsksManyWithoutThrowing =
    noexcept(std::declval<const Filter&>().contains_many(std::span<const Hash>(), std::span<std::uint8_t>()));
static_assert(kAsksWithoutThrowing<LiveFilter<BlockFilter>> && kAsksManyWithoutThrowing<LiveFilter<BlockFilter>>);
static_assert(kAsksWithoutThrowing<Shared<BlockFilter>> && kAsksManyWithoutThrowing<Shared<BlockFilter>>);
static_assert(kAsksWithoutThrowing<Shared<CountingFilter>> && kAsksManyWithoutThrowing<Shared<CountingFilter>>);
static_assert(kAsksWithoutThrowing<Shared<CuckooFilter>> && kAsksManyWithoutThrowing<Shared<CuckooFilter>>);
static_assert(kAsksWithoutThrowing<PerNode<BlockFilter>> && kAsksManyWithoutThrowing<PerNode<BlockFilter>>);
static_assert(kAsksWithoutThrowing<RotatingFilter<BlockFilter>> && kAsksWithoutThrowing<Watched<PerNode<BlockFilter>>>);

constexpr RotatingOptions kWatchedWindows{.n = kWatchedKeys, .fpr = 0.01, .windows = 3, .first_epoch = 100};

template <class Filter>
struct Maker {
  static std::unique_ptr<Filter> make() { return std::make_unique<Filter>(*Filter::with_capacity(kWatchedKeys, 0.01)); }
};
template <>
struct Maker<PerNode<BlockFilter>> {
  static std::unique_ptr<PerNode<BlockFilter>> make() {
    return std::make_unique<PerNode<BlockFilter>>(
        *PerNode<BlockFilter>::make({.n = kWatchedKeys, .fpr = 0.01, .nodes = 2}));
  }
};
template <>
struct Maker<Rotating> {
  static std::unique_ptr<Rotating> make() { return *Rotating::make(kWatchedWindows); }
};

template <class Filter>
class WatchedFilters : public ::testing::Test {
 protected:
  static std::unique_ptr<Watched<Filter>> make(const std::string& name = "watched") {
    return *Watched<Filter>::make(Maker<Filter>::make(), {.n = kWatchedKeys, .fpr = 0.01, .name = name});
  }
};
using Filters =
    ::testing::Types<Shared<CuckooFilter>, Shared<CountingFilter>, PerNode<BlockFilter>, RotatingFilter<BlockFilter>>;
TYPED_TEST_SUITE(WatchedFilters, Filters);

std::set<std::string> declared_names(const std::string& page) {
  std::set<std::string> names;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("# TYPE ")) names.insert(line.substr(7));
  return names;
}

TYPED_TEST(WatchedFilters, have_the_figures_of_a_live_filter_on_one_page_with_it) {
  const auto live = *LiveFilter<BlockFilter>::make({.n = kWatchedKeys, .fpr = 0.01, .name = "live"});
  const auto watched = this->make();
  const std::string alone = *live->prometheus();
  const std::string page = *prometheus(std::vector{*live->figures(), *watched->figures()});
  EXPECT_GT(declared_names(alone).size(), 40u);
  EXPECT_EQ(declared_names(page), declared_names(alone));
  EXPECT_EQ(declared_names(*watched->figures()->prometheus()), declared_names(alone));
  EXPECT_NE(page.find("bloomery_designed_keys{filter=\"watched\"} 10000\n"), std::string::npos);
}

TYPED_TEST(WatchedFilters, count_what_is_asked_added_and_reported_by_all_threads) {
  const auto watched = this->make();
  std::vector<std::jthread> threads;
  for (std::uint64_t thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (std::uint64_t i = 0; i < 1000; ++i) {
        (void)watched->add(10'000 * thread + i);
        EXPECT_TRUE(watched->contains(10'000 * thread + i));
      }
      watched->was_false_positive("a tenant");
    });
  threads.clear();
  watched->was_false_negative();
  const LiveStats stats = *watched->stats();
  EXPECT_EQ(stats.adds, 4000u);
  EXPECT_GT(stats.new_adds, 3900u);
  EXPECT_EQ(stats.queries, 4000u);
  EXPECT_EQ(stats.maybes, 4000u);
  EXPECT_EQ(stats.false_positives, 4u);
  EXPECT_EQ(stats.false_negatives, 1u);
  ASSERT_EQ(stats.tenants.size(), 2u);
  EXPECT_EQ(stats.tenants.front().false_positives, 4u);
  EXPECT_NEAR(static_cast<double>(stats.estimated_count.value()), 4000, 200);
  EXPECT_NEAR(stats.capacity_used, 0.4, 0.02);
  EXPECT_GT(stats.bytes, 4000u);
  EXPECT_GT(stats.fill, 0);
  EXPECT_GT(stats.predicted_fpr, 0);
  EXPECT_LT(stats.sampled_fpr.low, 0.02);
}

TYPED_TEST(WatchedFilters, say_maybe_to_everything_while_switched_off) {
  const auto watched = this->make();
  EXPECT_FALSE(watched->contains(std::uint64_t{1}));
  watched->disable();
  EXPECT_TRUE(watched->contains(std::uint64_t{1}));
  EXPECT_TRUE(watched->stats()->disabled);
  watched->enable();
  EXPECT_FALSE(watched->contains(std::uint64_t{1}));
  EXPECT_EQ(watched->stats()->maybes, 1u);
  ::setenv("BLOOMERY_DISABLE", "1", 1);
  EXPECT_TRUE(this->make()->contains(std::uint64_t{1}));
  ::unsetenv("BLOOMERY_DISABLE");
  EXPECT_FALSE(this->make()->contains(std::uint64_t{1}));
}

TYPED_TEST(WatchedFilters, save_every_add_that_returned_while_others_add) {
  const testing::Scratch scratch;
  const std::string path = scratch / "filter.blm";
  const auto watched = this->make();
  for (std::uint64_t key = 0; key < 5000; ++key) (void)watched->add(key);
  std::jthread writer([&](const std::stop_token& stop) {
    for (std::uint64_t key = 1'000'000; key < 1'004'000 && !stop.stop_requested(); ++key) (void)watched->add(key);
  });
  ASSERT_TRUE(watched->snapshot(path).ok());
  writer = {};
  const bool rotating = std::is_same_v<TypeParam, Rotating>;
  const FilterFile file = *FilterFile::open(rotating ? path + ".100" : path);
  for (std::uint64_t key = 0; key < 5000; ++key) ASSERT_TRUE(file.view().contains(key));
  const LiveStats stats = *watched->stats();
  EXPECT_EQ(stats.snapshots, 1u);
  EXPECT_GT(stats.last_snapshot, 1'600'000'000);
  EXPECT_FALSE(watched->snapshot("/nowhere/at/all").ok());
  EXPECT_EQ(watched->stats()->failed_snapshots, 1u);
}

// The first one is slow, and has read the filter before the keys are added.
TYPED_TEST(WatchedFilters, replace_no_snapshot_by_one_that_began_earlier) {
  const testing::Scratch scratch;
  const std::string path = scratch / "filter.blm";
  const auto watched = this->make();
  const std::uint64_t bytes = watched->stats(0)->bytes;
  bool saved = false;
  std::jthread slow([&] { saved = watched->snapshot(path, {.bytes_per_second = 2 * bytes}).ok(); });
  while (scratch.bytes() < 1000) std::this_thread::yield();
  for (std::uint64_t key = 0; key < 1000; ++key) (void)watched->add(key);
  ASSERT_TRUE(watched->snapshot(path).ok());
  slow.join();
  EXPECT_TRUE(saved);
  const bool rotating = std::is_same_v<TypeParam, Rotating>;
  const FilterFile file = *FilterFile::open(rotating ? path + ".100" : path);
  for (std::uint64_t key = 0; key < 1000; ++key) ASSERT_TRUE(file.view().contains(key)) << key;
}

TEST(RotatingLoad, generations_come_back_with_their_windows) {
  const testing::Scratch scratch;
  const std::string path = scratch / "seen";
  const auto watched = *Watched<Rotating>::make(*Rotating::make(kWatchedWindows), {.n = kWatchedKeys});
  for (std::uint64_t epoch = 100; epoch < 106; ++epoch) {
    ASSERT_TRUE(watched->filter().advance_to(epoch).ok());
    watched->add(epoch);
  }
  ASSERT_TRUE(watched->snapshot(path).ok());
  RotatingOptions options = kWatchedWindows;
  options.first_epoch = 105;
  const auto same = *Rotating::load(path, options);
  for (std::uint64_t epoch = 100; epoch < 106; ++epoch) EXPECT_EQ(same->contains(epoch), epoch >= 102) << epoch;
  options.first_epoch = 107;  // it was away for two windows
  const auto later = *Rotating::load(path, options);
  for (std::uint64_t epoch = 100; epoch < 106; ++epoch) EXPECT_EQ(later->contains(epoch), epoch >= 104) << epoch;
  options.n = 2 * kWatchedKeys;
  const auto other = Rotating::load(path, options);
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::mismatch);
  EXPECT_FALSE(RotatingFilter<SplitFilter>::load(path, {.n = kWatchedKeys, .first_epoch = 105}).ok());
  options.first_epoch = 1;  // fewer epochs than generations, and no files
  EXPECT_TRUE(Rotating::load(path, options).ok());
}

TEST(WatchedFilter, that_is_not_there_is_refused) {
  EXPECT_EQ(Watched<Rotating>::make(nullptr, {}).error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace bloomery
