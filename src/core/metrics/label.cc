#include "core/metrics/label.h"

#include <cstddef>
#include <cstdint>

namespace BLOOMERY_NAMESPACE::metrics {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t at) { return static_cast<std::uint8_t>(text[at]); }

// The length of the UTF-8 sequence at the beginning, by the table of well-formed ones in the Unicode standard (3-7); 0
// when there is none.
std::size_t utf8_length(std::string_view text) {
  const std::uint8_t first = byte_at(text, 0);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte_at(text, i) & 0xc0) != 0x80) return 0;
  const std::uint8_t second = byte_at(text, 1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second >= 0xa0, too_high = first == 0xf4 && second >= 0x90;
  return overlong || surrogate || too_high ? 0 : length;
}

}  // namespace

std::string clean_label(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const bool control = length == 1 && byte_at(text, 0) < 0x20 && text[0] != '\n';
    if (length == 0 || control) out += '?';
    else out += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') out += "\\n";
    else out += c;
  }
  return out;
}

}  // namespace BLOOMERY_NAMESPACE::metrics
