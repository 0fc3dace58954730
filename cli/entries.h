// Entries of a table as lines of text: `key TAB value`, or a JSON object a line. spec/cli.md has the rules.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bloomery/table/table.h"
#include "cli/output.h"

namespace bloomery::cli {

enum class EntryFormat : std::uint8_t { tsv, jsonl };
Result<EntryFormat> entry_format_from_name(const std::string& name);

// One per stream of lines: it counts them, and their number is the sequence number of an entry that has none.
class EntryParser {
 public:
  // input: the INPUT argument, to be named in errors.
  EntryParser(EntryFormat format, const std::string& input)
      : format_(format), source_(input.empty() || input == "-" ? "standard input" : input) {}

  // Good until the next call, and as long as the line is.
  Result<Entry> parse(std::string_view line);
  std::uint64_t lines() const { return lines_; }

 private:
  Result<Entry> parse_tsv(std::string_view line) const;
  Result<Entry> parse_json(std::string_view line);
  Error wrong(const std::string& why) const;

  EntryFormat format_;
  std::string source_;
  std::uint64_t lines_ = 0;
  std::string key_, value_;
};

// Refuses what could not be read back from a line of that format.
Status print_entry(Output& out, EntryFormat format, const Entry& entry);
// As a line of a report: in quotes, or in hexadecimal digits when it is no UTF-8.
std::string readable(std::string_view text);

}  // namespace bloomery::cli
