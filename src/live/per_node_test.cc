// Copies of a filter by node, for every kind. Three nodes are played on any machine: each thread says on which it is.
// Run under ThreadSanitizer as well (make test).
#include "bloomery/live/per_node.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <vector>

#include "bloomery/bloomery.h"
#include "live/known_adds.h"
#include "support/locked_memory.h"

namespace bloomery {
namespace {

constexpr unsigned kNodes = 3;

std::uint64_t per_thread() { return std::getenv("BLOOMERY_SOAK") != nullptr ? 2'000'000 : 10'000; }

using testing::key_of;
using testing::on_threads;

// Runs work(node) on so many threads, one on each node.
template <class Filter, class Work>
void on_nodes(const PerNode<Filter>& filter, Work work) {
  on_threads(filter.nodes(), [&](unsigned node) {
    ASSERT_TRUE(filter.run_on_node(node).ok());
    work(node);
  });
}

// A filter for threads that each get a node at their first add.
template <class Filter>
struct Spread {
  PerNode<Filter>& filter;
  std::atomic<unsigned> next{0};

  bool add(std::uint64_t key) {
    thread_local const bool placed = filter.run_on_node(next++ % filter.nodes()).ok();
    return placed && filter.add(key);
  }
  bool contains(std::uint64_t key) const { return filter.contains(key); }
};

template <class Filter>
bool copies_are_equal(const PerNode<Filter>& filter) {
  for (unsigned node = 1; node < filter.nodes(); ++node)
    if (!(filter.view(node) == filter.view(0))) return false;
  return true;
}

template <class T>
class PerNodeFilters : public ::testing::Test {
 protected:
  static PerNode<T> make(AddsTo adds, std::uint64_t n = 4 * per_thread(), unsigned nodes = kNodes) {
    return *PerNode<T>::make({.n = n, .fpr = 1e-3, .nodes = nodes, .adds = adds});
  }
};
using All = ::testing::Types<ClassicFilter, SplitFilter, BlockFilter>;
TYPED_TEST_SUITE(PerNodeFilters, All);

TYPED_TEST(PerNodeFilters, on_one_node_it_is_shared_byte_for_byte) {
  for (const AddsTo adds : {AddsTo::every_node, AddsTo::owner_node, AddsTo::own_node}) {
    PerNode<TypeParam> one = TestFixture::make(adds, 2000, 1);
    Shared<TypeParam> shared = *Shared<TypeParam>::with_capacity(2000, 1e-3);
    std::vector<std::uint64_t> keys(3000);
    for (std::uint64_t key = 0; key < keys.size(); ++key) keys[key] = key;
    for (std::uint64_t key = 0; key < 1000; ++key) EXPECT_EQ(one.add(key), shared.add(key));
    (void)one.add_many(std::span(keys).subspan(1000, 500));
    (void)shared.add_many(std::span(keys).subspan(1000, 500));
    one.merge_now();
    EXPECT_EQ(one.view(0), shared.view());
    EXPECT_EQ(one.nodes(), 1u);
    EXPECT_EQ(one.bytes(), shared.bytes());
    EXPECT_EQ(one.fill(), shared.fill());
    EXPECT_EQ(one.estimated_count(), shared.estimated_count());
    std::vector<std::uint8_t> answers(keys.size()), right(keys.size());
    one.contains_many(keys, answers);
    shared.contains_many(keys, right);
    EXPECT_EQ(answers, right);
    for (const std::uint64_t key : keys) EXPECT_EQ(one.contains(key), shared.contains(key));
  }
}

TYPED_TEST(PerNodeFilters, as_many_copies_as_the_machine_has_nodes_unless_told) {
  EXPECT_EQ(TestFixture::make(AddsTo::every_node, 100, 0).nodes(), detail::numa_nodes());
  const PerNode<TypeParam> three = TestFixture::make(AddsTo::every_node, 100);
  EXPECT_EQ(three.nodes(), kNodes);
  EXPECT_EQ(three.bytes(), kNodes * three.view(0).bytes());
  EXPECT_NE(three.view(0).payload().data(), three.view(1).payload().data());
}

TYPED_TEST(PerNodeFilters, a_known_add_is_there_on_every_node_whether_all_or_the_owner_has_it) {
  for (const AddsTo adds : {AddsTo::every_node, AddsTo::owner_node}) {
    PerNode<TypeParam> filter = TestFixture::make(adds);
    Spread<TypeParam> spread{filter};
    EXPECT_EQ(testing::lost_of_known_adds(spread, kNodes + 1, per_thread()), 0u);
    EXPECT_EQ(copies_are_equal(filter), adds == AddsTo::every_node);
    on_nodes(filter, [&](unsigned) {
      for (unsigned t = 0; t <= kNodes; ++t)
        for (std::uint64_t i = 0; i < per_thread(); ++i) ASSERT_TRUE(filter.contains(key_of(t, i)));
    });
  }
}

TYPED_TEST(PerNodeFilters, an_add_to_the_own_node_stays_there_until_the_merge) {
  PerNode<TypeParam> filter = TestFixture::make(AddsTo::own_node, 3000);
  on_nodes(filter, [&](unsigned node) {
    for (std::uint64_t i = 0; i < 1000; ++i) filter.add(key_of(node, i));
    for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_TRUE(filter.contains(key_of(node, i)));
  });
  std::atomic<std::uint64_t> elsewhere{0};
  on_nodes(filter, [&](unsigned node) {
    for (std::uint64_t i = 0; i < 1000; ++i) elsewhere += filter.contains(key_of((node + 1) % kNodes, i)) ? 1 : 0;
  });
  EXPECT_LT(elsewhere, 100u);  // false positives
  filter.merge_now();
  EXPECT_TRUE(copies_are_equal(filter));
  on_nodes(filter, [&](unsigned) {
    for (unsigned node = 0; node < kNodes; ++node)
      for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_TRUE(filter.contains(key_of(node, i)));
  });
}

// Threads on two nodes add and say how far they are; the one that merges on the third then asks for all of that there.
TYPED_TEST(PerNodeFilters, a_merge_beside_adds_brings_all_that_returned_before_it_began) {
  for (const AddsTo adds : {AddsTo::own_node, AddsTo::owner_node}) {
    PerNode<TypeParam> filter = TestFixture::make(adds);
    std::atomic<std::uint64_t> added[kNodes] = {}, lost{0};
    on_nodes(filter, [&](unsigned node) {
      if (node > 0) {
        for (std::uint64_t i = 0; i < per_thread(); ++i) {
          filter.add(key_of(node, i));
          added[node].store(i + 1, std::memory_order_release);
          lost += adds == AddsTo::owner_node && !filter.contains(key_of(node, i)) ? 1 : 0;
        }
        return;
      }
      for (bool last = false; !last;) {
        const std::uint64_t known[] = {0, added[1].load(std::memory_order_acquire),
                                       added[2].load(std::memory_order_acquire)};
        last = known[1] + known[2] == 2 * per_thread();
        filter.merge_now();
        for (unsigned from = 1; from < kNodes; ++from)
          for (std::uint64_t i = 0; i < known[from]; i += 1 + known[from] / 500)
            for (unsigned copy = 0; copy < kNodes; ++copy) {
              const detail::RacyReads reads;
              lost += filter.view(copy).contains(key_of(from, i)) ? 0 : 1;
            }
      }
    });
    EXPECT_EQ(lost, 0u);
    EXPECT_TRUE(copies_are_equal(filter));
  }
}

TYPED_TEST(PerNodeFilters, an_owner_has_its_share_of_the_keys) {
  PerNode<TypeParam> filter = TestFixture::make(AddsTo::owner_node, 9000);
  for (std::uint64_t key = 0; key < 9000; ++key) filter.add(key);
  for (unsigned node = 0; node < kNodes; ++node) {
    const std::uint64_t count = filter.view(node).estimated_count().value();
    EXPECT_GT(count, 2700u);
    EXPECT_LT(count, 3300u);
  }
}

TYPED_TEST(PerNodeFilters, batches_answer_as_single_questions_do) {
  for (const AddsTo adds : {AddsTo::every_node, AddsTo::owner_node, AddsTo::own_node}) {
    PerNode<TypeParam> filter = TestFixture::make(adds, 3000);
    on_nodes(filter, [&](unsigned node) {
      std::vector<std::uint64_t> keys(1000);
      std::vector<Hash> hashes(3000);
      for (std::uint64_t i = 0; i < keys.size(); ++i) keys[i] = key_of(node, i);
      for (std::uint64_t i = 0; i < hashes.size(); ++i)
        hashes[i] = hash_key(filter.hasher(), key_of(node, i));  // the last 2,000 are absent
      (void)filter.add_many(keys);
      std::vector<std::uint8_t> answers(hashes.size()), of_keys(keys.size());
      filter.contains_many(hashes, answers);
      filter.contains_many(keys, of_keys);
      std::uint64_t yes = 0;
      for (std::size_t i = 0; i < hashes.size(); ++i) yes += answers[i];
      for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_TRUE(answers[i] == 1 && of_keys[i] == 1) << i;
      EXPECT_LT(yes, 1000u + 100);
    });
    // All quiet now: the same answers on each node.
    on_nodes(filter, [&](unsigned node) {
      std::vector<std::uint64_t> keys;
      for (unsigned from = 0; from <= kNodes; ++from)
        for (std::uint64_t i = 0; i < 1000; ++i) keys.push_back(key_of(from, i));
      std::vector<std::uint8_t> answers(keys.size());
      filter.contains_many(keys, answers);
      for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(answers[i] == 1, filter.contains(keys[i])) << node;
    });
  }
}

TYPED_TEST(PerNodeFilters, copy_has_what_any_node_has) {
  for (const AddsTo adds : {AddsTo::every_node, AddsTo::owner_node, AddsTo::own_node}) {
    PerNode<TypeParam> filter = TestFixture::make(adds, 3000);
    TypeParam plain = *TypeParam::with_geometry(filter.geometry());
    for (unsigned node = 0; node < kNodes; ++node)
      for (std::uint64_t i = 0; i < 1000; ++i) plain.add(key_of(node, i));
    on_nodes(filter, [&](unsigned node) {
      for (std::uint64_t i = 0; i < 1000; ++i) filter.add(key_of(node, i));
    });
    EXPECT_EQ(*filter.copy(), plain);
    filter.merge_now();
    for (unsigned node = 0; node < kNodes; ++node) EXPECT_EQ(filter.view(node), plain.view());
  }
}

TYPED_TEST(PerNodeFilters, takes_in_a_filter_on_every_node) {
  PerNode<TypeParam> filter = TestFixture::make(AddsTo::own_node, 1000);
  TypeParam plain = *TypeParam::with_geometry(filter.geometry());
  plain.add("before");
  ASSERT_TRUE(filter.merge(plain.view()).ok());
  for (unsigned node = 0; node < kNodes; ++node) EXPECT_EQ(filter.view(node), plain.view());
  EXPECT_EQ(filter.merge(TypeParam::with_capacity(5000, 0.01)->view()).error().code, ErrorCode::mismatch);
}

TYPED_TEST(PerNodeFilters, refuses_what_cannot_be_and_says_why) {
  const auto refused = [](const PerNodeOptions& options) {
    const Result<PerNode<TypeParam>> filter = PerNode<TypeParam>::make(options);
    return filter.ok() ? std::string("nothing") : filter.error().field + ": " + filter.error().message;
  };
  EXPECT_NE(refused({.n = 100, .nodes = 1'000'000}).find("nodes: nodes is 1000000: "), std::string::npos);
  EXPECT_EQ(refused({.n = 0}).find("n: "), 0u) << refused({.n = 0});
  EXPECT_EQ(refused({.n = 100, .fpr = 2}).find("fpr: "), 0u);
  EXPECT_EQ(refused({.n = 100, .nodes = 1024}), "nothing");
  const Status status = TestFixture::make(AddsTo::every_node, 100).run_on_node(kNodes);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "there is no node 3: they are numbered from 0 to 2");
}

TYPED_TEST(PerNodeFilters, one_that_was_moved_from_is_empty) {
  PerNode<TypeParam> filter = TestFixture::make(AddsTo::owner_node, 1000);
  filter.add("here");
  PerNode<TypeParam> owner = std::move(filter);
  EXPECT_TRUE(owner.contains("here"));
  EXPECT_EQ(filter.nodes(), 0u);  // NOLINT(bugprone-use-after-move): that is what is tested
  EXPECT_EQ(filter.bytes(), 0u);
  EXPECT_EQ(filter.fill(), 0);
  EXPECT_EQ(filter.predicted_fpr(), 0);
  EXPECT_EQ(filter.estimated_count(), 0u);
  EXPECT_EQ(filter.geometry(), typename TypeParam::View().geometry());
  EXPECT_FALSE(filter.contains("here"));
  std::uint8_t answer = 7;
  filter.contains_many(std::vector<std::uint64_t>{1}, {&answer, 1});
  EXPECT_EQ(answer, 0);
  filter.merge_now();
  EXPECT_EQ(filter.copy()->bits_set(), 0u);
  EXPECT_TRUE(filter.prefault().ok() && filter.lock_in_memory().ok());
  EXPECT_DEATH((void)filter.add("more"), "^bloomery: add was called on ");
  EXPECT_DEATH((void)filter.add_many(std::vector<std::uint64_t>{1}), "^bloomery: add_many was called on ");
  filter = std::move(owner);
  EXPECT_TRUE(filter.contains("here"));
}

TYPED_TEST(PerNodeFilters, copies_can_be_put_in_place_and_locked) {
  PerNode<TypeParam> filter = TestFixture::make(AddsTo::every_node, 1'000'000);  // pages of its own
  filter.add("here");
  EXPECT_TRUE(filter.prefault(2).ok());
  if (!testing::locking_works()) GTEST_SKIP() << "mlock does nothing here: a sanitizer, or a limit of 0";
  const std::uint64_t before = testing::locked_bytes();
  EXPECT_TRUE(filter.lock_in_memory().ok());
  EXPECT_GE(testing::locked_bytes(), before + filter.bytes());
  EXPECT_TRUE(filter.contains("here"));
}

}  // namespace
}  // namespace bloomery
