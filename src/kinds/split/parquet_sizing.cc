// The sizes that Parquet readers take: powers of two from 32 bytes to 128 MiB (spec/parquet.md).
#include <bit>
#include <cstdio>
#include <string>

#include "bloomery/geometry/split.h"
#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE {
namespace {

constexpr SplitGeometry kLargest = {SplitGeometry::kMaxParquetBytes / SplitGeometry::kBlockBytes};
constexpr const char* kSpread = "spread the keys over several filters, as Parquet does with one per row group";

std::string short_number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

Error too_large(std::uint64_t n, double fpr) {
  // A rate that would do, rounded up; one that says nothing is not worth naming.
  const double reached = kLargest.predicted_fpr_after(n) * 1.01;
  return invalid_argument(
      "fpr", std::to_string(n) + " keys at a false-positive rate of " + short_number(fpr) +
                 " take more than 128 MiB, the most that Parquet readers accept: " +
                 (reached < 0.5 ? "ask for a rate of " + short_number(reached) + " or more, or " : "") + kSpread);
}

}  // namespace

bool SplitGeometry::fits_parquet() const { return std::has_single_bit(blocks) && blocks <= kLargest.blocks; }

Result<SplitGeometry> SplitGeometry::for_parquet(std::uint64_t n, double fpr) {
  return guarded([&]() -> Result<SplitGeometry> {
    if (n > 0 && fpr > 0 && fpr < kLowestFpr)
      return invalid_argument("fpr", "Parquet filters do not go below a false-positive rate of " +
                                         short_number(kLowestFpr) + ": ask for that or more");
    if (n > 0 && fpr > 0 && fpr < 1 && kLargest.predicted_fpr_after(n) > fpr) return too_large(n, fpr);
    Result<SplitGeometry> exact = for_capacity(n, fpr);
    BLOOMERY_TRY(exact);
    return exact->rounded_for_parquet();
  });
}

Result<SplitGeometry> SplitGeometry::rounded_for_parquet() const {
  return guarded([&]() -> Result<SplitGeometry> {
    if (blocks < 1 || blocks > kLargest.blocks)
      return invalid_argument("blocks", "a Parquet filter has 1 to " + std::to_string(kLargest.blocks) +
                                            " blocks, 128 MiB at most, and this would have " + std::to_string(blocks) +
                                            ": ask for fewer bits per key, or " + kSpread);
    return SplitGeometry{std::bit_ceil(blocks)};
  });
}

}  // namespace BLOOMERY_NAMESPACE
