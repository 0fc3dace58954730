// The heart of what threads that share a filter are promised, for any filter with add and contains: run on Shared by
// src/live/shared_test.cc, and on a plain filter by tests/live/race.cc, to see ThreadSanitizer object.
#pragma once

#include <atomic>
#include <cstdint>
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

// Each thread adds keys of its own and tells the others how far it has come; they ask for what it has told. Returns how
// many of those were not found.
template <class Filter>
std::uint64_t lost_of_known_adds(Filter& filter, unsigned threads, std::uint64_t per_thread) {
  std::vector<std::atomic<std::uint64_t>> added(threads);
  std::atomic<std::uint64_t> lost{0};
  on_threads(threads, [&](unsigned self) {
    for (std::uint64_t i = 0; i < per_thread; ++i) {
      filter.add(key_of(self, i));
      added[self].store(i + 1, std::memory_order_release);
      const unsigned other = static_cast<unsigned>((self + i) % threads);
      const std::uint64_t known = added[other].load(std::memory_order_acquire);
      if (known > 0 && !filter.contains(key_of(other, detail::splitmix64(i) % known))) ++lost;
    }
  });
  return lost;
}

}  // namespace bloomery::testing
