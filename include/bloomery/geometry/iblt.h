// The numbers that fix an IBLT, how many cells a number of differences takes, and how the counts of the cells estimate
// that number (spec/iblt.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "bloomery/detail/bits.h"
#include "bloomery/export.h"
#include "bloomery/kind.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

struct IbltGeometry {
  static constexpr Kind kKind = Kind::iblt;
  static constexpr std::array<const char*, 5> kFields = {"cells", "key_bytes", "value_bytes", "variable", "strata"};
  // Cells of an item. Three would take fewer cells for very many differences, and twice as many for 1,000
  // (tools/iblt_cells.cc).
  static constexpr std::uint32_t kHashes = 4;
  static constexpr std::uint32_t kMaxKeyBytes = 64, kMaxValueBytes = 64, kMaxStrata = 64;
  static constexpr std::uint64_t kMaxCells = std::uint64_t{1} << 40;
  static constexpr std::uint64_t kMaxDifferences = std::uint64_t{1} << 38;
  static constexpr std::uint64_t kCountBytes = 4, kCheckBytes = 8;
  // The probability of listing as many differences as a table is sized for. The numbers in src/kinds/iblt/sizing.cc are
  // for this probability.
  static constexpr double kSuccess = 0.999;

  std::uint64_t cells = 4;  // a multiple of kHashes; of a strata estimator those of each stratum
  std::uint32_t key_bytes = 8;
  std::uint32_t value_bytes = 0;
  bool variable = false;     // keys have any length below key_bytes; one byte before them tells it
  std::uint32_t strata = 0;  // 0 of a table; else of a strata estimator

  std::array<std::uint64_t, 5> values() const { return {cells, key_bytes, value_bytes, variable ? 1u : 0u, strata}; }
  // Refuses cells that are no multiple of kHashes, keys of 0 or more than 64 bytes, and an estimator of other than 8
  // fixed bytes.
  BLOOMERY_API static Result<IbltGeometry> from_values(const std::array<std::uint64_t, 5>& values);
  // Returns a table that lists d differences with the probability kSuccess. d = 0 is sized as 1.
  BLOOMERY_API static Result<IbltGeometry> for_differences(std::uint64_t d, std::uint32_t key_bytes,
                                                           std::uint32_t value_bytes = 0, bool variable = false);
  // Returns an estimator of 20 KB, which knows any number of differences within 14 %, and up to 150 exactly
  // (tools/iblt_estimate.cc).
  static constexpr IbltGeometry estimator() { return {128, 8, 0, false, 8}; }

  // Returns the fewest cells that list d differences with the probability kSuccess; d is at most kMaxDifferences.
  BLOOMERY_API static std::uint64_t cells_for(std::uint64_t d);
  // Returns the most differences that these cells list with the probability kSuccess.
  BLOOMERY_API std::uint64_t capacity() const;

  constexpr std::uint64_t part() const { return cells / kHashes; }  // each hash has cells of its own
  constexpr std::uint64_t item_bytes() const { return key_bytes + value_bytes; }
  constexpr std::uint64_t cell_bytes() const { return kCountBytes + kCheckBytes + item_bytes(); }
  constexpr std::uint64_t table_bytes() const { return cells * cell_bytes(); }
  constexpr std::uint64_t payload_bytes() const { return table_bytes() * (strata == 0 ? 1 : strata); }
  std::uint32_t longest_key() const { return variable ? key_bytes - 1 : key_bytes; }

  friend bool operator==(const IbltGeometry&, const IbltGeometry&) = default;
};

// An estimate of how many items a table holds. low to high is a 95 % interval.
struct IbltEstimate {
  std::uint64_t count = 0, low = 0, high = 0;
  bool exact() const { return low == high; }
};

namespace detail {

// The sum of the counts of the cells of one hash, and the sum of their squares.
struct CountSums {
  Uint128 squares{};
  std::int64_t sum = 0;
};

// Estimates from the sums of each hash, over `part` cells each.
IbltEstimate estimate_from_counts(std::span<const CountSums> sums, std::uint64_t part);

// A stratum of a strata estimator. Number i has each key with the probability 2^-(i + 1), the last one the rest.
struct Stratum {
  bool listed = false;    // then `estimate` is exact
  IbltEstimate estimate;  // of its items
};
IbltEstimate estimate_from_strata(std::span<const Stratum> strata, std::uint64_t cells);

}  // namespace detail
}  // namespace BLOOMERY_NAMESPACE
