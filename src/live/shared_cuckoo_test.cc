// Threads that share a cuckoo filter. Run under ThreadSanitizer as well (make test).
#include "bloomery/live/shared_cuckoo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "bloomery/detail/fnv.h"
#include "live/known_adds.h"

namespace bloomery {
namespace {

using testing::key_of;
using testing::on_threads;

std::uint64_t scaled(std::uint64_t modest, std::uint64_t full) {
  return std::getenv("BLOOMERY_SOAK") != nullptr ? full : modest;
}

// Memory of an engine's own that ends with the last byte asked for, so that AddressSanitizer sees who goes on.
class ExactMemory final : public MemorySource {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment) noexcept override {
    void* memory = nullptr;
    return ::posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
  }
  void release(void* memory, std::size_t, std::size_t) noexcept override { std::free(memory); }
};
ExactMemory exact_memory;

// By the bits of a fingerprint. Where the buckets of 12 bits do not fill words of 8 bytes, as 2 or 250 do not, memory
// of an engine's own is changed by words of 4.
struct Case {
  const char* name;
  std::uint32_t bits;
  MemorySource* memory;
};
class SharedCuckoo : public ::testing::TestWithParam<Case> {
 protected:
  static Shared<CuckooFilter> with_buckets(std::uint64_t buckets) {
    return *Shared<CuckooFilter>::with_geometry({buckets, GetParam().bits}, {{}, GetParam().memory});
  }
};
INSTANTIATE_TEST_SUITE_P(Bits, SharedCuckoo,
                         ::testing::Values(Case{"8", 8, nullptr}, Case{"12", 12, nullptr}, Case{"16", 16, nullptr},
                                           Case{"12_in_memory_of_an_engine", 12, &exact_memory}),
                         [](const auto& info) { return info.param.name; });

TEST_P(SharedCuckoo, leaves_the_bytes_of_the_plain_filter) {
  Shared<CuckooFilter> shared = with_buckets(250);
  CuckooFilter plain = *CuckooFilter::with_geometry(shared.geometry());
  for (std::uint64_t key = 0; key < 1100; ++key) EXPECT_EQ(shared.add(key).ok(), plain.add(key).ok());
  for (std::uint64_t key = 0; key < 300; ++key) EXPECT_EQ(shared.remove(key), plain.remove(key));
  std::vector<std::uint64_t> keys(1100);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i * 2;
  EXPECT_EQ(shared.add_many(keys).ok(), plain.add_many(keys).ok());
  EXPECT_EQ(shared.add_many(std::vector<std::uint64_t>(9, key_of(1, 1))).error().code, ErrorCode::full);
  EXPECT_EQ(plain.add_many(std::vector<std::uint64_t>(9, key_of(1, 1))).error().code, ErrorCode::full);
  EXPECT_TRUE(*shared.copy() == plain);
  EXPECT_EQ(shared.copy()->key_count(), plain.key_count());
  EXPECT_EQ(shared.key_count(), plain.key_count());
  EXPECT_EQ(shared.fill(), plain.fill());
  std::vector<std::uint8_t> answers(keys.size()), right(keys.size());
  shared.contains_many(keys, answers);
  plain.contains_many(keys, right);
  EXPECT_EQ(answers, right);
  for (std::uint64_t key = 0; key < 3000; ++key) EXPECT_EQ(shared.contains(key), plain.contains(key));
}

TEST_P(SharedCuckoo, a_key_is_there_once_its_add_is_known_to_have_returned) {
  constexpr unsigned kThreads = 4;
  const std::uint64_t count = scaled(4'000, 2'000'000);
  Shared<CuckooFilter> shared = with_buckets(kThreads * count / 2 / 2 * 2);
  struct Added {
    Shared<CuckooFilter>& filter;
    void add(std::uint64_t key) { EXPECT_TRUE(filter.add(key).ok()); }
    bool contains(std::uint64_t key) const { return filter.contains(key); }
  } added{shared};
  EXPECT_EQ(testing::lost_of_known_adds(added, kThreads, count), 0u);
  EXPECT_EQ(shared.key_count(), kThreads * count);
  EXPECT_EQ(shared.bits_set(), kThreads * count);
}

// Two threads add and remove keys of their own at 90 to 95 % load, so that everything moves all the time.
TEST_P(SharedCuckoo, keys_that_stay_are_never_denied_while_others_come_and_go) {
  constexpr std::uint64_t kBuckets = 502, kStay = 900, kOwn = 490;  // 1880 of 2008 slots
  Shared<CuckooFilter> shared = with_buckets(kBuckets);
  for (std::uint64_t i = 0; i < kStay; ++i) ASSERT_TRUE(shared.add(key_of(9, i)).ok());
  const std::uint64_t rounds = scaled(10'000, 3'000'000);
  std::atomic<std::uint64_t> denied{0}, refused{0}, writing{2};
  on_threads(4, [&](unsigned self) {
    if (self < 2) {
      for (std::uint64_t i = 0; i < rounds + kOwn; ++i) {
        if (i < rounds) refused += !shared.add(key_of(self, i)).ok();
        if (i >= kOwn) denied += !shared.remove(key_of(self, i - kOwn));
      }
      --writing;
      return;
    }
    std::mt19937_64 random(self);
    std::vector<std::uint64_t> keys(64);
    std::vector<std::uint8_t> answers(keys.size());
    while (writing > 0) {
      for (std::uint64_t& key : keys) key = key_of(9, random() % kStay);
      if (self == 2) shared.contains_many(keys, answers);
      else std::transform(keys.begin(), keys.end(), answers.begin(), [&](auto key) { return shared.contains(key); });
      denied += static_cast<std::uint64_t>(std::count(answers.begin(), answers.end(), 0));
    }
  });
  EXPECT_EQ(denied, 0u);
  EXPECT_EQ(refused, 0u);
  EXPECT_EQ(shared.bits_set(), kStay);
  for (std::uint64_t i = 0; i < kStay; ++i) EXPECT_TRUE(shared.contains(key_of(9, i)));
}

// Of eight buckets nearly all are full, so that nearly every add moves others, threads meet at the same buckets, and
// paths are spoilt by the moves of another thread.
TEST_P(SharedCuckoo, threads_that_meet_at_the_same_few_buckets_lose_no_key) {
  constexpr std::uint64_t kStay = 15, kOwn = 4;
  constexpr unsigned kWriters = 3;
  Shared<CuckooFilter> shared = with_buckets(8);
  for (std::uint64_t i = 0; i < kStay; ++i) ASSERT_TRUE(shared.add(key_of(9, i)).ok());
  std::atomic<std::uint64_t> denied{0}, lost{0}, writing{kWriters};
  on_threads(kWriters + 1, [&](unsigned self) {
    if (self == kWriters) {
      while (writing > 0)
        for (std::uint64_t i = 0; i < kStay; ++i) denied += !shared.contains(key_of(9, i));
      return;
    }
    std::vector<std::uint64_t> mine;
    for (std::uint64_t i = 0; i < scaled(100'000, 20'000'000); ++i) {
      if (mine.size() == kOwn || (!mine.empty() && i % 3 == 0)) {
        lost += !shared.remove(mine.front());
        mine.erase(mine.begin());
      }
      if (shared.add(key_of(self, i)).ok()) mine.push_back(key_of(self, i));
      for (const std::uint64_t key : mine) lost += !shared.contains(key);
    }
    for (const std::uint64_t key : mine) lost += !shared.remove(key);
    --writing;
  });
  EXPECT_EQ(denied, 0u);
  EXPECT_EQ(lost, 0u);
  EXPECT_EQ(shared.bits_set(), kStay);
  EXPECT_EQ(shared.key_count(), kStay);
}

// Threads that fill the same few buckets at the same moment, until nearly all slots are taken: nobody overwrites what
// another has put there, in whatever word a slot lies, and what was refused has left nothing. They go through many
// filters side by side, and wait a moment for each other before each, where there are cores enough to be in step.
TEST_P(SharedCuckoo, threads_that_fill_the_same_buckets_at_once_overwrite_nobody) {
  constexpr unsigned kThreads = 2;
  constexpr int kPatience = 20'000;
  struct Round {
    Shared<CuckooFilter> filter;
    std::unique_ptr<std::atomic<unsigned>> here = std::make_unique<std::atomic<unsigned>>(0);
    std::array<std::vector<std::uint64_t>, kThreads> keys = {};
  };
  std::vector<Round> rounds;
  for (std::uint64_t i = 0; i < scaled(1'000, 20'000); ++i) rounds.push_back({with_buckets(2 + i % 3 * 2)});
  on_threads(kThreads, [&](unsigned self) {
    for (Round& round : rounds) {
      ++*round.here;
      for (int i = 0; i < kPatience && *round.here < kThreads; ++i) continue;
      for (std::uint64_t i = 0; i < 2 * round.filter.geometry().buckets; ++i)
        if (round.filter.add(key_of(self, i)).ok()) round.keys[self].push_back(key_of(self, i));
    }
  });
  std::uint64_t lost = 0;
  for (Round& round : rounds) {
    EXPECT_EQ(round.filter.bits_set(), round.keys[0].size() + round.keys[1].size());
    for (const auto& keys : round.keys)
      for (const std::uint64_t key : keys) lost += !round.filter.contains(key);
    for (const auto& keys : round.keys)
      for (const std::uint64_t key : keys) lost += !round.filter.remove(key);
    EXPECT_TRUE(*round.filter.copy() == *CuckooFilter::with_geometry(round.filter.geometry()));
  }
  EXPECT_EQ(lost, 0u);
}

// Keys come and go at 94 % load, so that others move while the filter is copied. A copy holds every key that was in
// before it began and stays, and no key twice: it has no more fingerprints than were ever in at once.
TEST_P(SharedCuckoo, a_copy_holds_every_key_that_was_in_and_none_twice) {
  constexpr std::uint64_t kBuckets = 2002, kStay = 7'000, kOwn = 260;  // up to 7522 of 8008 slots
  constexpr unsigned kWriters = 2;
  Shared<CuckooFilter> shared = with_buckets(kBuckets);
  for (std::uint64_t i = 0; i < kStay; ++i) ASSERT_TRUE(shared.add(key_of(9, i)).ok());
  std::atomic<bool> copied{false};
  on_threads(kWriters + 1, [&](unsigned self) {
    if (self < kWriters) {
      for (std::uint64_t i = 0; !copied; ++i) {
        EXPECT_TRUE(shared.add(key_of(self, i)).ok());
        EXPECT_TRUE(i < kOwn || shared.remove(key_of(self, i - kOwn)));
      }
      return;
    }
    for (std::uint64_t copies = 0; copies < scaled(30, 100'000); ++copies) {
      const CuckooFilter copy = *shared.copy();
      std::uint64_t lost = 0;
      for (std::uint64_t i = 0; i < kStay; ++i) lost += !copy.contains(key_of(9, i));
      EXPECT_EQ(lost, 0u);
      EXPECT_GE(copy.bits_set(), kStay);
      EXPECT_LE(copy.bits_set(), kStay + kWriters * (kOwn + 1));
      EXPECT_EQ(copy.key_count(), copy.bits_set());
    }
    copied = true;
  });
}

// What an add has put into the filter when it returned is in every copy that begins then.
TEST_P(SharedCuckoo, a_copy_holds_every_add_that_returned) {
  constexpr unsigned kAdders = 3;
  constexpr std::uint64_t kCopies = 20;
  const std::uint64_t count = scaled(5'000, 500'000);
  Shared<CuckooFilter> shared = with_buckets(kAdders * count / 19 * 5 / 4 * 4 + 2);
  testing::Progress added(kAdders);
  std::atomic<std::uint64_t> copies{0}, lost{0};
  on_threads(kAdders + 1, [&](unsigned self) {
    for (std::uint64_t i = 0; self < kAdders && i < count; ++i) {
      while (copies < i * kCopies / count) std::this_thread::yield();  // so that they overlap, on however few cores
      EXPECT_TRUE(shared.add(key_of(self, i)).ok());
      added.tell(self, i + 1);
    }
    for (bool last = false; self == kAdders && !last; ++copies) {
      last = added.sum() == kAdders * count;
      const std::array<std::uint64_t, kAdders> known = {added.of(0), added.of(1), added.of(2)};
      const CuckooFilter copy = *shared.copy();
      for (unsigned adder = 0; adder < kAdders; ++adder)
        for (std::uint64_t i = 0; i < known[adder]; ++i) lost += !copy.contains(key_of(adder, i));
    }
  });
  EXPECT_EQ(lost, 0u);
  EXPECT_EQ(shared.key_count(), kAdders * count);
}

TEST_P(SharedCuckoo, goes_on_counting_the_keys_of_the_filter_it_took_over) {
  for (const std::optional<std::uint64_t> known : {std::optional<std::uint64_t>(300), {}}) {
    CuckooFilter plain = *CuckooFilter::with_geometry({250, GetParam().bits}, {{}, GetParam().memory});
    for (std::uint64_t key = 0; key < 300; ++key) ASSERT_TRUE(plain.add(key).ok());
    plain.set_key_count(known);
    Shared<CuckooFilter> shared(std::move(plain));
    EXPECT_EQ(shared.key_count(), known);
    for (std::uint64_t key = 300; key < 310; ++key) ASSERT_TRUE(shared.add(key).ok());
    if (known) {
      EXPECT_EQ(shared.key_count(), 310u);
    }
    for (std::uint64_t key = 0; key < 30; ++key) ASSERT_TRUE(shared.remove(key));
    EXPECT_EQ(shared.key_count(), known ? std::optional<std::uint64_t>(280) : known);
    EXPECT_EQ(shared.copy()->key_count(), shared.key_count());
    EXPECT_EQ(shared.bits_set(), 280u);
  }
}

// A hash of that fingerprint and first bucket, of two buckets.
Hash hash_of(std::uint64_t fingerprint_bits, std::uint64_t bucket, std::uint64_t number) {
  return Hash(bucket << 63 | number << 20 | fingerprint_bits);
}

// Without any move: keys with the fingerprint of one that stays are added to the one bucket, when the other is full,
// and removed from the other, so that the copy which serves the key that stays changes places with every round.
TEST_P(SharedCuckoo, a_copy_that_changes_places_by_adds_and_removes_is_never_missed) {
  Shared<CuckooFilter> shared = with_buckets(2);
  constexpr std::uint64_t kMark = 0x1234;
  const Hash stays = hash_of(kMark, 0, 0), from_first = hash_of(kMark, 0, 1), from_second = hash_of(kMark, 1, 2);
  ASSERT_TRUE(shared.add(stays).ok());
  for (std::uint64_t i = 0; i < 6; ++i) ASSERT_TRUE(shared.add(hash_of(0x9000 + 0x1000 * i, i < 3 ? 0 : 1, 0)).ok());
  std::atomic<std::uint64_t> denied{0}, failed{0}, writing{1};
  on_threads(3, [&](unsigned self) {
    if (self > 0) {
      while (writing > 0) denied += !shared.contains(stays);
      return;
    }
    for (std::uint64_t i = 0; i < scaled(100'000, 20'000'000); ++i) {
      const Hash other = i % 2 == 0 ? from_first : from_second;
      failed += !shared.add(other).ok();
      failed += !shared.remove(other);
    }
    --writing;
  });
  EXPECT_EQ(denied, 0u);
  EXPECT_EQ(failed, 0u);
}

}  // namespace
}  // namespace bloomery
