// The rows of one filter as text, for people.
#pragma once

#include "bench/rows.h"

namespace bloomery::bench {

// To standard output: a headline, the table, and what else there is to say.
void print(const FilterRows& found);

}  // namespace bloomery::bench
