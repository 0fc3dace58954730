// Sizes of filters whose kind is known at run time: what a SizeSpec means for each kind.
#pragma once

#include "bloomery/any.h"

namespace bloomery::wire {

// The geometry as names and numbers, in the order of the file.
GeometryFields fields_of(const ClassicGeometry& geometry);
GeometryFields fields_of(const SplitGeometry& geometry);
GeometryFields fields_of(const BlockGeometry& geometry);

}  // namespace bloomery::wire
