// The physical limit of a lookup: one cache line at a random place of the same memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bloomery::bench {

// Collects windows over some memory; the answer is the median of the prefetch distance that did best.
class Ceiling {
 public:
  // One window of loads per distance; random holds uniform 64-bit numbers, one per load.
  void window(std::span<const std::uint8_t> memory, std::span<const std::uint64_t> random);
  double ns() const;
  std::size_t best_distance() const;

 private:
  std::vector<std::vector<double>> samples_;  // one vector per distance
};

}  // namespace bloomery::bench
