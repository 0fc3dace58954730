// What two filters of one geometry and hash have in common: the sizes of both sets, of their union and intersection,
// and their Jaccard similarity, each with the error that reading it off the cells has (spec/overlap.md).
#pragma once

#include "bloomery/any.h"
#include "bloomery/export.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

// The truth lies from low to high in 95 of 100 cases.
struct Estimate {
  double value = 0, low = 0, high = 0;
};

// Sizes are numbers of different keys; the ends of their intervals are whole ones.
struct Overlap {
  Estimate a, b;         // of either filter alone
  Estimate all, common;  // of the union, and of the intersection
  Estimate jaccard;      // common / all, from 0 (nothing in common) to 1 (the same keys, also when there are none)
};

// Classic, split, block, partitioned and counting filters tell. Refuses other kinds, two kinds, geometries or hashes,
// and filters of which the answer would be lost in its error: nearly full ones, and an intersection whose interval
// covers more than half of all that it could be. Reads both filters once and takes no memory to speak of.
BLOOMERY_API Result<Overlap> overlap(const AnyView& a, const AnyView& b);

}  // namespace BLOOMERY_NAMESPACE
