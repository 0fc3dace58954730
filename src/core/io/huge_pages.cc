#include "core/io/huge_pages.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <new>
#include <string>

#include "core/io/file.h"

namespace BLOOMERY_NAMESPACE::io {
namespace {

// "55d0c0a00000-55d0c0c00000 rw-p ...": the first line of a mapping, and the only kind with hexadecimal digits and a
// dash.
bool parse_range(std::string_view line, std::uintptr_t& begin, std::uintptr_t& end) {
  const char* stop = line.data() + line.size();
  const auto first = std::from_chars(line.data(), stop, begin, 16);
  if (first.ec != std::errc() || first.ptr == stop || *first.ptr != '-') return false;
  return std::from_chars(first.ptr + 1, stop, end, 16).ec == std::errc();
}

// "AnonHugePages:   2048 kB"
bool parse_field(std::string_view line, std::string_view name, std::uint64_t& kib) {
  if (!line.starts_with(name)) return false;
  line.remove_prefix(name.size());
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return std::from_chars(line.data(), line.data() + line.size(), kib).ec == std::errc();
}

}  // namespace

std::optional<double> huge_page_share_in(std::string_view smaps, const void* address, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  std::uint64_t size = 0, huge = 0;
  bool ours = false, counted = false;
  while (!smaps.empty()) {
    const std::string_view line = smaps.substr(0, smaps.find('\n'));
    smaps.remove_prefix(std::min(line.size() + 1, smaps.size()));
    std::uintptr_t begin = 0, end = 0;
    std::uint64_t kib = 0;
    if (parse_range(line, begin, end)) {
      ours = begin < first + bytes && first < end;
    } else if (ours && parse_field(line, "Size:", kib)) {
      size += kib;
    } else if (ours && parse_field(line, "AnonHugePages:", kib)) {
      huge += kib;
      counted = true;
    }
  }
  if (!counted || size == 0) return std::nullopt;
  return static_cast<double>(huge) / static_cast<double>(size);
}

std::optional<double> huge_page_share(const void* address, std::size_t bytes) {
  try {
    Result<File> file = File::open_read("/proc/self/smaps");
    if (!file.ok()) return std::nullopt;
    std::string text;
    std::array<std::uint8_t, 1 << 14> block;
    for (;;) {
      const Result<std::size_t> got = file->read_some(block);
      if (!got.ok()) return std::nullopt;
      if (*got == 0) return huge_page_share_in(text, address, bytes);
      text.append(reinterpret_cast<const char*>(block.data()), *got);
    }
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

}  // namespace BLOOMERY_NAMESPACE::io
