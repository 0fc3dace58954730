#include "cli/entries.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/error.h"

namespace bloomery::cli {
namespace {

constexpr const char* kFields = "key or key_hex, value or value_hex, sequence, deleted";

// The length of the UTF-8 character that a text begins with; 0 when it is none.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(text[i])); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xc2 && first < 0xe0   ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Longer than need be, half of a surrogate pair, above U+10FFFF.
  const unsigned second = byte(1);
  const bool wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
                     (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
  return wrong ? 0 : length;
}

std::string to_hex(std::string_view bytes) {
  std::string hex;
  hex.reserve(2 * bytes.size());
  for (const char c : bytes) {
    hex += "0123456789abcdef"[static_cast<unsigned char>(c) / 16];
    hex += "0123456789abcdef"[static_cast<unsigned char>(c) % 16];
  }
  return hex;
}

std::optional<std::string> from_hex(std::string_view hex) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const int high = digit(hex[i]), low = digit(hex[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(16 * high + low));
  }
  return bytes;
}

// What the JSON parser meets in a line, put into the parts of an entry. The first thing that does not belong there ends
// the parsing, with `why` said.
class EntryFields : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::optional<std::string> key_bytes, value_bytes;
  std::optional<std::uint64_t> sequence;
  std::optional<bool> is_deleted;
  std::string why;

  bool start_object(std::size_t) override { return depth_++ == 0 || wrong_type(); }
  bool end_object() override { return true; }
  bool key(string_t& name) override {
    field_ = name;
    for (const char* known : {"key", "key_hex", "value", "value_hex", "sequence", "deleted"})
      if (name == known) return true;
    return refuse(fmt::format("has the unknown field '{}': an entry has {}", name, kFields));
  }
  bool string(string_t& text) override {
    if (field_ == "key" || field_ == "value") return set(field_ == "key" ? key_bytes : value_bytes, std::move(text));
    if (field_ != "key_hex" && field_ != "value_hex") return wrong_type();
    std::optional<std::string> bytes = from_hex(text);
    if (!bytes) return refuse(fmt::format("has a '{}' that is not pairs of hexadecimal digits", field_));
    return set(field_ == "key_hex" ? key_bytes : value_bytes, *std::move(bytes));
  }
  bool number_unsigned(number_unsigned_t number) override {
    return field_ == "sequence" ? set(sequence, number) : wrong_type();
  }
  bool boolean(bool yes) override { return field_ == "deleted" ? set(is_deleted, yes) : wrong_type(); }
  bool null() override { return wrong_type(); }
  bool number_integer(number_integer_t) override { return wrong_type(); }
  bool number_float(number_float_t, const string_t&) override { return wrong_type(); }
  bool binary(binary_t&) override { return wrong_type(); }
  bool start_array(std::size_t) override { return wrong_type(); }
  bool end_array() override { return wrong_type(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    return refuse(fmt::format("is no JSON from byte {} on", position));
  }

 private:
  bool refuse(std::string reason) {
    why = std::move(reason);
    return false;
  }
  bool wrong_type() {
    if (depth_ == 0 || field_.empty()) return refuse(fmt::format("is no JSON object with {}", kFields));
    return refuse(fmt::format("has a '{}' that is no {}", field_,
                              field_ == "sequence"  ? "whole number from 0 on"
                              : field_ == "deleted" ? "true or false"
                                                    : "string"));
  }
  template <class T>
  bool set(std::optional<T>& into, T what) {
    if (into) return refuse(fmt::format("has '{}' twice, or beside its hexadecimal form", field_));
    into = std::move(what);
    return true;
  }

  std::string field_;
  int depth_ = 0;
};

}  // namespace

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
  EntryFields fields;
  if (!nlohmann::json::sax_parse(line.begin(), line.end(), &fields)) return wrong(fields.why);
  if (!fields.key_bytes) return wrong("has no 'key' and no 'key_hex'");
  const bool deleted = fields.is_deleted.value_or(false);
  if (deleted && fields.value_bytes && !fields.value_bytes->empty())
    return wrong("is deleted and has a value: a deleted key has none");
  if (fields.sequence && *fields.sequence >> 63 != 0) return wrong("has a 'sequence' that is not below 2^63");
  key_ = *std::move(fields.key_bytes);
  value_ = std::move(fields.value_bytes).value_or("");
  return Entry{key_, value_, fields.sequence.value_or(lines_), deleted};
}

bool append_quoted(std::string& to, std::string_view text) {
  const std::size_t before = to.size();
  to += '"';
  std::size_t plain = 0;  // bytes at the front that stand for themselves
  while (plain < text.size()) {
    const char c = text[plain];
    const bool escaped = c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
    if (!escaped) {
      const std::size_t bytes = character_bytes(text.substr(plain));
      if (bytes == 0) return to.resize(before), false;
      plain += bytes;
      continue;
    }
    to += text.substr(0, plain);
    if (static_cast<unsigned char>(c) < 0x20) to += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else (to += '\\') += c;
    text.remove_prefix(plain + 1);
    plain = 0;
  }
  to += text;
  to += '"';
  return true;
}

std::string readable(std::string_view text) {
  std::string out;
  if (!append_quoted(out, text)) out = "0x" + to_hex(text);
  return out;
}

namespace {

void append_field(std::string& line, const std::string& name, std::string_view bytes) {
  const std::size_t before = line.size();
  line += '"' + name + "\":";
  if (append_quoted(line, bytes)) return;
  line.resize(before);
  line += '"' + name + "_hex\":\"" + to_hex(bytes) + '"';
}

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
  std::string line = "{";
  append_field(line, "key", entry.key);
  if (!entry.deleted) {
    line += ',';
    append_field(line, "value", entry.value);
  }
  line += ",\"sequence\":" + std::to_string(entry.sequence);
  line += entry.deleted ? ",\"deleted\":true}\n" : "}\n";
  out.append(line);
  return {};
}

}  // namespace bloomery::cli
