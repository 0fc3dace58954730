#include "cli/entries.h"

#include <fmt/format.h>

#include "cli/entry_json.h"
#include "cli/json.h"
#include "core/base/error.h"

namespace bloomery::cli {
Result<EntryFormat> entry_format_from_name(const std::string& name) {
  if (name == "tsv") return EntryFormat::tsv;
  if (name == "jsonl") return EntryFormat::jsonl;
  return invalid_argument("format", fmt::format("--format is '{}': give tsv or jsonl", name));
}

Error EntryParser::wrong(const std::string& why) const {
  return in_file(invalid_argument("line", fmt::format("line {} {}", lines_, why)), source_);
}

Result<Entry> EntryParser::parse(std::string_view line) {
  ++lines_;
  return format_ == EntryFormat::tsv ? parse_tsv(line) : parse_json(line);
}

Result<Entry> EntryParser::parse_tsv(std::string_view line) const {
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos)
    return wrong("has no TAB: a line is a key, TAB, and its value (or a JSON object, with --format jsonl)");
  return Entry{line.substr(0, tab), line.substr(tab + 1), lines_, false};
}

Result<Entry> EntryParser::parse_json(std::string_view line) {
  EntryFields fields = parse_entry_fields(line);
  if (!fields.problem.empty()) return wrong(fields.problem);
  if (!fields.key) return wrong("has no 'key' and no 'key_hex'");
  const bool deleted = fields.deleted.value_or(false);
  if (deleted && fields.value && !fields.value->empty())
    return wrong("is deleted and has a value: a deleted key has none");
  if (fields.sequence && *fields.sequence >> 63 != 0) return wrong("has a 'sequence' that is not below 2^63");
  key_ = *std::move(fields.key);
  value_ = std::move(fields.value).value_or("");
  return Entry{key_, value_, fields.sequence.value_or(lines_), deleted};
}

std::string readable(std::string_view text) {
  std::string out;
  if (!append_quoted(out, text)) out = "0x" + to_hex(text);
  return out;
}

namespace {

Status print_tsv(Output& out, const Entry& entry) {
  const char* why = entry.deleted                                               ? "is deleted"
                    : entry.key.find_first_of("\t\n") != std::string_view::npos ? "has a TAB or LF in it"
                    : entry.value.find('\n') != std::string_view::npos          ? "has a value with an LF in it"
                                                                                : nullptr;
  if (why != nullptr)
    return invalid_argument("format", fmt::format("the key {} {}, which a line of tsv cannot hold: give --format jsonl",
                                                  readable(entry.key), why));
  out.append(entry.key);
  out.append('\t');
  out.append(entry.value);
  out.append('\n');
  return {};
}

}  // namespace

Status print_entry(Output& out, EntryFormat format, const Entry& entry) {
  if (format == EntryFormat::tsv) return print_tsv(out, entry);
  JsonObject line;
  line.put_bytes("key", entry.key);
  if (!entry.deleted) line.put_bytes("value", entry.value);
  line.put("sequence", entry.sequence);
  if (entry.deleted) line.put("deleted", true);
  out.append(line.text());
  out.append('\n');
  return {};
}

}  // namespace bloomery::cli
