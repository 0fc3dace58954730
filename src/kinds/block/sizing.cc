// The sizing of block filters; kinds/common/blocked_sizing.h says how.
#include "bloomery/geometry/block.h"
#include "kinds/common/blocked_sizing.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using sizing::as_double;
using sizing::blocks_for_bits;
using sizing::check_bits_per_key;
using sizing::check_blocked_target;
using sizing::count_at;
using sizing::equal_low_bits;
using sizing::power;
using sizing::smallest;
using sizing::too_many_blocks;
using sizing::untouched;

constexpr double kBitsPerLine = 512;
constexpr const char* kSmaller = "ask for fewer keys or a higher false-positive rate";

double block_fpr(double n, double blocks, std::uint32_t k) { return sizing::line_fpr(n, blocks, k, kBitsPerLine); }

// The k with the lowest rate for n keys in so many blocks.
std::uint32_t best_k(double n, double blocks) {
  std::uint32_t best = 1;
  for (std::uint32_t k = 2; k <= BlockGeometry::kMaxK; ++k)
    if (block_fpr(n, blocks, k) < block_fpr(n, blocks, best)) best = k;
  return best;
}

}  // namespace

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
    BLOOMERY_TRY(
        check_blocked_target(n, fpr, kLowestFpr, "block", {sizing::kClassic, sizing::kPartitioned, sizing::kQuotient}));
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
    if (blocks > as_double(kMaxBlocks)) return too_many_blocks("block", kMaxBlocks, "ask for fewer bits per key");
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
