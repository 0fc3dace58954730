// Counters and histograms that many threads may raise without sharing cache lines. Filters themselves count nothing;
// what wraps them does. figures.h writes their text.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "bloomery/detail/cache_line.h"
#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE {

// A counter alone on its cache line. Any thread may use it; reads may lag behind writes of other threads.
class alignas(detail::kCacheLine) Counter {
 public:
  void add(std::uint64_t by = 1) noexcept { value_.fetch_add(by, std::memory_order_relaxed); }
  std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// Counts values in buckets of powers of two: bucket b counts values v with 2^(b-1) <= v < 2^b, bucket 0 the zeros. Any
// thread may use it; what is read while others record may lack what they are recording.
class alignas(detail::kCacheLine) Histogram {
 public:
  static constexpr std::size_t kBuckets = 65;

  void record(std::uint64_t value) noexcept {
    buckets_[static_cast<std::size_t>(std::bit_width(value))].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(value, std::memory_order_relaxed);
  }
  std::uint64_t bucket(std::size_t index) const noexcept { return buckets_[index].load(std::memory_order_relaxed); }
  std::uint64_t sum() const noexcept { return sum_.load(std::memory_order_relaxed); }
  BLOOMERY_API std::uint64_t count() const noexcept;
  // Returns the upper edge of the bucket that holds the q-quantile of the values, 0 < q <= 1; 0 when there are none.
  BLOOMERY_API std::uint64_t quantile(double q) const noexcept;

 private:
  std::array<std::atomic<std::uint64_t>, kBuckets> buckets_{};
  std::atomic<std::uint64_t> sum_{0};
};

}  // namespace BLOOMERY_NAMESPACE
