#include "format/utf8.h"

#include <cstddef>
#include <cstdint>

namespace BLOOMERY_NAMESPACE::format {
namespace {

// What may follow a first byte: how many bytes, and the range of the next one. The range keeps out longer forms than
// needed, surrogates and code points above the last.
struct Follow {
  std::size_t count;
  std::uint8_t low, high;
};

constexpr Follow kNone{0, 0, 0};

Follow follow(std::uint8_t first) noexcept {
  if (first < 0xc2) return kNone;
  if (first < 0xe0) return {1, 0x80, 0xbf};
  if (first == 0xe0) return {2, 0xa0, 0xbf};
  if (first == 0xed) return {2, 0x80, 0x9f};
  if (first < 0xf0) return {2, 0x80, 0xbf};
  if (first == 0xf0) return {3, 0x90, 0xbf};
  if (first < 0xf4) return {3, 0x80, 0xbf};
  if (first == 0xf4) return {3, 0x80, 0x8f};
  return kNone;
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(text[at]); };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (byte(at) < 0x80) continue;
    const Follow next = follow(byte(at));
    if (next.count == 0 || next.count >= text.size() - at) return false;
    if (byte(at + 1) < next.low || byte(at + 1) > next.high) return false;
    for (std::size_t i = 2; i <= next.count; ++i)
      if ((byte(at + i) & 0xc0) != 0x80) return false;
    at += next.count;
  }
  return true;
}

}  // namespace BLOOMERY_NAMESPACE::format
