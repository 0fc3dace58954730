// Batches of a ribbon filter, in runs: the windows of a run are found, and their lines fetched one by one while the
// equations of the run before are looked at.
#include <algorithm>
#include <array>
#include <bit>

#include "bloomery/ribbon.h"
#include "kernel/kernel.h"
#include "kinds/common/run_hashes.h"
#include "kinds/ribbon/by_kernel.h"
#include "kinds/ribbon/deeper.h"

namespace BLOOMERY_NAMESPACE {
namespace {

constexpr std::size_t kRun = 64;                                // keys: a bit each
constexpr std::uint64_t kMostPlanned = std::uint64_t{1} << 31;  // starts, of what kernels work on
constexpr std::uint32_t kMostColumns = 16;                      // the same

// One array each: g++ copies a struct by a vector load that has to wait for the stores of its parts.
struct Run {
  std::array<const std::uint8_t*, kRun> from;
  std::array<std::uint64_t, kRun> coefficients;
  std::array<std::uint32_t, kRun> columns;
  std::uint64_t listed;  // the keys that only the list can answer
};

class Batch {
 public:
  Batch(const kernel::Kernel& isa, const RibbonGeometry& geometry, const std::uint8_t* bytes)
      : geometry_(geometry), map_(geometry), bytes_(bytes), last_byte_(8 * geometry.columns - 1) {
    const detail::RibbonLayer& first = map_.layers.front();
    plan_ = {bytes, first.starts, first.cut, first.codes_bytes(), first.high, geometry.columns};
    if (first.starts == 0) return;  // all keys are listed, and there may be fewer bytes than a kernel reads
    if (first.starts < kMostPlanned) find_windows_ = isa.ribbon_windows;
    if (geometry.columns <= kMostColumns) matches_ = isa.ribbon_matches;
  }

  void find(std::span<const Hash> hashes, Run& run) const {
    std::array<std::uint64_t, kRun> mixed;
    if (geometry_.seed != 0)
      for (std::size_t i = 0; i < hashes.size(); ++i) mixed[i] = detail::ribbon_place(hashes[i], geometry_.seed);
    const std::uint64_t* places = geometry_.seed == 0 ? &hashes.data()->bits : mixed.data();
    std::uint64_t bumped =
        find_windows_(plan_, places, hashes.size(), {run.from.data(), run.coefficients.data(), run.columns.data()});
    run.listed = 0;
    for (; bumped != 0; bumped &= bumped - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(bumped));
      const detail::RibbonWindow window = detail::deeper_window(bytes_, map_, geometry_.columns, run.coefficients[i]);
      run.from[i] = window.columns == 0 ? bytes_ : window.from;  // where a kernel can read: the list may be short
      run.coefficients[i] = window.coefficients;
      run.columns[i] = window.columns;
      if (window.columns == 0) run.listed |= std::uint64_t{1} << i;
    }
  }

  void fetch(const Run& run, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) {
      __builtin_prefetch(run.from[i]);
      __builtin_prefetch(run.from[i] + last_byte_);
    }
  }

  void answer(const Run& run, std::size_t count, const Run& next, std::uint8_t* answers) const {
    matches_({run.from.data(), run.coefficients.data(), run.columns.data(), count, next.from.data(), last_byte_,
              geometry_.columns},
             answers);
    for (std::uint64_t listed = run.listed; listed != 0; listed &= listed - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(listed));
      answers[i] = detail::ribbon_lists(bytes_ + map_.list, geometry_.bumped.back(), run.coefficients[i]) ? 1 : 0;
    }
  }

 private:
  RibbonGeometry geometry_;
  detail::RibbonMap map_;
  const std::uint8_t* bytes_;
  std::size_t last_byte_;  // of a window
  kernel::RibbonPlan plan_;
  decltype(&kernel::ribbon_windows_scalar) find_windows_ = kernel::ribbon_windows_scalar;
  decltype(&kernel::ribbon_matches_scalar) matches_ = kernel::ribbon_matches_scalar;
};

}  // namespace

void detail::ribbon_contains_by(const kernel::Kernel& isa, const RibbonGeometry& geometry, const std::uint8_t* bytes,
                                const KeyRun& keys, std::uint8_t* answers) {
  if (keys.count == 0) return;
  const Batch batch(isa, geometry, bytes);
  std::array<Hash, kRun> room;
  std::array<Run, 2> runs;
  runs[1].from.fill(bytes);  // which is fetched even where no key is left for it
  std::span<const Hash> some = detail::hashes_of(keys, 0, room);
  batch.find(some, runs[0]);
  batch.fetch(runs[0], some.size());
  for (std::size_t i = 0, turn = 0; i < keys.count; i += kRun, turn = 1 - turn) {
    const std::size_t count = some.size();
    some = detail::hashes_of(keys, i + kRun, room);
    if (!some.empty()) batch.find(some, runs[1 - turn]);
    batch.answer(runs[turn], count, runs[1 - turn], answers + i);
  }
}

void RibbonLayout::contains_run(const std::uint8_t* bytes, const KeyRun& keys, std::uint8_t* answers) const {
  detail::ribbon_contains_by(kernel::active(), geometry_, bytes, keys, answers);
}

void RibbonLayout::contains_many(const std::uint8_t* bytes, std::span<const Hash> hashes, std::uint8_t* answers) const {
  contains_run(bytes, detail::run_of(hashes), answers);
}

}  // namespace BLOOMERY_NAMESPACE
