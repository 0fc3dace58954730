// The maths behind bloomery/overlap.h: from the numbers of cells in use to sizes of sets, with the variance that cells
// tell them by. spec/overlap.md derives it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "bloomery/geometry/block.h"
#include "bloomery/geometry/classic.h"
#include "bloomery/geometry/counting.h"
#include "bloomery/geometry/partitioned.h"
#include "bloomery/geometry/split.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE::sizing {

// Describes how a key of a filter touches its cells.
struct CellModel {
  // All ordered pairs of cells that lie to each other in one way (the same cell, two of a block, ..): their share of
  // all pairs, and log(chance that a key leaves both alone) less that of two cells that know nothing of each other.
  struct Pairs {
    double share = 0, log_ratio = 0;
  };
  double cells = 1;
  double log_alone = 0;  // log(chance that a key leaves a given cell alone)
  std::array<Pairs, 4> pairs{};
  bool spread_over_halves =
      false;  // of classic: by two halves of the hash, which do not reach every cell of many alike

  // Estimates the number of keys from the cells in use; nothing when all are in use.
  std::optional<double> keys(std::uint64_t cells_set) const;
  // The variance of log(share of cells that are not in use), after so many keys.
  double log_variance(double keys) const;
  // The variance of keys(), by the delta method.
  double variance(double keys) const { return log_variance(keys) / (log_alone * log_alone); }
};

CellModel cell_model(const ClassicGeometry& geometry);
CellModel cell_model(const SplitGeometry& geometry);
CellModel cell_model(const BlockGeometry& geometry);
CellModel cell_model(const PartitionedGeometry& geometry);
CellModel cell_model(const CountingGeometry& geometry);

// Cells in use: in a, in b, in a or b.
struct CellCounts {
  std::uint64_t a = 0, b = 0, all = 0;
};

struct Interval {
  double value = 0, low = 0, high = 0;
};
struct SetSizes {
  Interval a, b, all, common, jaccard;
};

// The error says why the cells do not tell.
Result<SetSizes> set_sizes(const CellModel& model, const CellCounts& counts);

}  // namespace BLOOMERY_NAMESPACE::sizing
