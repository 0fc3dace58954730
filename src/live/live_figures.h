// The figures of a live filter: names, what they say, and where each comes from. docs/operations/README.md explains
// them.
#pragma once

#include "bloomery/figures.h"
#include "bloomery/live/live.h"

namespace BLOOMERY_NAMESPACE::detail {

void describe(Figures& text, const LiveStats& s);

}  // namespace BLOOMERY_NAMESPACE::detail
