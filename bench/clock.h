// Time as the benchmarks count it: the CPU time of this thread, so that other programs on the machine cost less noise,
// and the median of several windows, so that one interruption costs none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <vector>

namespace bloomery::bench {

inline double thread_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// Nanoseconds per item of one call of work.
template <class Work>
double ns_per_item(std::size_t items, Work work) {
  const double start = thread_ns();
  work();
  return (thread_ns() - start) / static_cast<double>(items);
}

// The value counts as used, so that nothing that makes it is optimized away.
inline void keep(std::uint64_t value) { asm volatile("" ::"r"(value)); }

// 0 of no samples, which the tables print as "-".
inline double median(std::vector<double> samples) {
  if (samples.empty()) return 0;
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

}  // namespace bloomery::bench
