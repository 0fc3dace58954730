// Fills a filter with new keys by several threads, one by one, in batches or behind a mutex: what the tables of shared
// adds time (shared_adds.cc, cuckoo_adds.cc).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>

#include "bench/clock.h"
#include "bench/team.h"
#include "bloomery/detail/fnv.h"
#include "bloomery/hash.h"
#include "bloomery/result.h"

namespace bloomery::bench {

inline Hash hash_of_number(std::uint64_t number) { return Hash(detail::splitmix64(number)); }

// Fills a filter with n new keys by so many threads; the last four fifths are timed. add(first, last) adds the keys of
// these numbers.
template <class Add>
double fill_ns(const Team& team, std::uint64_t n, std::uint64_t& next, const Add& add) {
  const std::uint64_t warm = n / 5 / team.threads, first = std::exchange(next, next + n) + warm * team.threads;
  std::atomic<std::uint64_t> warmed{first - warm * team.threads};
  return team.ns_per_item(
      n - warm * team.threads,
      [&] {
        const std::uint64_t from = warmed.fetch_add(warm);
        add(from, from + warm);
      },
      [&](std::size_t from, std::size_t to) { add(first + from, first + to); });
}

inline bool as_answer(bool changed) { return changed; }
inline bool as_answer(const Status& status) { return status.ok(); }

template <class Filter>
auto one_by_one(Filter& filter) {
  return [&filter](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) keep(as_answer(filter.add(hash_of_number(i))));
  };
}

template <class Filter>
auto in_batches(Filter& filter) {
  return [&filter](std::uint64_t first, std::uint64_t last) {
    constexpr std::size_t kBatch = 1024;
    std::array<Hash, kBatch> hashes;
    for (; first < last; first += kBatch) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kBatch, last - first));
      for (std::size_t i = 0; i < count; ++i) hashes[i] = hash_of_number(first + i);
      (void)filter.add_many(std::span<const Hash>(hashes).first(count));
    }
  };
}

template <class Filter>
auto under_mutex(Filter& filter, std::mutex& mutex) {
  return [&filter, &mutex](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) {
      const std::lock_guard lock(mutex);
      keep(as_answer(filter.add(hash_of_number(i))));
    }
  };
}

}  // namespace bloomery::bench
