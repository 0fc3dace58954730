// Ways to do something, side by side, by 1 to all cores: the tables of what threads share.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "bench/options.h"

namespace bloomery::bench {

// 1, 2, 4, .. and all cores.
std::vector<unsigned> thread_counts();

// One way to do something, and what it took: nanoseconds of elapsed time per operation of all threads together, by
// number of threads.
struct Column {
  const char* name;
  std::function<double(unsigned threads)> window;
  std::vector<double> ns = {};
};

// Medians of so many windows each; the columns take turns, so that a change of the machine's mood meets each of them.
void measure(std::vector<Column>& columns, const std::vector<unsigned>& threads, std::size_t windows);

// Millions a second by number of threads.
void print_columns(const std::string& title, const std::vector<unsigned>& threads, const std::vector<Column>& columns);

}  // namespace bloomery::bench
