#include "core/io/file_system.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace BLOOMERY_NAMESPACE::io {
namespace {

std::string text_of(const std::string& path) {
  std::string text;
  Result<File> file = File::open_read(path);
  std::array<std::uint8_t, 4096> block;
  while (file.ok()) {
    const Result<std::size_t> got = file->read_some(block);
    if (!got.ok() || *got == 0) break;
    text.append(reinterpret_cast<const char*>(block.data()), *got);
  }
  return text;
}

// What stands behind `start` in the line that begins with it.
std::string_view line_after(std::string_view text, const std::string& start) {
  std::size_t at = text.starts_with(start) ? 0 : text.find("\n" + start);
  if (at == std::string_view::npos) return {};
  at += start.size() + (at == 0 ? 0 : 1);
  return text.substr(at, text.find('\n', at) - at);
}

std::string_view word(std::string_view line, int number) {
  for (; number > 0; --number) line.remove_prefix(std::min(line.find(' '), line.size() - 1) + 1);
  return line.substr(0, line.find(' '));
}

}  // namespace

// The system tells the number of its mount, and of mounts lines such as
// "36 35 98:0 / /data rw,noatime shared:1 - nfs4 server:/data rw".
std::string file_system_of(const File& file) {
  const std::string about = text_of("/proc/self/fdinfo/" + std::to_string(file.fd()));
  const std::string number(line_after(about, "mnt_id:\t"));
  const std::string mounts = text_of("/proc/self/mountinfo");
  const std::string_view mount = number.empty() ? "" : line_after(mounts, number + " ");
  const std::size_t dash = mount.find(" - ");
  if (dash == std::string_view::npos) return "the file system it is on";
  return std::string(word(mount.substr(dash + 3), 0)) + " at " + std::string(word(mount, 3));
}

}  // namespace BLOOMERY_NAMESPACE::io
