// Everything at once: threads that add, ask, merge, save, rebuild and rotate, of every kind. No key that is known to be
// in may be missed, by a filter or by a file. Run under ThreadSanitizer as well (make test), and with 10^8 checks of
// each kind by make soak.
#include <gtest/gtest.h>

#include <functional>
#include <iostream>

#include "bloomery/bloomery.h"
#include "bloomery/live/live.h"
#include "bloomery/live/rotating.h"
#include "live/known_adds.h"
#include "support/scratch.h"

namespace bloomery {
namespace {

using testing::key_of;

constexpr unsigned kAdders = 2, kAskers = 2;
constexpr unsigned kMerger = kAdders;  // its keys have the next number
constexpr std::uint64_t kTurns = 8;    // of merges, snapshots and rebuilds at least
constexpr std::uint64_t kPerWindow = 4000;
constexpr unsigned kWindows = 2;

std::uint64_t keys_of_each_adder() { return std::getenv("BLOOMERY_SOAK") != nullptr ? 10'000'000 : 40'000; }

// What one thread has seen.
struct Tally {
  std::uint64_t checks = 0, lost = 0, refused = 0, absent = 0, denied = 0;

  void must_be_there(bool found) { ++checks, lost += !found; }
  void must_work(const Status& status) { refused += !status.ok(); }
  void is_absent(bool found) { ++absent, denied += !found; }
  void operator+=(const Tally& other) {
    checks += other.checks, lost += other.lost, refused += other.refused;
    absent += other.absent, denied += other.denied;
  }
};

// A key of the rotating filter tells the epoch that was seen before it was added.
struct Seen {
  static constexpr std::uint64_t kEpochs = 1 << 20;
  static std::uint64_t key(unsigned adder, std::uint64_t i, std::uint64_t epoch) {
    return key_of(adder + 1, i) * kEpochs + epoch;
  }
  static std::uint64_t epoch(std::uint64_t key) { return key % kEpochs; }
};

template <class T>
class EverythingAtOnce : public ::testing::Test {
 protected:
  // Each key is written to the truth first, then added, then told to the others.
  void add(unsigned self, Tally& tally) {
    for (std::uint64_t i = 0; i < count; ++i) {
      wait_for_the_others(i);
      const std::uint64_t epoch = seen->epoch(), seen_key = Seen::key(self, i, epoch), key = key_of(self, i);
      written.tell(self, i + 1);
      live->add(key);
      shared.add(key);
      seen->add(seen_key);
      recent[(i * kAdders + self) % recent.size()].store(seen_key, std::memory_order_release);
      added.tell(self, i + 1);
      ask(i, tally);
      if (i % 16 == 0) {
        tally.is_absent(live->contains(~i));
        tally.is_absent(shared.contains(~i));
        tally.is_absent(seen->contains(~i));
      }
    }
    --working;
  }

  // Nobody gets far ahead of the others, on however few cores: so all of them overlap, and no window is overfull.
  void wait_for_the_others(std::uint64_t i) const {
    const std::uint64_t turns = i * kTurns / count;
    while (merges < turns || saves < turns || rebuilds < turns || seen->epoch() + 1 < added.sum() / kPerWindow)
      std::this_thread::yield();
  }

  void ask(std::uint64_t random, Tally& tally) {
    const unsigned adder = static_cast<unsigned>(random % kAdders);
    if (const auto key = added.some_key_of(adder, random)) {
      tally.must_be_there(live->contains(*key));
      tally.must_be_there(shared.contains(*key));
    }
    if (const auto key = merged.some_key_of(kMerger, random)) tally.must_be_there(shared.contains(*key));
    const std::uint64_t key = recent[detail::splitmix64(random) % recent.size()].load(std::memory_order_acquire);
    const bool found = seen->contains(key);
    if (key != 0 && seen->epoch() - Seen::epoch(key) <= kWindows) tally.must_be_there(found);
  }

  // Brings keys of its own, as many as the adders and a whole filter at a time.
  void merge(Tally& tally) {
    for (std::uint64_t i = 0; working > 0;) {
      if (i > added.sum()) {
        std::this_thread::yield();
        continue;
      }
      T part = *T::with_geometry(shared.geometry());
      for (const std::uint64_t end = i + count / kTurns; i < end; ++i) part.add(key_of(kMerger, i));
      tally.must_work(shared.merge(part.view()));
      merged.tell(kMerger, i);
      ++merges;
    }
  }

  void save(Tally& tally) {
    const std::string path = scratch / "live.blm";
    while (working > 0) {
      const std::array<std::uint64_t, kAdders> before = {added.of(0), added.of(1)};
      tally.must_work(live->snapshot(path));
      const Result<FilterFile> file = FilterFile::open(path);  // and verify
      tally.must_be_there(file.ok());
      for (unsigned t = 0; file.ok() && t < kAdders; ++t)
        for (std::uint64_t i = 0; i < before[t]; ++i) tally.must_be_there(file->contains(key_of(t, i)));
      ++saves;
    }
  }

  void rebuild(Tally& tally) {
    while (working > 0) {
      tally.must_work(live->begin_rebuild(kAdders * count, 0.01));
      for (unsigned t = 0; t < kAdders; ++t) {
        const std::uint64_t truth = written.of(t);
        for (std::uint64_t i = 0; i < truth; ++i) tally.must_work(live->feed(key_of(t, i)));
      }
      tally.must_work(live->commit());
      tally.must_be_there(live->self_check());
      (void)live->stats(100);
      ++rebuilds;
    }
  }

  void rotate(Tally& tally) {
    while (working > 0) {
      tally.must_work(seen->advance_to(added.sum() / kPerWindow));
      std::this_thread::yield();
    }
  }

  const std::uint64_t count = keys_of_each_adder();
  std::unique_ptr<LiveFilter<T>> live =
      *LiveFilter<T>::make({.n = kAdders * count, .fpr = 0.01, .patience = std::chrono::minutes(5)});
  Shared<T> shared = *Shared<T>::with_capacity(2 * kAdders * count, 0.01);
  std::unique_ptr<RotatingFilter<T>> seen = *RotatingFilter<T>::make({.n = 3 * kPerWindow, .windows = kWindows});
  testing::Progress written{kAdders}, added{kAdders}, merged{kMerger + 1};
  std::array<std::atomic<std::uint64_t>, (kWindows + 2) * kPerWindow> recent{};  // of the rotating filter's keys
  std::atomic<unsigned> working{kAdders};
  std::atomic<std::uint64_t> merges{0}, saves{0}, rebuilds{0};
  testing::Scratch scratch;
};
using All = ::testing::Types<ClassicFilter, SplitFilter, BlockFilter>;
TYPED_TEST_SUITE(EverythingAtOnce, All);

TYPED_TEST(EverythingAtOnce, loses_no_key) {
  std::vector<std::function<void(Tally&)>> roles = {
      [&](Tally& tally) { this->merge(tally); }, [&](Tally& tally) { this->save(tally); },
      [&](Tally& tally) { this->rebuild(tally); }, [&](Tally& tally) { this->rotate(tally); }};
  for (unsigned self = 0; self < kAdders; ++self)
    roles.emplace_back([&, self](Tally& tally) { this->add(self, tally); });
  for (unsigned self = 0; self < kAskers; ++self)
    roles.emplace_back([&, self](Tally& tally) {
      for (std::uint64_t i = self; this->working > 0; i += kAskers) this->ask(i, tally);
    });
  Tally all;
  std::mutex mutex;
  testing::on_threads(static_cast<unsigned>(roles.size()), [&](unsigned role) {
    Tally tally;
    roles[role](tally);
    const std::lock_guard lock(mutex);
    all += tally;
  });
  for (unsigned t = 0; t < kAdders; ++t)
    for (std::uint64_t i = 0; i < this->count; ++i) {
      all.must_be_there(this->live->contains(key_of(t, i)));
      all.must_be_there(this->shared.contains(key_of(t, i)));
    }
  std::cout << all.checks << " checks; " << this->saves << " snapshots, " << this->rebuilds << " rebuilds, "
            << this->merges << " merges, " << this->seen->epoch() << " windows\n";
  EXPECT_EQ(all.lost, 0u);
  EXPECT_EQ(all.refused, 0u);
  EXPECT_GT(all.denied, all.absent * 9 / 10);  // or nothing was shown: a full filter finds everything
  EXPECT_GT(all.checks, this->count * 10);
  const LiveStats stats = *this->live->stats(100);
  EXPECT_EQ(stats.adds, kAdders * this->count);
  EXPECT_LE(stats.new_adds, stats.adds);
  EXPECT_EQ(stats.rebuilds, this->rebuilds);
  EXPECT_EQ(stats.snapshots, this->saves);
  EXPECT_EQ(stats.retired_bytes, 0u);
}

}  // namespace
}  // namespace bloomery
