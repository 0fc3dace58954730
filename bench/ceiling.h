// The physical limits of a lookup: one cache line at a random place of the same memory, fetched ahead; and one that can
// only be asked for when the line before it has come.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/team.h"

namespace bloomery::bench {

// Collects windows over some memory. The answer is the median of the prefetch distance that did best, which is that of
// the fastest window: the lowest of ten medians would be too low by chance.
class Ceiling {
 public:
  explicit Ceiling(Team team = {}) : team_(team), samples_(kDistances.size()) {}

  // One window of loads per distance, each of lines that no window before has asked for. Or with that distance alone,
  // the d-th: so that what is compared can be measured in turns.
  void window(std::span<const std::uint8_t> memory, std::size_t loads);
  void window(std::span<const std::uint8_t> memory, std::size_t loads, std::size_t d);
  // The same in caches that `empty` has used for something else just before, of every third distance: emptying takes
  // longer than all else.
  void cold_window(std::span<const std::uint8_t> memory, std::size_t loads, void (*empty)());
  static constexpr std::size_t distances() { return kDistances.size(); }
  double ns() const;                           // 0 of memory smaller than a line
  const std::vector<double>& windows() const;  // of the best distance
  std::vector<double> best_windows() const;    // of each round of distances the fastest
  std::size_t best_distance() const;

 private:
  static constexpr std::array<std::size_t, 10> kDistances = {0, 4, 8, 16, 24, 32, 48, 64, 96, 128};

  std::size_t best() const;
  // `before` is called when the lines have been chosen, and is not timed.
  template <class Before>
  void sample(std::span<const std::uint8_t> memory, std::size_t loads, std::size_t d, const Before& before);

  Team team_;
  std::uint64_t next_ = 0;                    // number of the next random line
  std::vector<std::uint64_t> random_;         // kept for its memory
  std::vector<std::vector<double>> samples_;  // one vector per distance
};

// Nanoseconds from one random load to the next that depends on it, with the two multiplications that make its address
// of the value before; 0 of memory smaller than a line.
double dependent_load_ns(std::span<const std::uint8_t> memory, std::uint64_t seed, std::size_t loads);

}  // namespace bloomery::bench
