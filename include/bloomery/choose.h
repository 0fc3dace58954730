// Recommends a kind for each need, at given numbers: what `bloomery plan` prints below its table. docs/choosing.md has
// the same needs and kinds for readers, and tests/documents/run.py holds the two together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/export.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

struct Choice {
  const char* need;                    // for scripts: "static"
  const char* words;                   // for people
  std::string kind;                    // the first that serves the need at these numbers, or "none"
  std::optional<std::uint64_t> bytes;  // nothing where n does not decide
  const char* why;
};

// Returns one choice for each need. The only error is out_of_memory.
BLOOMERY_API Result<std::vector<Choice>> choices(std::uint64_t n, double fpr);

}  // namespace BLOOMERY_NAMESPACE
