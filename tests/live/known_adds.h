// The heart of what threads that share a filter are promised, for any filter with add and contains: run on Shared by
// src/live/shared_test.cc, and on a plain filter by tests/live/race.cc, to see ThreadSanitizer object. Its parts also
// serve src/live/together_test.cc.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include "bloomery/detail/fnv.h"

namespace bloomery::testing {

// Runs work(t) on so many threads.
template <class Work>
void on_threads(unsigned count, Work work) {
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < count; ++t) threads.emplace_back(work, t);
  for (std::thread& thread : threads) thread.join();
}

inline std::uint64_t key_of(unsigned thread, std::uint64_t i) { return (std::uint64_t{thread} << 40) + i; }

// How many keys of its own each thread has come through, and tells the others.
class Progress {
 public:
  explicit Progress(unsigned threads) : counts_(threads) {}

  void tell(unsigned thread, std::uint64_t count) { counts_[thread].store(count, std::memory_order_release); }
  std::uint64_t of(unsigned thread) const { return counts_[thread].load(std::memory_order_acquire); }
  std::uint64_t sum() const {
    std::uint64_t sum = 0;
    for (unsigned t = 0; t < counts_.size(); ++t) sum += of(t);
    return sum;
  }
  // One of the keys that the thread has told of, when there is any.
  std::optional<std::uint64_t> some_key_of(unsigned thread, std::uint64_t random) const {
    const std::uint64_t known = of(thread);
    if (known == 0) return std::nullopt;
    return key_of(thread, detail::splitmix64(random) % known);
  }

 private:
  std::vector<std::atomic<std::uint64_t>> counts_;
};

// Each thread adds keys of its own and tells the others how far it has come; they ask for what it has told. Returns how
// many of those were not found.
template <class Filter>
std::uint64_t lost_of_known_adds(Filter& filter, unsigned threads, std::uint64_t per_thread) {
  Progress added(threads);
  std::atomic<std::uint64_t> lost{0};
  on_threads(threads, [&](unsigned self) {
    for (std::uint64_t i = 0; i < per_thread; ++i) {
      filter.add(key_of(self, i));
      added.tell(self, i + 1);
      const auto known = added.some_key_of(static_cast<unsigned>((self + i) % threads), i);
      if (known && !filter.contains(*known)) ++lost;
    }
  });
  return lost;
}

}  // namespace bloomery::testing
