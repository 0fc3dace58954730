// One 8-byte load from each of many random 64-byte lines, with the best of several prefetch distances. No lookup of a
// filter in this memory, which reads at least one such line, can be faster.
#include "bench/ceiling.h"

#include <algorithm>

#include "bench/clock.h"
#include "bench/keys.h"
#include "bloomery/detail/bits.h"
#include "bloomery/detail/fnv.h"

namespace bloomery::bench {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::uint64_t kMultiplier = 0xd1342543de82ef95;  // of a full-period generator (Steele and Vigna, 2021)

// Numbers of their own, so that no filter was asked for the same lines just before.
constexpr std::uint64_t kRandom = 4 * kAbsent, kWarm = 5 * kAbsent;

void fill_random(std::uint64_t first, std::span<std::uint64_t> random) {
  for (std::size_t i = 0; i < random.size(); ++i) random[i] = detail::splitmix64(first + i);
}

std::vector<std::uint64_t> random_numbers(std::uint64_t first, std::size_t count) {
  std::vector<std::uint64_t> random(count);
  fill_random(first, random);
  return random;
}

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

void Ceiling::window(std::span<const std::uint8_t> memory, std::size_t loads) {
  for (std::size_t d = 0; d < distances(); ++d) window(memory, loads, d);
}

void Ceiling::window(std::span<const std::uint8_t> memory, std::size_t loads, std::size_t d) {
  const std::vector<std::uint64_t> others = random_numbers(kWarm, loads / 4);
  sample(memory, loads, d, [&] { keep(load_lines(memory.data(), memory.size() / kLine, others, 0)); });
}

void Ceiling::cold_window(std::span<const std::uint8_t> memory, std::size_t loads, void (*empty)()) {
  for (std::size_t d = 0; d < distances(); d += 3) sample(memory, loads, d, empty);  // 0, 16, 48 and 128
}

template <class Before>
void Ceiling::sample(std::span<const std::uint8_t> memory, std::size_t loads, std::size_t d, const Before& before) {
  if (memory.size() < kLine) return;
  const std::uint64_t lines = memory.size() / kLine;
  random_.resize(loads);
  fill_random(kRandom + next_, random_);
  next_ += loads;
  samples_[d].push_back(team_.ns_per_item(loads, before, [&](std::size_t first, std::size_t last) {
    keep(load_lines(memory.data(), lines, std::span(random_).subspan(first, last - first), kDistances[d]));
  }));
}

double Ceiling::ns() const { return median(windows()); }

const std::vector<double>& Ceiling::windows() const { return samples_[best()]; }

std::vector<double> Ceiling::best_windows() const {
  std::vector<double> best = samples_[0];
  for (const std::vector<double>& windows : samples_)
    for (std::size_t w = 0; w < best.size(); ++w) best[w] = std::min(best[w], windows[w]);
  return best;
}

std::size_t Ceiling::best_distance() const { return kDistances[best()]; }

std::size_t Ceiling::best() const {
  std::size_t best = 0;
  double least = 0;
  for (std::size_t d = 0; d < samples_.size(); ++d) {
    if (samples_[d].empty()) continue;
    const double fastest = *std::min_element(samples_[d].begin(), samples_[d].end());
    if (least == 0 || fastest < least) best = d, least = fastest;
  }
  return best;
}

double dependent_load_ns(std::span<const std::uint8_t> memory, std::uint64_t seed, std::size_t loads) {
  if (memory.size() < kLine) return 0;
  const std::uint64_t lines = memory.size() / kLine;
  std::uint64_t at = seed;
  const auto chase = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t loaded = detail::load_le<std::uint64_t>(memory.data() + detail::mulhi64(at, lines) * kLine);
      at = (at + loaded + 1) * kMultiplier;
    }
  };
  chase(loads / 4);  // warms the caches
  const double ns = ns_per_item(loads, [&] { chase(loads); });
  keep(at);
  return ns;
}

}  // namespace bloomery::bench
