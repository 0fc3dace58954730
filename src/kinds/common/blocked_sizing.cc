// The sizing of split and block filters. A key touches one block only, so the number of keys in its block is random,
// and the rate is the mean over that spread. spec/split.md and spec/block.md derive the formulas; the form here is the
// exact one for n keys, which holds for n = 1 as for n = 10^10.
#include <algorithm>
#include <cmath>
#include <string>

#include "bloomery/geometry/block.h"
#include "bloomery/geometry/split.h"
#include "core/base/error.h"
#include "kinds/common/line_fpr.h"
#include "kinds/common/target.h"

namespace BLOOMERY_NAMESPACE {
namespace {

constexpr double kBitsPerLine = 512;

using sizing::as_double;
using sizing::binomial;
using sizing::check_bits_per_key;
using sizing::equal_low_bits;
using sizing::minus_log_of_rest;
using sizing::power;
using sizing::short_number;
using sizing::smallest;
using sizing::untouched;

double split_fpr(double n, double blocks) {
  double sum = 0;  // inclusion and exclusion over which of the eight bits are not set
  for (std::uint32_t s = 0; s <= 8; ++s) {
    const double term = binomial(8, s) * untouched(n, blocks, power(31.0 / 32, s));
    sum += s % 2 == 0 ? term : -term;
  }
  return std::clamp(sum + equal_low_bits(n, blocks), 0.0, 1.0);
}

double block_fpr(double n, double blocks, std::uint32_t k) { return sizing::line_fpr(n, blocks, k, kBitsPerLine); }

Status check_target(std::uint64_t n, double fpr, double lowest, const char* kind, const char* instead) {
  if (n == 0) return invalid_argument("n", "n is 0: a filter is sized for at least one key");
  if (!(fpr > 0 && fpr < 1))
    return invalid_argument(
        "fpr", "the false-positive rate is " + short_number(fpr) + ": it must lie between 0 and 1, as 0.01");
  if (fpr < lowest)
    return invalid_argument("fpr", "the kind '" + std::string(kind) + "' does not go below a false-positive rate of " +
                                       short_number(lowest) + ": " + instead);
  return {};
}

Error too_many_blocks(const char* kind, std::uint64_t limit, const char* instead) {
  return invalid_argument("blocks", "a filter of the kind '" + std::string(kind) + "' has 1 to " +
                                        std::to_string(limit) + " blocks: " + instead);
}

constexpr const char* kInsteadOfSplit = "use the kind 'block'";
constexpr const char* kInsteadOfBlock = "ask for a higher rate";
constexpr const char* kSmaller = "ask for fewer keys or a higher false-positive rate";

// n from the share of bits that are set: a key leaves a bit of its block unset with chance `miss`.
std::optional<double> count_at(double fill, double blocks, double miss) {
  if (fill >= 1) return std::nullopt;
  return minus_log_of_rest(fill) / minus_log_of_rest((1 - miss) / blocks);
}

double blocks_for_bits(std::uint64_t n, double bits_per_key, double bits_per_block) {
  return std::max(1.0, std::ceil(as_double(n) * bits_per_key / bits_per_block));
}

// The k with the lowest rate for n keys in so many blocks.
std::uint32_t best_k(double n, double blocks) {
  std::uint32_t best = 1;
  for (std::uint32_t k = 2; k <= BlockGeometry::kMaxK; ++k)
    if (block_fpr(n, blocks, k) < block_fpr(n, blocks, best)) best = k;
  return best;
}

}  // namespace

Result<SplitGeometry> SplitGeometry::make(std::uint64_t blocks) {
  return guarded([&]() -> Result<SplitGeometry> {
    if (blocks < 1) return too_many_blocks("split", kMaxBlocks, "give at least one");
    if (blocks > kMaxBlocks) return too_many_blocks("split", kMaxBlocks, kInsteadOfSplit);
    return SplitGeometry{blocks};
  });
}

Result<SplitGeometry> SplitGeometry::for_capacity(std::uint64_t n, double fpr) {
  return guarded([&]() -> Result<SplitGeometry> {
    BLOOMERY_TRY(check_target(n, fpr, kLowestFpr, "split", kInsteadOfSplit));
    const auto good = [&](std::uint64_t blocks) { return split_fpr(as_double(n), as_double(blocks)) <= fpr; };
    if (!good(kMaxBlocks)) return too_many_blocks("split", kMaxBlocks, kInsteadOfSplit);
    return SplitGeometry{smallest(1, kMaxBlocks, good)};
  });
}

Result<SplitGeometry> SplitGeometry::for_bits_per_key(std::uint64_t n, double bits_per_key) {
  return guarded([&]() -> Result<SplitGeometry> {
    BLOOMERY_TRY(check_bits_per_key(n, bits_per_key));
    const double blocks = blocks_for_bits(n, bits_per_key, 8 * kBlockBytes);
    if (blocks > as_double(kMaxBlocks)) return too_many_blocks("split", kMaxBlocks, kInsteadOfSplit);
    return SplitGeometry{static_cast<std::uint64_t>(blocks)};
  });
}

Result<SplitGeometry> SplitGeometry::for_bytes(std::uint64_t bytes) { return make(bytes / kBlockBytes); }

double SplitGeometry::expected_fill(std::uint64_t n) const {
  return 1 - untouched(as_double(n), as_double(blocks), 31.0 / 32);
}

double SplitGeometry::predicted_fpr_after(std::uint64_t n) const { return split_fpr(as_double(n), as_double(blocks)); }

double SplitGeometry::predicted_fpr_at(std::uint64_t bits_set) const {
  const auto n = count_at(as_double(bits_set) / as_double(bits()), as_double(blocks), 31.0 / 32);
  return n ? split_fpr(*n, as_double(blocks)) : 1;
}

double SplitGeometry::predicted_fpr_of(double products, std::uint64_t bits_set) const {
  const double all = as_double(blocks);
  const auto n = count_at(as_double(bits_set) / as_double(bits()), all, 31.0 / 32);
  return n ? std::clamp(products / 0x1p40 / all + equal_low_bits(*n, all), 0.0, 1.0) : 1;
}

std::optional<std::uint64_t> SplitGeometry::estimated_count(std::uint64_t bits_set) const {
  const auto n = count_at(as_double(bits_set) / as_double(bits()), as_double(blocks), 31.0 / 32);
  if (!n) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(*n));
}

Result<BlockGeometry> BlockGeometry::make(std::uint64_t blocks, std::uint64_t k) {
  return guarded([&]() -> Result<BlockGeometry> {
    if (blocks < 1 || blocks > kMaxBlocks) return too_many_blocks("block", kMaxBlocks, kSmaller);
    if (k < 1 || k > kMaxK)
      return invalid_argument("k", "k is " + std::to_string(k) + ": a block filter sets 1 to 16 bits per key");
    return BlockGeometry{blocks, static_cast<std::uint32_t>(k)};
  });
}

Result<BlockGeometry> BlockGeometry::for_capacity(std::uint64_t n, double fpr) {
  return guarded([&]() -> Result<BlockGeometry> {
    BLOOMERY_TRY(check_target(n, fpr, kLowestFpr, "block", kInsteadOfBlock));
    BlockGeometry best{kMaxBlocks, 0};
    for (std::uint32_t k = 1; k <= kMaxK; ++k) {
      const auto good = [&](std::uint64_t blocks) { return block_fpr(as_double(n), as_double(blocks), k) <= fpr; };
      // Only a k that can do with fewer blocks than the best so far is worth a search.
      const std::uint64_t limit = best.k == 0 ? kMaxBlocks : best.blocks - 1;
      if (limit >= 1 && good(limit)) best = {smallest(1, limit, good), k};
    }
    if (best.k == 0) return too_many_blocks("block", kMaxBlocks, kSmaller);
    return best;
  });
}

Result<BlockGeometry> BlockGeometry::for_bits_per_key(std::uint64_t n, double bits_per_key) {
  return guarded([&]() -> Result<BlockGeometry> {
    BLOOMERY_TRY(check_bits_per_key(n, bits_per_key));
    const double blocks = blocks_for_bits(n, bits_per_key, 8 * kBlockBytes);
    if (blocks > as_double(kMaxBlocks)) return too_many_blocks("block", kMaxBlocks, kSmaller);
    return BlockGeometry{static_cast<std::uint64_t>(blocks), best_k(as_double(n), blocks)};
  });
}

Result<BlockGeometry> BlockGeometry::for_bytes(std::uint64_t bytes, std::uint64_t n) {
  return guarded([&]() -> Result<BlockGeometry> {
    Result<BlockGeometry> any_k = make(bytes / kBlockBytes, 1);
    BLOOMERY_TRY(any_k);
    return BlockGeometry{any_k->blocks, best_k(as_double(std::max<std::uint64_t>(n, 1)), as_double(any_k->blocks))};
  });
}

double BlockGeometry::expected_fill(std::uint64_t n) const {
  return 1 - untouched(as_double(n), as_double(blocks), power(1 - 1 / kBitsPerLine, k));
}

double BlockGeometry::predicted_fpr_after(std::uint64_t n) const {
  return block_fpr(as_double(n), as_double(blocks), k);
}

double BlockGeometry::predicted_fpr_at(std::uint64_t bits_set) const {
  const double fill = as_double(bits_set) / as_double(bits());
  const auto n = count_at(fill, as_double(blocks), power(1 - 1 / kBitsPerLine, k));
  return n ? block_fpr(*n, as_double(blocks), k) : 1;
}

double BlockGeometry::predicted_fpr_of(std::span<const std::uint64_t, kBitsPerBlock + 1> blocks_with) const {
  double sum = 0;
  std::uint64_t bits_set = 0;
  for (std::size_t c = 1; c < blocks_with.size(); ++c) {
    sum += as_double(blocks_with[c]) * power(as_double(c) / kBitsPerLine, k);
    bits_set += c * blocks_with[c];
  }
  const double all = as_double(blocks);
  const auto n = count_at(as_double(bits_set) / as_double(bits()), all, power(1 - 1 / kBitsPerLine, k));
  return n ? std::clamp(sum / all + equal_low_bits(*n, all), 0.0, 1.0) : 1;
}

std::optional<std::uint64_t> BlockGeometry::estimated_count(std::uint64_t bits_set) const {
  const double fill = as_double(bits_set) / as_double(bits());
  const auto n = count_at(fill, as_double(blocks), power(1 - 1 / kBitsPerLine, k));
  if (!n) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(*n));
}

}  // namespace BLOOMERY_NAMESPACE
