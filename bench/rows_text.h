// The rows of one filter as text, for people.
#pragma once

#include <string>

#include "bench/rows.h"

namespace bloomery::bench {

// A headline, the table, and what else there is to say; or the same to standard output.
std::string text_of(const FilterRows& found);
void print(const FilterRows& found);

}  // namespace bloomery::bench
