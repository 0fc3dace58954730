#include "bench/text.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace bloomery::bench {

std::string format(const char* pattern, ...) {
  char text[512];
  std::va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

std::string count_text(std::uint64_t n) {
  if (n >= 1'000'000 && n % 1'000'000 == 0) return std::to_string(n / 1'000'000) + "M";
  if (n >= 1'000 && n % 1'000 == 0) return std::to_string(n / 1'000) + "k";
  return std::to_string(n);
}

std::optional<std::uint64_t> count_from_text(std::string_view text) {
  std::uint64_t unit = 1;
  if (text.ends_with('k')) unit = 1'000;
  if (text.ends_with('M')) unit = 1'000'000;
  if (unit != 1) text.remove_suffix(1);
  if (text.empty() || text.size() > 9) return std::nullopt;
  std::uint64_t number = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return number * unit;
}

std::string ns_text(double ns) {
  if (ns <= 0) return "-";
  return format(ns < 10 ? "%.2f" : ns < 100 ? "%.1f" : "%.0f", ns);
}

std::string ratio_text(double ratio) { return ratio > 0 ? format("%.2fx", ratio) : "-"; }

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string lines;
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const int width = static_cast<int>(widths[c]);
      lines += c == 0 ? format("  %-*s", width, row[c].c_str()) : format("  %*s", width, row[c].c_str());
    }
    lines += "\n";
  }
  return lines;
}

void Table::print() const {
  std::printf("%s", text().c_str());
  std::fflush(stdout);
}

}  // namespace bloomery::bench
