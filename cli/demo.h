// What the demo shows of tables, in a file of its own because not every build has them.
#pragma once

#include <cstdint>

#include "bloomery/result.h"
#include "cli/scratch.h"

namespace bloomery::cli {

// Whether all of it holds. Of n entries.
Result<bool> demo_table(const ScratchFolder& scratch, std::uint64_t n);

}  // namespace bloomery::cli
