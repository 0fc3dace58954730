// The definition: the inline probes of one key, in a loop.
#include "bloomery/detail/blocked_probe.h"
#include "bloomery/detail/ribbon_probe.h"
#include "kernel/hash_loop.h"
#include "kernel/kernel.h"
#include "kernel/loop.h"
#include "kernel/ranges.h"

namespace BLOOMERY_NAMESPACE::kernel {
namespace {

struct Split {
  bool contains(const std::uint8_t* block, std::uint64_t hash) const {
    return detail::split_contains(block, Hash(hash));
  }
  bool add(std::uint8_t* block, std::uint64_t hash) const { return detail::split_add(block, Hash(hash)); }
};

struct Block {
  std::uint32_t k;
  bool contains(const std::uint8_t* block, std::uint64_t hash) const {
    return detail::block_contains(block, k, Hash(hash));
  }
  bool add(std::uint8_t* block, std::uint64_t hash) const { return detail::block_add(block, k, Hash(hash)); }
};

bool split_contains_one(const std::uint8_t* block, std::uint64_t hash) { return Split{}.contains(block, hash); }
bool split_contains_stored(const std::uint8_t* block, const std::uint64_t& hash) {
  return split_contains_one(block, hash);
}
bool block_contains_one(const std::uint8_t* block, std::uint32_t k, std::uint64_t hash) {
  return Block{k}.contains(block, hash);
}
bool split_add_one(std::uint8_t* block, std::uint64_t hash) { return Split{}.add(block, hash); }
bool block_add_one(std::uint8_t* block, std::uint32_t k, std::uint64_t hash) { return Block{k}.add(block, hash); }
void split_contains(const std::uint8_t* bytes, const Batch& batch, std::uint8_t* answers) {
  contains_all<SplitOffset>(bytes, batch, Split{}, answers);
}
void split_add(std::uint8_t* bytes, const Batch& batch) { add_all<SplitOffset>(bytes, batch, Split{}); }
void block_contains(const std::uint8_t* bytes, const Batch& batch, std::uint8_t* answers) {
  contains_all<BlockOffset>(bytes, batch, Block{batch.k}, answers);
}
void block_add(std::uint8_t* bytes, const Batch& batch) { add_all<BlockOffset>(bytes, batch, Block{batch.k}); }

}  // namespace

std::uint64_t ribbon_windows_scalar(const RibbonPlan& plan, const std::uint64_t* places, std::size_t count,
                                    const RibbonWindows& into) {
  detail::RibbonLayer layer;
  layer.starts = plan.starts;
  layer.cut = plan.cut;
  layer.high = plan.high;
  std::uint64_t bumped = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const detail::RibbonWindow window = detail::ribbon_window(plan.layer, layer, plan.columns, places[i]);
    into.from[i] = window.from;
    into.coefficients[i] = window.coefficients;
    into.columns[i] = window.columns;
    bumped |= std::uint64_t{window.columns == 0} << i;
  }
  return bumped;
}

void ribbon_matches_scalar(const RibbonRun& run, std::uint8_t* answers) {
  for (std::size_t i = 0; i < run.count; ++i) {
    __builtin_prefetch(run.soon[i]);
    __builtin_prefetch(run.soon[i] + run.reach);
    const detail::RibbonWindow window{run.from[i], run.coefficients[i], run.columns[i]};
    answers[i] = window.columns == 0 || detail::ribbon_matches(window) ? 1 : 0;
  }
}

const Kernel kScalar = {"scalar",
                        false,
                        split_contains_stored,
                        block_contains_one,
                        split_add_one,
                        block_add_one,
                        split_contains,
                        split_add,
                        block_contains,
                        block_add,
                        bits_set_in,
                        or_into,
                        and_into,
                        kIntegerHashing<std::uint64_t>};

}  // namespace BLOOMERY_NAMESPACE::kernel

bool bloomery::detail::ribbon_matches_more(const RibbonWindow& window, std::uint64_t fingerprint) {
  std::uint32_t word = 1;
  for (; 8 * (word + 1) < window.columns; ++word)
    if (ribbon_misses(window, fingerprint, word) != 0) return false;
  return ribbon_misses(window, fingerprint, word) << (64 - 8 * (window.columns - 8 * word)) == 0;
}
