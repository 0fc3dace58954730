// A line of JSON as the parts of an entry (spec/cli.md, jsonl). The JSON library is behind this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bloomery::cli {

struct EntryFields {
  std::optional<std::string> key, value;  // from hexadecimal digits where the line has those
  std::optional<std::uint64_t> sequence;
  std::optional<bool> deleted;
  std::string problem;  // what does not belong in the line; empty when nothing does not
};

EntryFields parse_entry_fields(std::string_view line);

}  // namespace bloomery::cli
