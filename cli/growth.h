// The options of `bloomery plan` for keys that grow: how "30%/y" and "1mo" are read, and how such a plan is printed.
#pragma once

#include <string>

#include "bloomery/growth.h"
#include "cli/command.h"

namespace bloomery::cli {

struct GrowthOptions {
  std::string current, growth = "0", rebuild = "1mo", headroom = "2", volatility = "0";

  void add_to(Command& command);
  // Refuses -n together with --current, neither of them, and the others without --current.
  static Status check_use(const Command& command);
  Result<Growth> parse() const;
  // The lines above the table.
  std::string summary(const Growth& growth, const GrowthPlan& plan, double fpr) const;
};

// 36737280 as "36.7M", with `space` before the unit; below 1000 as it is. To be read beside the exact number.
std::string rounded(std::uint64_t number, const char* space = "");

}  // namespace bloomery::cli
