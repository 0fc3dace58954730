#include "bench/columns.h"

#include <algorithm>
#include <cstdio>
#include <thread>

#include "bench/clock.h"
#include "bench/text.h"

namespace bloomery::bench {

std::vector<unsigned> thread_counts() {
  const unsigned cores = std::max(std::thread::hardware_concurrency(), 1u);
  std::vector<unsigned> counts;
  for (unsigned t = 1; t < cores; t *= 2) counts.push_back(t);
  counts.push_back(cores);
  return counts;
}

void measure(std::vector<Column>& columns, const std::vector<unsigned>& threads, std::size_t windows) {
  for (const unsigned t : threads) {
    std::vector<std::vector<double>> samples(columns.size());
    for (std::size_t w = 0; w < windows; ++w)
      for (std::size_t c = 0; c < columns.size(); ++c) samples[c].push_back(columns[c].window(t));
    for (std::size_t c = 0; c < columns.size(); ++c) columns[c].ns.push_back(median(samples[c]));
  }
}

void print_columns(const std::string& title, const std::vector<unsigned>& threads, const std::vector<Column>& columns) {
  std::printf("%s\n", title.c_str());
  std::vector<std::string> head = {"million a second, by threads"};
  for (const unsigned t : threads) head.push_back(std::to_string(t));
  head.emplace_back("scaling");
  Table table(head);
  for (const Column& column : columns) {
    std::vector<std::string> row = {column.name};
    for (const double ns : column.ns) row.push_back(format("%.1f", 1e3 / ns));
    row.push_back(format("%.2fx", column.ns.front() / column.ns.back()));
    table.row(row);
  }
  table.print();
  std::printf("\n");
  std::fflush(stdout);  // whoever ends a long run keeps what it has shown
}

}  // namespace bloomery::bench
