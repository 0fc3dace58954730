// The sizing of split filters; kinds/common/blocked_sizing.h says how.
#include "bloomery/geometry/split.h"
#include "kinds/common/blocked_sizing.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using sizing::as_double;
using sizing::binomial;
using sizing::blocks_for_bits;
using sizing::check_bits_per_key;
using sizing::check_blocked_target;
using sizing::count_at;
using sizing::equal_low_bits;
using sizing::power;
using sizing::smallest;
using sizing::too_many_blocks;
using sizing::untouched;

double split_fpr(double n, double blocks) {
  double sum = 0;  // inclusion and exclusion over which of the eight bits are not set
  for (std::uint32_t s = 0; s <= 8; ++s) {
    const double term = binomial(8, s) * untouched(n, blocks, power(31.0 / 32, s));
    sum += s % 2 == 0 ? term : -term;
  }
  return std::clamp(sum + equal_low_bits(n, blocks), 0.0, 1.0);
}

}  // namespace

Result<SplitGeometry> SplitGeometry::make(std::uint64_t blocks) {
  return guarded([&]() -> Result<SplitGeometry> {
    if (blocks < 1) return too_many_blocks("split", kMaxBlocks, "give at least one");
    if (blocks > kMaxBlocks)
      return too_many_blocks("split", kMaxBlocks,
                             BlockGeometry::make(blocks, 1).ok() ? "use the kind 'block'" : "give fewer");
    return SplitGeometry{blocks};
  });
}

Result<SplitGeometry> SplitGeometry::for_capacity(std::uint64_t n, double fpr) {
  return guarded([&]() -> Result<SplitGeometry> {
    const auto others = {sizing::kBlock, sizing::kClassic, sizing::kPartitioned, sizing::kQuotient};
    BLOOMERY_TRY(check_blocked_target(n, fpr, kLowestFpr, "split", others));
    const auto good = [&](std::uint64_t blocks) { return split_fpr(as_double(n), as_double(blocks)) <= fpr; };
    if (!good(kMaxBlocks)) return too_many_blocks("split", kMaxBlocks, sizing::use_first_that_can(n, fpr, others));
    return SplitGeometry{smallest(1, kMaxBlocks, good)};
  });
}

Result<SplitGeometry> SplitGeometry::for_bits_per_key(std::uint64_t n, double bits_per_key) {
  return guarded([&]() -> Result<SplitGeometry> {
    BLOOMERY_TRY(check_bits_per_key(n, bits_per_key));
    const double blocks = blocks_for_bits(n, bits_per_key, 8 * kBlockBytes);
    if (blocks > as_double(kMaxBlocks))
      return too_many_blocks(
          "split", kMaxBlocks,
          sizing::kBlock.can_have(n, bits_per_key) ? "use the kind 'block'" : "ask for fewer bits per key");
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

}  // namespace BLOOMERY_NAMESPACE
