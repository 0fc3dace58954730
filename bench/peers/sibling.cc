#include "bench/peers/sibling.h"

#include <unistd.h>

#include <cstdio>

namespace bloomery::bench {
namespace {

// For the shell that popen starts.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::map<std::string, double> Sibling::run(std::uint64_t n) const {
  std::map<std::string, double> figures;
  if (program.empty() || ::access(program.c_str(), X_OK) != 0) return figures;
  std::FILE* lines = ::popen((quoted(program) + " " + std::to_string(n)).c_str(), "r");
  if (lines == nullptr) return figures;
  char operation[64];
  double ns = 0;
  while (std::fscanf(lines, "%63s %lf", operation, &ns) == 2) figures[operation] = ns;
  if (::pclose(lines) != 0) figures.clear();
  return figures;
}

std::string Sibling::why_absent() const {
  if (program.empty()) return "no program was given";
  return ::access(program.c_str(), X_OK) == 0 ? "its program failed" : "its program is not there";
}

}  // namespace bloomery::bench
