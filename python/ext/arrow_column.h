// Columns of Arrow: one for each layout of memory that keys can have. arrow_column.cc reads an ArrowArray by its
// schema; what does not fit together is refused before anything is read.
#pragma once

#include <memory>
#include <string>

#include "arrow_abi.h"
#include "column.h"

namespace bloomery::python {

// The column of an array of that schema, which both must outlive it. Hashes the dictionary, if there is one, with
// `hasher`. Throws nb::python_error for types that are no keys and for arrays that contradict themselves.
std::unique_ptr<Column> arrow_column(const ArrowSchema& schema, const ArrowArray& array, const Hasher& hasher);

}  // namespace bloomery::python
