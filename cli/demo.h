// What the parts of the demo share. That of tables is in a file of its own because not every build has them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "bloomery/result.h"
#include "cli/help.h"
#include "cli/json.h"
#include "cli/scratch.h"

namespace bloomery::cli {

// What the demo shows: sentences as it goes, or one line of JSON at the end.
struct DemoReport {
  bool quiet;
  JsonObject json;

  template <class... Values>
  void say(fmt::format_string<Values...> text, Values&&... values) const {
    if (!quiet) fmt::print("{}", fitted(fmt::format(text, std::forward<Values>(values)...)));
  }
};

// Shows the table with n entries, and returns whether all its claims hold.
Result<bool> demo_table(const ScratchFolder& scratch, std::uint64_t n, DemoReport& report);

}  // namespace bloomery::cli
