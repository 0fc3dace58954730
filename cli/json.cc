#include "cli/json.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/cli.h"

namespace bloomery::cli {
namespace {

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

std::string with_replacements(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    out += bytes == 0 ? "\xef\xbf\xbd" : text.substr(0, bytes);
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return out;
}

}  // namespace

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

std::string to_hex(std::string_view bytes) {
  std::string hex;
  hex.reserve(2 * bytes.size());
  for (const char c : bytes) {
    hex += "0123456789abcdef"[static_cast<unsigned char>(c) / 16];
    hex += "0123456789abcdef"[static_cast<unsigned char>(c) % 16];
  }
  return hex;
}

Json::Json(double number) : text_("null") {
  if (!std::isfinite(number)) return;
  text_ = fmt::format("{}", number);
  if (text_.find_first_of(".e") == std::string::npos) text_ += ".0";  // a real number stays one
}

Json::Json(std::string_view text) {
  if (!append_quoted(text_, text)) append_quoted(text_, with_replacements(text));
}

Json Json::four_digits(double number) { return {Raw(), json_real(number)}; }

JsonObject& JsonObject::put(std::string_view name, const Json& value) {
  text_.pop_back();
  if (text_.size() > 1) text_ += ',';
  append_quoted(text_, name);
  (text_ += ':') += value.text();
  text_ += '}';
  return *this;
}

JsonObject& JsonObject::put_bytes(const std::string& name, std::string_view bytes) {
  std::string ignored;
  const bool is_text = append_quoted(ignored, bytes);
  return is_text ? put(name, bytes) : put(name + "_hex", to_hex(bytes));
}

JsonArray& JsonArray::add(const Json& value) {
  text_.pop_back();
  if (text_.size() > 1) text_ += ',';
  text_ += value.text();
  text_ += ']';
  return *this;
}

}  // namespace bloomery::cli
