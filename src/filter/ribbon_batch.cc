// Batches of a ribbon filter: the windows of some keys are found, and their lines fetched, while the equations of keys
// before them are looked at. In small runs of each: two loops that fit in registers.
#include <algorithm>
#include <array>

#include "bloomery/ribbon.h"
#include "filter/ribbon_deeper.h"
#include "kernel/kernel.h"

namespace bloomery {
namespace {

constexpr std::size_t kRun = 16, kAhead = 48, kInFlight = kRun + kAhead;
constexpr std::uint64_t kMostPlanned = std::uint64_t{1} << 31;  // starts, of what kernels work on

// The windows of keys in flight. One array each: g++ copies a struct by a vector load that has to wait for the stores
// of its parts.
struct Windows {
  std::array<const std::uint8_t*, kInFlight> from;
  std::array<std::uint64_t, kInFlight> coefficients;
  std::array<std::uint32_t, kInFlight> columns;

  void set(std::size_t i, const detail::RibbonWindow& window) {
    from[i] = window.from;
    coefficients[i] = window.coefficients;
    columns[i] = window.columns;
  }
};

}  // namespace

void RibbonLayout::contains_many(const std::uint8_t* bytes, std::span<const Hash> hashes, std::uint8_t* answers) const {
  const RibbonLayout layout = *this;  // which no store of an answer can change
  const detail::RibbonMap map(geometry_);
  Windows windows;
  const kernel::RibbonPlan plan{bytes,
                                layout.first_.starts,
                                layout.first_.cut,
                                layout.first_.codes_bytes(),
                                layout.first_.high,
                                layout.geometry_.columns};
  const bool planned = layout.geometry_.seed == 0 && plan.starts > 0 && plan.starts < kMostPlanned;
  const auto fetch = [&](std::size_t first, std::size_t last) {
    const std::size_t at = first % kInFlight;
    if (planned)
      kernel::active().ribbon_windows(plan, &hashes.data()[first].bits, last - first,
                                      {&windows.from[at], &windows.coefficients[at], &windows.columns[at]});
    for (std::size_t i = at; i < at + (last - first); ++i) {
      if (!planned) windows.set(i, layout.window(bytes, hashes[first + i - at]));
      if (windows.columns[i] == 0) [[unlikely]]
        windows.set(i, detail::deeper_window(bytes, map, layout.geometry_.columns, windows.coefficients[i]));
      __builtin_prefetch(windows.from[i]);
      __builtin_prefetch(windows.from[i] + 8 * windows.columns[i] - 1);
    }
  };
  const bool by_kernel = layout.geometry_.columns <= 8;
  const std::uint64_t listed = layout.geometry_.bumped.back();
  const auto answer = [&](std::size_t first, std::size_t last) {
    const std::size_t at = first % kInFlight;
    if (by_kernel)
      kernel::active().ribbon_matches(
          {&windows.from[at], &windows.coefficients[at], &windows.columns[at], last - first}, answers + first);
    for (std::size_t i = first; i < last; ++i) {
      if (by_kernel && windows.columns[i % kInFlight] > 0) continue;
      const detail::RibbonWindow window{windows.from[i % kInFlight], windows.coefficients[i % kInFlight],
                                        windows.columns[i % kInFlight]};
      answers[i] = detail::ribbon_answer(window, listed) ? 1 : 0;
    }
  };
  const std::size_t count = hashes.size();
  fetch(0, std::min(kAhead, count));
  for (std::size_t i = 0; i < count; i += kRun) {
    fetch(std::min(i + kAhead, count), std::min(i + kInFlight, count));
    answer(i, std::min(i + kRun, count));
  }
}

}  // namespace bloomery
