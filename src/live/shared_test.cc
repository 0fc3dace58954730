// Threads that share a filter, for every kind and both ways of reading. Run under ThreadSanitizer as well (make test).
#include "bloomery/live/shared.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <vector>

#include "bloomery/bloomery.h"
#include "live/known_adds.h"

namespace bloomery {
namespace {

constexpr unsigned kThreads = 4;

std::uint64_t shared_per_thread() { return std::getenv("BLOOMERY_SOAK") != nullptr ? 5'000'000 : 20'000; }

using testing::key_of;
using testing::on_threads;

template <class T>
class SharedFilters : public ::testing::Test {};
using EveryShared = ::testing::Types<Shared<ClassicFilter>, Shared<SplitFilter>, Shared<BlockFilter>,
                                     Shared<ClassicFilter, Reads::words>, Shared<SplitFilter, Reads::words>,
                                     Shared<BlockFilter, Reads::words>>;
TYPED_TEST_SUITE(SharedFilters, EveryShared);

TYPED_TEST(SharedFilters, sets_the_bits_of_the_plain_filter) {
  auto plain = *TypeParam::Filter::with_capacity(1000, 0.01);
  TypeParam shared = *TypeParam::with_capacity(1000, 0.01);
  for (std::uint64_t key = 0; key < 1500; ++key) EXPECT_EQ(shared.add(key), plain.add(key)) << key;
  EXPECT_EQ(*shared.copy(), plain);
  EXPECT_EQ(shared.bits_set(), plain.bits_set());
  std::vector<std::uint64_t> keys(5000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i;
  std::vector<std::uint8_t> answers(keys.size()), right(keys.size());
  shared.contains_many(keys, answers);
  plain.contains_many(keys, right);
  EXPECT_EQ(answers, right);
  for (std::uint64_t key : keys) EXPECT_EQ(shared.contains(key), plain.contains(key)) << key;
}

TYPED_TEST(SharedFilters, a_key_is_there_once_its_add_is_known_to_have_returned) {
  const std::uint64_t count = shared_per_thread();
  TypeParam shared = *TypeParam::with_capacity(kThreads * count, 0.01);
  EXPECT_EQ(testing::lost_of_known_adds(shared, kThreads, count), 0u);
  for (unsigned t = 0; t < kThreads; ++t)
    for (std::uint64_t i = 0; i < count; ++i) ASSERT_TRUE(shared.contains(key_of(t, i)));
}

TYPED_TEST(SharedFilters, batches_and_merges_go_on_beside_adds) {
  const std::uint64_t count = shared_per_thread();
  TypeParam shared = *TypeParam::with_capacity(3 * count, 0.01);
  auto other = *TypeParam::Filter::with_geometry(shared.geometry());
  for (std::uint64_t key = 0; key < count; ++key) other.add(key_of(1, key));
  std::atomic<std::uint64_t> lost{0};
  on_threads(3, [&](unsigned self) {
    std::vector<std::uint64_t> keys(256);
    std::vector<std::uint8_t> answers(keys.size());
    if (self == 0) {
      if (!shared.merge(other.view()).ok()) ++lost;
      for (std::uint64_t key = 0; key < count; ++key) lost += !shared.contains(key_of(1, key));
      return;
    }
    for (std::uint64_t first = 0; first + keys.size() <= count; first += keys.size()) {
      for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = key_of(self + 1, first + i);
      (void)shared.add_many(keys);
      shared.contains_many(keys, answers);
      for (std::uint8_t answer : answers) lost += answer != 1;
    }
  });
  EXPECT_EQ(lost, 0u);
}

TYPED_TEST(SharedFilters, of_threads_that_race_with_add_once_exactly_one_is_told_new) {
  TypeParam shared = *TypeParam::with_capacity(100'000, 1e-4);
  auto plain = *TypeParam::Filter::with_capacity(100'000, 1e-4);
  std::atomic<std::uint64_t> new_by_add_once{0}, new_by_add{0};
  std::uint64_t fresh = 0;
  constexpr std::uint64_t kKeys = 2000;
  on_threads(kThreads, [&](unsigned) {
    for (std::uint64_t key = 0; key < kKeys; ++key) new_by_add_once += shared.add_once(key);
    for (std::uint64_t key = kKeys; key < 2 * kKeys; ++key) new_by_add += shared.add(key);
  });
  for (std::uint64_t key = 0; key < kKeys; ++key) fresh += plain.add(key);
  EXPECT_EQ(new_by_add_once, fresh);
  EXPECT_GE(new_by_add, kKeys - kKeys / 100);  // at least one each, but for false positives
}

// Memory that cannot be written to: a second add of the same key must not try.
TYPED_TEST(SharedFilters, a_key_that_is_there_is_not_written_again) {
  TypeParam shared = *TypeParam::with_capacity(4'000'000, 0.01);  // pages of its own
  shared.add("hot");
  auto* page = reinterpret_cast<void*>(const_cast<std::uint8_t*>(shared.view().payload().data()));
  const std::size_t whole_pages = shared.bytes() / 4096 * 4096;
  ASSERT_EQ(::mprotect(page, whole_pages, PROT_READ), 0);
  EXPECT_FALSE(shared.add("hot"));
  EXPECT_FALSE(shared.add_once("hot"));
  EXPECT_TRUE(shared.contains("hot"));
  ASSERT_EQ(::mprotect(page, whole_pages, PROT_READ | PROT_WRITE), 0);
}

TYPED_TEST(SharedFilters, clear_empties_and_later_adds_hold) {
  TypeParam shared = *TypeParam::with_capacity(1000, 0.01);
  for (std::uint64_t key = 0; key < 1000; ++key) shared.add(key);
  shared.clear();
  EXPECT_EQ(shared.bits_set(), 0u);
  EXPECT_TRUE(shared.add("after"));
  EXPECT_TRUE(shared.contains("after"));
}

TYPED_TEST(SharedFilters, refuses_to_merge_what_does_not_fit_and_keeps_its_bits) {
  TypeParam shared = *TypeParam::with_capacity(1000, 0.01);
  shared.add("mine");
  const auto other = *TypeParam::Filter::with_capacity(5000, 0.01);
  const std::uint64_t before = shared.bits_set();
  const Status status = shared.merge(other.view());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::mismatch);
  EXPECT_EQ(shared.bits_set(), before);
}

TYPED_TEST(SharedFilters, takes_over_a_filter_with_its_keys) {
  auto plain = *TypeParam::Filter::with_capacity(1000, 0.01);
  plain.add("before");
  TypeParam shared(std::move(plain));
  EXPECT_TRUE(shared.contains("before"));
  EXPECT_FALSE(TypeParam::with_capacity(0, 0.01).ok());
}

}  // namespace
}  // namespace bloomery
