// Threads that share a counting filter, with counters of both widths. Run under ThreadSanitizer as well (make test).
#include "bloomery/live/shared_counting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstdlib>
#include <vector>

#include "live/known_adds.h"

namespace bloomery {
namespace {

using testing::key_of;
using testing::on_threads;

std::uint64_t counted_per_thread() { return std::getenv("BLOOMERY_SOAK") != nullptr ? 3'000'000 : 60'000; }

class SharedCounting : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  Shared<CountingFilter> sized(std::uint64_t n) const {
    return *Shared<CountingFilter>::with_geometry(*CountingGeometry::for_capacity(n, 0.01, GetParam()));
  }
  CountingFilter plain(const Shared<CountingFilter>& shared) const {
    return *CountingFilter::with_geometry(shared.geometry());
  }
};
INSTANTIATE_TEST_SUITE_P(Widths, SharedCounting, ::testing::Values(4u, 32u));

TEST_P(SharedCounting, does_to_the_counters_what_the_plain_filter_does) {
  Shared<CountingFilter> shared = sized(1000);
  CountingFilter filter = plain(shared);
  for (std::uint64_t i = 0; i < 3000; ++i) ASSERT_EQ(shared.add(i % 1100), filter.add(i % 1100));
  for (std::uint64_t i = 0; i < 20; ++i) ASSERT_EQ(shared.add("often"), filter.add("often"));
  for (std::uint64_t i = 500; i < 2500; ++i) {
    ASSERT_EQ(shared.remove(i), filter.remove(i)) << i;
    ASSERT_EQ(shared.count(i), filter.view().count(i));
  }
  EXPECT_EQ(*shared.copy(), filter);
  EXPECT_FALSE(shared.copy()->key_count().has_value());
  std::vector<std::uint64_t> keys(5000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i;
  std::vector<std::uint8_t> answers(keys.size()), right(keys.size());
  shared.contains_many(keys, answers);
  filter.contains_many(keys, right);
  EXPECT_EQ(answers, right);
  for (std::uint64_t key : keys) ASSERT_EQ(shared.contains(key), filter.contains(key));
  EXPECT_EQ(*Shared<CountingFilter>(*filter.clone()).copy(), filter) << "takes over what is in";
}

TEST_P(SharedCounting, a_key_is_there_once_its_add_is_known_to_have_returned) {
  Shared<CountingFilter> shared = sized(2 * counted_per_thread());
  EXPECT_EQ(testing::lost_of_known_adds(shared, 2, counted_per_thread()), 0u);
}

// Each thread adds keys that stay and keys that go, and asks for what it knows to stay; the filter is so small that its
// counters are shared by keys of both threads all the time.
TEST_P(SharedCounting, keys_that_stay_are_never_denied_and_the_counters_end_as_of_one_thread) {
  const std::uint64_t count = counted_per_thread(), kept = 200, passing = 16;
  Shared<CountingFilter> shared = sized(2 * kept);
  std::atomic<std::uint64_t> denied{0}, refused{0};
  on_threads(2, [&](unsigned self) {
    std::vector<std::uint64_t> stay;
    std::vector<std::uint8_t> answers(kept);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i < kept) shared.add(stay.emplace_back(key_of(self, i)));
      shared.add(key_of(self + 2, i));
      if (i >= passing) refused += !shared.remove(key_of(self + 2, i - passing));
      denied += !shared.contains(stay[i % stay.size()]);
      if (i % 64 != 0) continue;
      shared.contains_many(stay, answers);
      denied += static_cast<std::uint64_t>(
          std::count(answers.begin(), answers.begin() + static_cast<std::ptrdiff_t>(stay.size()), 0));
    }
    for (std::uint64_t i = count - passing; i < count; ++i) refused += !shared.remove(key_of(self + 2, i));
  });
  EXPECT_EQ(denied, 0u);
  EXPECT_EQ(refused, 0u);
  CountingFilter alone = plain(shared);
  for (unsigned self : {0u, 1u})
    for (std::uint64_t i = 0; i < kept; ++i) alone.add(key_of(self, i));
  const CountingFilter copy = *shared.copy();
  EXPECT_EQ(copy, alone);
  for (unsigned self : {0u, 1u})
    for (std::uint64_t i = 0; i < kept; ++i) EXPECT_TRUE(copy.contains(key_of(self, i)));
}

TEST(SharedCounters, stay_at_zero_and_at_their_maximum_and_leave_their_neighbours_alone) {
  using Four = detail::SharedCounterOf<4>;
  std::uint8_t pair[] = {0x50};
  EXPECT_FALSE(Four::count_down(pair, 0));
  EXPECT_TRUE(Four::count_down(pair, 1));
  EXPECT_TRUE(Four::count_up(pair, 0));
  EXPECT_EQ(pair[0], 0x41);
  pair[0] = 0xf0;
  EXPECT_TRUE(Four::count_down(pair, 1));
  EXPECT_FALSE(Four::count_up(pair, 1));
  EXPECT_EQ(pair[0], 0xf0);
  alignas(4) std::uint8_t wide[] = {0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
  EXPECT_FALSE(detail::SharedCounterOf<32>::count_down(wide, 0));
  EXPECT_FALSE(detail::SharedCounterOf<32>::count_up(wide, 1));
  EXPECT_EQ(detail::load_le<std::uint64_t>(wide), 0xffffffff00000000);
}

// Threads that count up at the last number before a counter is stuck: it never comes round to 0, nothing lowers it any
// more, and the plain filter has it at its maximum.
TEST(SharedCounters, of_32_bits_that_come_to_their_end_stay_there_whoever_counts) {
  using Wide = detail::SharedCounterOf<32>;
  constexpr std::uint32_t kMax = Wide::kMax, kStuck = Wide::kStuck;
  for (const std::uint32_t start : {kStuck - 2, kStuck, kMax - 1, kMax}) {
    CountingFilter plain = *CountingFilter::with_geometry({1, 1, 32});
    detail::store_le(plain.mutable_payload().data(), start);
    Shared<CountingFilter> shared(std::move(plain));
    std::atomic<std::uint64_t> denied{0};
    on_threads(4, [&](unsigned) {
      for (int i = 0; i < 1000; ++i) {
        shared.add(1);
        denied += !shared.contains(1);
      }
    });
    for (int i = 0; i < 5000; ++i) EXPECT_TRUE(shared.remove(1));
    EXPECT_EQ(denied, 0u) << start;
    EXPECT_EQ(shared.count(1), kMax) << start;
    EXPECT_EQ(detail::load_le<std::uint32_t>(shared.copy()->view().payload().data()), kMax) << start;
  }
}

// As if another thread had lowered a counter of the key to 0 after so many of them were taken.
struct RunsOut : detail::SharedCounterOf<4> {
  static inline int left = 0;
  static bool count_down(std::uint8_t* bytes, std::uint64_t index) {
    return left-- > 0 && SharedCounterOf<4>::count_down(bytes, index);
  }
};

TEST(SharedCounters, a_remove_that_another_thread_has_forestalled_puts_everything_back) {
  for (const std::uint64_t hash : {std::uint64_t{0x0123456789abcdef}, std::uint64_t{5}}) {  // 7 counters, and 1
    std::vector<std::uint8_t> bytes(500);
    const detail::Remainder remainder(1000);
    detail::shared_add<RunsOut>(bytes.data(), remainder, 7, Hash(hash));
    const std::vector<std::uint8_t> before = bytes;
    for (int taken = 0; taken < (hash == 5 ? 1 : 7); ++taken) {
      RunsOut::left = taken;
      EXPECT_FALSE(detail::shared_remove<RunsOut>(bytes.data(), remainder, 7, Hash(hash)));
      EXPECT_EQ(bytes, before) << taken;
    }
    RunsOut::left = 7;
    EXPECT_TRUE(detail::shared_remove<RunsOut>(bytes.data(), remainder, 7, Hash(hash)));
    EXPECT_EQ(bytes, std::vector<std::uint8_t>(500));
  }
}

// More removes than adds: those that come too late put back what they took. One key in 2^22 has a single counter; if
// others share it, the second remove takes theirs. Of so many counters hardly any is shared.
TEST_P(SharedCounting, of_two_removes_of_a_key_that_was_added_once_one_is_refused_and_the_counters_are_put_back) {
  constexpr std::uint64_t kAtOnce = 200;
  const std::uint64_t count = counted_per_thread() / kAtOnce * kAtOnce;
  Shared<CountingFilter> shared = *Shared<CountingFilter>::with_geometry({1u << 22, 7, GetParam()});
  std::atomic<std::uint64_t> removed{0};
  std::barrier both(2);
  shared.add("another");
  on_threads(2, [&](unsigned self) {
    for (std::uint64_t first = 0; first < count; first += kAtOnce) {
      for (std::uint64_t i = first; self == 0 && i < first + kAtOnce; ++i) shared.add(i);
      both.arrive_and_wait();
      for (std::uint64_t i = first; i < first + kAtOnce; ++i) removed += shared.remove(i);
      both.arrive_and_wait();
    }
  });
  CountingFilter alone = plain(shared);
  alone.add("another");
  EXPECT_EQ(removed, count);
  EXPECT_EQ(*shared.copy(), alone);
}

}  // namespace
}  // namespace bloomery
