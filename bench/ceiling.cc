// One 8-byte load from each of many random 64-byte lines, with the best of several prefetch distances. No lookup of a
// filter in this memory, which reads at least one such line, can be faster.
#include "bench/ceiling.h"

#include <algorithm>
#include <array>

#include "bench/clock.h"
#include "bloomery/detail/bits.h"

namespace bloomery::bench {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::array<std::size_t, 10> kDistances = {0, 4, 8, 16, 24, 32, 48, 64, 96, 128};

volatile std::uint64_t g_sink;

std::uint64_t load_lines(const std::uint8_t* memory, std::uint64_t lines, std::span<const std::uint64_t> random,
                         std::size_t distance) {
  const auto line = [&](std::size_t i) { return memory + detail::mulhi64(random[i], lines) * kLine; };
  const std::size_t ahead = random.size() - std::min(distance, random.size());
  std::uint64_t sum = 0;
  std::size_t i = 0;
  if (distance > 0) {
    for (; i < ahead; ++i) {
      __builtin_prefetch(line(i + distance));
      sum += detail::load_le<std::uint64_t>(line(i));
    }
  }
  for (; i < random.size(); ++i) sum += detail::load_le<std::uint64_t>(line(i));
  return sum;
}

}  // namespace

void Ceiling::window(std::span<const std::uint8_t> memory, std::span<const std::uint64_t> random) {
  const std::uint64_t lines = std::max<std::uint64_t>(memory.size() / kLine, 1);
  samples_.resize(kDistances.size());
  if (memory.size() < kLine) return;
  g_sink = load_lines(memory.data(), lines, random.first(random.size() / 4), 0);  // warms the caches
  for (std::size_t d = 0; d < kDistances.size(); ++d)
    samples_[d].push_back(
        ns_per_item(random.size(), [&] { g_sink = load_lines(memory.data(), lines, random, kDistances[d]); }));
}

double Ceiling::ns() const {
  double best = 0;
  for (const std::vector<double>& of_distance : samples_) {
    const double ns = median(of_distance);
    if (best == 0 || ns < best) best = ns;
  }
  return best;
}

std::size_t Ceiling::best_distance() const {
  for (std::size_t d = 0; d < samples_.size(); ++d)
    if (median(samples_[d]) == ns()) return kDistances[d];
  return 0;
}

}  // namespace bloomery::bench
