// Batches of every filter that threads share: the same words for all of them, the answers of single calls, and no key
// lost to a rebuild or a window that comes in between.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "bloomery/bloomery.h"
#include "bloomery/live/live.h"
#include "bloomery/live/per_node.h"
#include "bloomery/live/rotating.h"
#include "bloomery/live/watched.h"
#include "live/known_adds.h"

namespace bloomery {
namespace {

using testing::key_of;
constexpr std::uint64_t kBatchKeys = 10'000;

template <class Filter>
struct Batched {
  static std::unique_ptr<Filter> make() { return std::make_unique<Filter>(*Filter::with_capacity(kBatchKeys, 0.001)); }
};
template <class Filter>
struct Batched<LiveFilter<Filter>> {
  static auto make() { return *LiveFilter<Filter>::make({.n = kBatchKeys, .fpr = 0.001}); }
};
template <class Filter>
struct Batched<RotatingFilter<Filter>> {
  static auto make() { return *RotatingFilter<Filter>::make({.n = kBatchKeys, .fpr = 0.001, .windows = 3}); }
};
template <class Filter>
struct Batched<PerNode<Filter>> {
  static auto make() {
    return std::make_unique<PerNode<Filter>>(*PerNode<Filter>::make({.n = kBatchKeys, .fpr = 0.001, .nodes = 2}));
  }
};
template <class Filter>
struct Batched<Watched<Filter>> {
  static auto make() { return *Watched<Filter>::make(Batched<Filter>::make(), {.n = kBatchKeys, .fpr = 0.001}); }
};

template <class Filter>
class LiveBatches : public ::testing::Test {};
using Batchable =
    ::testing::Types<Shared<ClassicFilter>, Shared<SplitFilter>, Shared<BlockFilter>, Shared<BlockFilter, Reads::words>,
                     Shared<CountingFilter>, Shared<CuckooFilter>, LiveFilter<ClassicFilter>, LiveFilter<SplitFilter>,
                     LiveFilter<BlockFilter>, PerNode<BlockFilter>, RotatingFilter<ClassicFilter>,
                     RotatingFilter<SplitFilter>, RotatingFilter<BlockFilter>, Watched<PerNode<BlockFilter>>,
                     Watched<RotatingFilter<BlockFilter>>, Watched<Shared<CountingFilter>>,
                     Watched<Shared<CuckooFilter>>>;
TYPED_TEST_SUITE(LiveBatches, Batchable);

TYPED_TEST(LiveBatches, are_lists_pairs_and_ranges_in_every_class) {
  const auto filter = Batched<TypeParam>::make();
  EXPECT_TRUE(filter->add_many({"anna", "bert"}).ok());
  const std::vector<std::string_view> names = {"carla", "dora", "absent"};
  EXPECT_TRUE(filter->add_many(names.begin(), names.begin() + 1).ok());
  EXPECT_TRUE(filter->add_many(std::span(names).subspan(1, 1)).ok());
  EXPECT_TRUE(filter->add_many(std::vector<std::uint64_t>()).ok());
  std::array<std::uint8_t, 3> answers{};
  filter->contains_many({"anna", "bert", "nobody"}, answers);
  EXPECT_EQ(answers, (std::array<std::uint8_t, 3>{1, 1, 0}));
  answers = {};
  filter->contains_many(names.begin(), names.end(), answers);
  EXPECT_EQ(answers, (std::array<std::uint8_t, 3>{1, 1, 0}));
  answers = {0, 1, 7};  // room left over stays as it was
  filter->contains_many(std::span(names).first(2), answers);
  EXPECT_EQ(answers, (std::array<std::uint8_t, 3>{1, 1, 7}));
  const TypeParam& reading = *filter;
  static_assert(noexcept(reading.contains_many({1, 2}, answers))&& noexcept(
      reading.contains_many(names.begin(), names.end(), answers))&& noexcept(reading.contains_many(names, answers)));
}

// More keys than one group of hashes has, and hashes, which come in one piece.
TYPED_TEST(LiveBatches, answer_as_single_calls_do) {
  const auto filter = Batched<TypeParam>::make();
  std::vector<std::uint64_t> keys(5000);
  for (std::uint64_t i = 0; i < keys.size(); ++i) keys[i] = i * 3;
  ASSERT_TRUE(filter->add_many(keys).ok());
  std::vector<std::uint64_t> asked(15'000);
  for (std::uint64_t i = 0; i < asked.size(); ++i) asked[i] = i;
  std::vector<std::uint8_t> answers(asked.size());
  filter->contains_many(asked, answers);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < asked.size(); ++i) {
    ASSERT_EQ(answers[i] == 1, filter->contains(i)) << i;
    ASSERT_TRUE(answers[i] == 1 || i % 3 != 0) << i;
    wrong += i % 3 != 0 && answers[i] == 1;
  }
  EXPECT_LT(wrong, 100u);
  if constexpr (requires { filter->hasher(); }) {
    std::vector<Hash> hashes;
    for (const std::uint64_t key : asked) hashes.push_back(hash_key(filter->hasher(), key));
    std::vector<std::uint8_t> of_hashes(asked.size());
    filter->contains_many(hashes, of_hashes);
    EXPECT_EQ(of_hashes, answers);
  }
}

TYPED_TEST(LiveBatches, with_too_few_answers_end_the_program) {
  const auto filter = Batched<TypeParam>::make();
  std::array<std::uint8_t, 2> answers{};
  EXPECT_DEATH(filter->contains_many({1, 2, 3}, answers), "contains_many got 3 keys and an output of 2 elements");
  if constexpr (requires { filter->disable(); }) {
    filter->disable();
    EXPECT_DEATH(filter->contains_many({1, 2, 3}, answers), "contains_many got 3 keys and an output of 2 elements");
  }
}

TYPED_TEST(LiveBatches, count_each_key_and_obey_the_switch) {
  if constexpr (requires(TypeParam filter) { filter.disable(); }) {
    const auto filter = Batched<TypeParam>::make();
    std::vector<std::uint64_t> keys(3000);
    for (std::uint64_t i = 0; i < keys.size(); ++i) keys[i] = i;
    ASSERT_TRUE(filter->add_many(keys).ok());
    std::vector<std::uint8_t> answers(keys.size());
    filter->contains_many(keys, answers);
    LiveStats stats = *filter->stats(0);
    EXPECT_EQ(stats.adds, 3000u);
    EXPECT_GT(stats.new_adds, 2950u);
    EXPECT_LE(stats.new_adds, 3000u);
    EXPECT_EQ(stats.queries, 3000u);
    EXPECT_EQ(stats.maybes, 3000u);
    filter->disable();
    ASSERT_TRUE(filter->add_many({1'000'000, 1'000'001}).ok());
    std::array<std::uint8_t, 3> all{};
    filter->contains_many({1'000'000, 2'000'000, 2'000'001}, all);
    EXPECT_EQ(all, (std::array<std::uint8_t, 3>{1, 1, 1}));
    filter->enable();
    filter->contains_many({1'000'000, 2'000'000, 2'000'001}, all);
    EXPECT_EQ(all, (std::array<std::uint8_t, 3>{1, 0, 0}));
    stats = *filter->stats(0);
    EXPECT_EQ(stats.adds, 3002u);
    EXPECT_EQ(stats.queries, 3006u);
    EXPECT_EQ(stats.maybes, 3004u);
  }
}

TEST(WatchedBatches, keep_and_count_what_came_before_a_refusal) {
  using Cuckoo = Shared<CuckooFilter>;
  auto watched =
      *Watched<Cuckoo>::make(std::make_unique<Cuckoo>(*Cuckoo::with_capacity(1000, 0.01)), {.n = 1000, .fpr = 0.01});
  std::vector<std::uint64_t> keys(20'000);
  for (std::uint64_t i = 0; i < keys.size(); ++i) keys[i] = i;
  const Status status = watched->add_many(keys);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::full);
  const LiveStats stats = *watched->stats(0);
  EXPECT_EQ(stats.adds, stats.new_adds + 1);
  EXPECT_EQ(watched->filter().key_count(), stats.new_adds);
  for (std::uint64_t i = 0; i < stats.new_adds; ++i) ASSERT_TRUE(watched->contains(keys[i])) << i;
}

template <class Filter>
class LiveBatchKinds : public ::testing::Test {};
using BatchKinds = ::testing::Types<ClassicFilter, SplitFilter, BlockFilter>;
TYPED_TEST_SUITE(LiveBatchKinds, BatchKinds);

TYPED_TEST(LiveBatchKinds, reach_both_filters_of_a_rebuild_by_the_hash_of_each) {
  const auto live = Batched<LiveFilter<TypeParam>>::make();
  ASSERT_TRUE(live->begin_rebuild(kBatchKeys, 0.001, Hasher::xxh3(7)).ok());
  ASSERT_TRUE(live->add_many({"anna", "bert"}).ok());
  ASSERT_TRUE(live->feed_many({"carla"}).ok());
  const std::array<std::string_view, 1> fed = {"dora"};
  ASSERT_TRUE(live->feed_many(fed.begin(), fed.end()).ok());
  EXPECT_EQ(live->stats(0)->fed, 2u);
  std::array<std::uint8_t, 4> answers{};
  live->contains_many({"anna", "bert", "carla", "dora"}, answers);
  EXPECT_EQ(answers, (std::array<std::uint8_t, 4>{1, 1, 0, 0}));
  ASSERT_TRUE(live->commit().ok());
  live->contains_many({"anna", "bert", "carla", "dora"}, answers);
  EXPECT_EQ(answers, (std::array<std::uint8_t, 4>{1, 1, 1, 1}));
}

TYPED_TEST(LiveBatchKinds, of_a_rotating_filter_find_the_keys_of_each_window) {
  const auto seen = Batched<RotatingFilter<TypeParam>>::make();
  for (std::uint64_t epoch = 0; epoch < 6; ++epoch) {
    ASSERT_TRUE(seen->advance_to(epoch).ok());
    std::vector<std::uint64_t> keys(3000);
    for (std::uint64_t i = 0; i < keys.size(); ++i) keys[i] = key_of(static_cast<unsigned>(epoch), i);
    ASSERT_TRUE(seen->add_many(keys).ok());
  }
  std::vector<std::uint64_t> asked;  // the windows take turns
  for (std::uint64_t i = 0; i < 3000; ++i)
    for (unsigned epoch = 0; epoch < 6; ++epoch) asked.push_back(key_of(epoch, i));
  std::vector<std::uint8_t> answers(asked.size());
  seen->contains_many(asked, answers);
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    ASSERT_EQ(answers[i] == 1, seen->contains(asked[i])) << i;
    const bool kept = i % 6 >= 2;  // windows 2 to 5; those before are gone
    ASSERT_TRUE(answers[i] == 1 || !kept) << i;
    wrong += !kept && answers[i] == 1;
  }
  EXPECT_LT(wrong, 60u);
}

// Each batch is written to the truth, added, and told to others, who must find it whatever rebuild is under way. Every
// rebuild brings another hash, and every third is given up.
TYPED_TEST(LiveBatchKinds, lose_no_key_while_rebuilds_begin_and_end) {
  const std::uint64_t count = std::getenv("BLOOMERY_SOAK") != nullptr ? 5'000'000 : 40'000;
  constexpr unsigned kBatchAdders = 2;
  constexpr std::uint64_t kBatch = 100, kRebuilds = 9;
  auto live =
      *LiveFilter<TypeParam>::make({.n = kBatchAdders * count, .fpr = 0.001, .patience = std::chrono::minutes(5)});
  testing::Progress written{kBatchAdders}, added{kBatchAdders};
  std::atomic<std::uint64_t> working{kBatchAdders}, rebuilds{0}, lost{0}, refused{0}, checks{0};
  const auto add = [&](unsigned self) {
    std::vector<std::uint64_t> keys(kBatch);
    for (std::uint64_t i = 0; i < count; i += kBatch) {
      while (rebuilds < i * kRebuilds / count || (checks == 0 && i > count / 2)) std::this_thread::yield();
      for (std::uint64_t k = 0; k < kBatch; ++k) keys[k] = key_of(self, i + k);
      written.tell(self, i + kBatch);
      refused += !live->add_many(keys).ok();
      added.tell(self, i + kBatch);
    }
    --working;
  };
  const auto rebuild = [&] {
    while (working > 0) {
      const std::uint64_t turn = rebuilds;
      refused += !live->begin_rebuild(kBatchAdders * count, 0.001, Hasher::xxh3(turn)).ok();
      for (unsigned t = 0; t < kBatchAdders; ++t) {
        std::vector<std::uint64_t> truth(written.of(t));
        for (std::uint64_t i = 0; i < truth.size(); ++i) truth[i] = key_of(t, i);
        refused += !live->feed_many(truth).ok();
      }
      refused += !(turn % 3 == 2 ? live->abort() : live->commit()).ok();
      ++rebuilds;
    }
  };
  const auto ask = [&] {
    std::vector<std::uint64_t> keys;
    for (std::uint64_t random = 0; working > 0; random += 64) {
      keys.clear();
      for (std::uint64_t i = random; i < random + 64; ++i)
        if (const auto key = added.some_key_of(static_cast<unsigned>(i % kBatchAdders), i)) keys.push_back(*key);
      std::vector<std::uint8_t> answers(keys.size());
      live->contains_many(keys, answers);
      for (const std::uint8_t answer : answers) lost += answer == 0;
      checks += answers.size();
    }
  };
  testing::on_threads(kBatchAdders + 2, [&](unsigned role) {
    if (role < kBatchAdders) add(role);
    else if (role == kBatchAdders) rebuild();
    else ask();
  });
  for (unsigned t = 0; t < kBatchAdders; ++t)
    for (std::uint64_t i = 0; i < count; ++i) lost += !live->contains(key_of(t, i));
  EXPECT_EQ(lost, 0u);
  EXPECT_EQ(refused, 0u);
  EXPECT_GE(rebuilds, kRebuilds - 1);
  EXPECT_GT(checks, 0u);
  EXPECT_EQ(live->stats(0)->adds, kBatchAdders * count);
}

// A key tells the epoch that was seen before its batch began; windows begin in another thread meanwhile.
TYPED_TEST(LiveBatchKinds, stay_for_their_windows_while_windows_begin) {
  constexpr std::uint64_t kBatch = 100, kBatches = 400, kEpochs = 1 << 20;
  const auto seen = *RotatingFilter<TypeParam>::make({.n = 20 * kBatch, .windows = 2});
  std::atomic<std::uint64_t> batches{0}, known{0}, lost{0}, checks{0};
  std::atomic<bool> done{false};
  const auto add = [&] {
    std::vector<std::uint64_t> keys(kBatch);
    for (std::uint64_t batch = 0; batch < kBatches || checks == 0; ++batch) {
      const std::uint64_t epoch = seen->epoch();
      for (std::uint64_t k = 0; k < kBatch; ++k) keys[k] = (batch * kBatch + k) * kEpochs + epoch;
      lost += !seen->add_many(keys).ok();
      known.store(keys[0], std::memory_order_release);
      batches.store(batch + 1, std::memory_order_release);
    }
    done = true;
  };
  const auto ask = [&] {
    std::vector<std::uint64_t> keys(kBatch);
    std::vector<std::uint8_t> answers(kBatch);
    while (!done) {
      const std::uint64_t first = known.load(std::memory_order_acquire);
      if (batches == 0) continue;
      for (std::uint64_t k = 0; k < kBatch; ++k) keys[k] = first + k * kEpochs;
      seen->contains_many(keys, answers);
      if (first == 0 || seen->epoch() - first % kEpochs > 2) continue;
      for (const std::uint8_t answer : answers) lost += answer == 0;
      checks += kBatch;
    }
  };
  testing::on_threads(3, [&](unsigned role) {
    if (role == 0) add();
    else if (role == 1) ask();
    else
      while (!done) lost += !seen->advance_to(batches / 4).ok();
  });
  EXPECT_EQ(lost, 0u);
}

}  // namespace
}  // namespace bloomery
