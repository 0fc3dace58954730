#include "cli/key_spelling.h"

#include <charconv>

#include "bloomery/detail/bits.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

struct Entry {
  Spelling spelling;
  const char *name, *record, *example;
};
constexpr Entry kEntries[] = {{Spelling::text, "text", "text", "any bytes"},
                              {Spelling::integer, "int", "int", "a whole number such as -42"},
                              {Spelling::hex, "hex", "bytes", "an even number of hexadecimal digits such as 00ff"},
                              {Spelling::base64, "base64", "bytes", "padded base64 such as AP8="}};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Entry& entry : kEntries) all.emplace_back(entry.name);
  return all;
}

const Entry& entry_of(Spelling spelling) noexcept { return kEntries[static_cast<std::size_t>(spelling)]; }

// Reads an integer from -2^63 to 2^64 - 1, and returns its 64 bits.
std::optional<std::uint64_t> integer_of(std::string_view line) {
  const auto whole = [&](auto value) -> std::optional<std::uint64_t> {
    const auto parsed = std::from_chars(line.data(), line.data() + line.size(), value);
    if (parsed.ec != std::errc() || parsed.ptr != line.data() + line.size()) return std::nullopt;
    return static_cast<std::uint64_t>(value);
  };
  return line.starts_with('-') ? whole(std::int64_t{}) : whole(std::uint64_t{});
}

// The number that a character stands for, or one that is too large.
unsigned hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return 16;
}
unsigned base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<unsigned>(c - 'A');
  if (c >= 'a' && c <= 'z') return static_cast<unsigned>(c - 'a' + 26);
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0' + 52);
  return c == '+' ? 62 : c == '/' ? 63 : 64;
}

bool append_hex(std::string_view line, std::vector<std::uint8_t>& to) {
  if (line.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < line.size(); i += 2) {
    const unsigned high = hex_digit(line[i]), low = hex_digit(line[i + 1]);
    if (high > 15 || low > 15) return false;
    to.push_back(static_cast<std::uint8_t>(high * 16 + low));
  }
  return true;
}

bool append_base64(std::string_view line, std::vector<std::uint8_t>& to) {
  if (line.size() % 4 != 0) return false;
  const std::size_t padding = line.ends_with("==") ? 2 : line.ends_with('=') ? 1 : 0;
  const std::string_view digits = line.substr(0, line.size() - padding);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : digits) {
    const unsigned digit = base64_digit(c);
    if (digit > 63) return false;
    bits = bits << 6 | digit;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    to.push_back(static_cast<std::uint8_t>(bits >> count));
    bits &= (1u << count) - 1;
  }
  return bits == 0;  // unused ones are zero
}

}  // namespace

const char* to_string(Spelling spelling) noexcept { return entry_of(spelling).name; }
const char* record_of(Spelling spelling) noexcept { return entry_of(spelling).record; }
const char* example_of(Spelling spelling) noexcept { return entry_of(spelling).example; }

Result<Spelling> spelling_from_name(std::string_view name) {
  for (const Entry& entry : kEntries)
    if (name == entry.name) return entry.spelling;
  return invalid_argument("keys",
                          "there is no spelling of keys '" + std::string(name) + "': use text, int, hex or base64");
}

bool append_key(Spelling spelling, std::string_view line, std::vector<std::uint8_t>& to) {
  const std::size_t before = to.size();
  bool good = true;
  switch (spelling) {
    case Spelling::text: to.insert(to.end(), line.begin(), line.end()); break;
    case Spelling::integer:
      if (const std::optional<std::uint64_t> number = integer_of(line)) {
        to.resize(before + 8);
        detail::store_le<std::uint64_t>(&to[before], *number);
      } else {
        good = false;
      }
      break;
    case Spelling::hex: good = append_hex(line, to); break;
    case Spelling::base64: good = append_base64(line, to); break;
  }
  if (!good) to.resize(before);
  return good;
}

void SpellingOptions::add_to(Command& command) {
  command.option("--keys", "SPELLING", &keys, "How lines spell keys: text, int, hex or base64").choices(names());
}

void SpellingOptions::add_with_force(Command& command) {
  command
      .option("--keys", "SPELLING", &keys,
              "How lines spell keys: text, int, hex or base64 (default: as the file says, else text)")
      .choices(names());
  command.flag("--force", force, "Ask although the file says that its keys are of another type");
}

Result<std::optional<Spelling>> SpellingOptions::given(const ParquetOptions& parquet) const {
  if (keys.empty()) return std::optional<Spelling>();
  if (parquet.on) return invalid_argument("keys", "--keys and --parquet exclude each other: give --key-type");
  const Result<Spelling> spelling = spelling_from_name(keys);
  BLOOMERY_TRY(spelling);
  return std::optional(*spelling);
}

// The spelling is the one that was given, or that of the record, or text. Refuses what the record contradicts, and a
// type that no line can spell.
Result<KeyEncoder> SpellingOptions::encoder_for(const Records& records, const ParquetOptions& parquet) const {
  const Result<std::optional<Spelling>> asked = given(parquet);
  BLOOMERY_TRY(asked);
  const Result<KeyType> type = parquet.type();
  BLOOMERY_TRY(type);
  if (parquet.on) return KeyEncoder(Spelling::text, *type);
  if (*asked) {
    if (const Status same = records.expect_keys(record_of(**asked)); !same.ok() && !force)
      return invalid_argument("keys", same.error().message + ": leave out --keys, or ask anyway with --force");
    return KeyEncoder(**asked);
  }
  if (!records.keys) return KeyEncoder(Spelling::text);
  if (*records.keys == "bytes") return KeyEncoder(Spelling::hex);
  for (const Entry& entry : kEntries)
    if (*records.keys == entry.record) return KeyEncoder(entry.spelling);
  if (const std::optional<KeyType> column = key_type_of_record(*records.keys))
    return KeyEncoder(Spelling::text, *column);
  if (force) return KeyEncoder(Spelling::text);
  return invalid_argument("keys", "the keys of this filter are of the type '" + *records.keys +
                                      "', which no line can spell: ask the program that made it, or with --force");
}

Result<std::span<const std::string_view>> KeyEncoder::encode(std::span<const std::string_view> lines,
                                                             const std::string& file) {
  if (spelling_ == Spelling::text) return plain_.encode(lines, file);
  if (file != file_) {
    file_ = file;
    lines_before_ = 0;
  }
  bytes_.clear(), ends_.clear(), keys_.clear();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!append_key(spelling_, lines[i], bytes_))
      return in_file(invalid_argument("keys", "line " + std::to_string(lines_before_ + i + 1) + " is '" +
                                                  std::string(lines[i].substr(0, 60)) + "', and --keys " +
                                                  to_string(spelling_) + " takes " + example_of(spelling_)),
                     file);
    ends_.push_back(bytes_.size());
  }
  lines_before_ += lines.size();
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    keys_.emplace_back(reinterpret_cast<const char*>(bytes_.data()) + begin, end - begin);
    begin = end;
  }
  return std::span<const std::string_view>(keys_);
}

}  // namespace bloomery::cli
