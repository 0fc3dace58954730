#include "cli/choose.h"

#include <fmt/format.h>

#include <string_view>

#include "bloomery/bloomery.h"
#include "cli/cli.h"
#include "cli/growth.h"
#include "cli/help.h"

namespace bloomery::cli {

// Returns the choices of the library, with what to type where that is not plain `build`.
std::vector<Choice> choices(std::uint64_t n, double fpr) {
  std::vector<Choice> all = bloomery::choices(n, fpr).value();
  for (Choice& choice : all) {
    const std::string_view need = choice.need;
    if (need == "parquet") choice.why = "build --kind split --parquet: the next power of two of bytes";
    if (need == "overlap") choice.why = "two filters of one n and fpr, then bloomery overlap A B";
    if (need == "replicas")
      choice.why = "as large as the difference, whatever n is: bloomery iblt-size, then set-diff A B";
  }
  return all;
}

std::string choices_text(std::uint64_t n, double fpr, std::size_t columns) {
  constexpr std::size_t kIndent = 6, kWhy = 30;
  std::string text = "\nWhich one, at these numbers:\n";
  for (const Choice& choice : choices(n, fpr)) {
    const std::string bytes = choice.bytes ? rounded(*choice.bytes, " ") + "B" : "-";
    std::string line = fmt::format("{}{:<12}{:>10}  ", std::string(kIndent, ' '), choice.kind, bytes);
    const std::string why = wrapped(std::string(kWhy, '.') + choice.why, columns, kWhy).substr(kWhy);
    text += fmt::format("  {}\n{}{}\n", choice.words, line, why);
  }
  text += "\n";
  text += wrapped(fmt::format("No filter of this rate takes less than {} bits a key; the hashes themselves, in a set, "
                              "take 64 and more. To count different keys or how often each comes, for quantiles, for "
                              "likeness of many sets, or for values by key, no filter is right: docs/choosing.md says "
                              "what is.",
                              four_digits(least_bits_per_key(fpr))),
                  columns);
  return text + "\n";
}

}  // namespace bloomery::cli
