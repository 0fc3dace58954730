// An entry of a table that owns its bytes.
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/table/table.h"

namespace bloomery::testing {

struct OwnedEntry {
  std::string key, value;
  std::uint64_t sequence = 0;
  bool deleted = false;

  Entry view() const { return {key, value, sequence, deleted}; }
  bool operator==(const OwnedEntry&) const = default;
};

}  // namespace bloomery::testing
