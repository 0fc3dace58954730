// Text of the reports: formatted strings, counts such as 10M, and aligned tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::bench {

[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

std::string count_text(std::uint64_t n);                              // 100k, 1M, 10M, or all digits
std::optional<std::uint64_t> count_from_text(std::string_view text);  // the same, back

// Three significant digits of nanoseconds; "-" of 0, which means "not measured".
std::string ns_text(double ns);
std::string ratio_text(double ratio);

// Rows of cells, printed with the first column to the left and the others to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> head) : rows_{std::move(head)} {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text() const;
  void print() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace bloomery::bench
