// Batches of a ribbon filter: the windows of some keys are found, and their lines fetched, while the equations of keys
// before them are looked at. In small runs of each: two loops that fit in registers.
#include <algorithm>
#include <array>

#include "bloomery/ribbon.h"
#include "filter/ribbon_deeper.h"

namespace bloomery {
namespace {

constexpr std::size_t kRun = 8, kAhead = 24, kInFlight = kRun + kAhead;

// The windows of keys in flight. One array each: g++ copies a struct by a vector load that has to wait for the stores
// of its parts.
struct Windows {
  std::array<const std::uint8_t*, kInFlight> from;
  std::array<std::uint64_t, kInFlight> coefficients;
  std::array<std::uint32_t, kInFlight> columns;
};

}  // namespace

void RibbonLayout::contains_many(const std::uint8_t* bytes, std::span<const Hash> hashes, std::uint8_t* answers) const {
  const RibbonLayout layout = *this;  // which no store of an answer can change
  const detail::RibbonMap map(geometry_);
  Windows windows;
  const auto fetch = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      detail::RibbonWindow window = layout.window(bytes, hashes[i]);
      if (window.columns == 0)
        window = detail::deeper_window(bytes, map, layout.geometry_.columns, window.coefficients);
      __builtin_prefetch(window.from);
      __builtin_prefetch(window.from + 8 * window.columns - 1);
      windows.from[i % kInFlight] = window.from;
      windows.coefficients[i % kInFlight] = window.coefficients;
      windows.columns[i % kInFlight] = window.columns;
    }
  };
  const auto answer = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const detail::RibbonWindow window{windows.from[i % kInFlight], windows.coefficients[i % kInFlight],
                                        windows.columns[i % kInFlight]};
      answers[i] = detail::ribbon_answer(window, layout.geometry_.bumped.back()) ? 1 : 0;
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
