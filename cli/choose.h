// Which kind for which need, at given numbers: what `bloomery plan` says below its table. docs/choosing.md has the same
// needs and kinds for readers, and tests/documents/run.py holds the two together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bloomery::cli {

struct Choice {
  const char* need;                    // for scripts: "static"
  const char* words;                   // for people
  std::string kind;                    // the first of those that serve the need and can do these numbers; "none"
  std::optional<std::uint64_t> bytes;  // nothing where n does not decide
  const char* why;
};

std::vector<Choice> choices(std::uint64_t n, double fpr);

// The lines below the table, of at most `columns`: the choices, what no filter can beat, and what no filter is for.
std::string choices_text(std::uint64_t n, double fpr, std::size_t columns);

}  // namespace bloomery::cli
