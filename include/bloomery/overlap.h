// Estimates what two filters of one geometry and hash have in common: the sizes of both sets, of their union and of
// their intersection, and their Jaccard similarity, each with its error (spec/overlap.md).
#pragma once

#include "bloomery/any.h"
#include "bloomery/export.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

// An estimated number. The true one lies from low to high in 95 of 100 cases.
struct Estimate {
  double value = 0, low = 0, high = 0;
};

// Sizes count different keys; the ends of their intervals are whole numbers.
struct Overlap {
  Estimate a, b;         // of either filter alone
  Estimate all, common;  // of the union, and of the intersection
  Estimate jaccard;      // common / all, from 0 (nothing in common) to 1 (the same keys, also when there are none)
};

// Compares two classic, split, block, partitioned or counting filters. Refuses other kinds, filters whose kind,
// geometry or hash differ, and filters for which the answer would be lost in its error: nearly full ones, and an
// intersection whose interval covers more than half of what it could be. Reads both filters once and takes hardly any
// memory.
BLOOMERY_API Result<Overlap> overlap(const AnyView& a, const AnyView& b);

}  // namespace BLOOMERY_NAMESPACE
