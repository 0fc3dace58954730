#include "cli/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/cli.h"
#include "cli/growth.h"
#include "cli/help.h"
#include "cli/signals.h"
#include "core/io/sys.h"

namespace bloomery::cli {

namespace {

// 0, or errno.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = io::sys_write(fd, text.data(), text.size());
    if (wrote < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return 0;
}

std::string cannot_write(int reason) { return std::string("cannot write: ") + std::strerror(reason); }

}  // namespace

Status Output::flush() {
  const int reason = write_all(STDOUT_FILENO, buffer_);
  buffer_.clear();
  if (reason != 0) return Error{ErrorCode::io, cannot_write(reason), "standard output", {}};
  return {};
}

std::string tinted(Tint tint, const std::string& text, Stream stream) {
  const char *none = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
  const bool plain =
      (none != nullptr && *none != '\0') || (terminal != nullptr && terminal == std::string_view("dumb"));
  if (plain || ::isatty(stream == Stream::output ? STDOUT_FILENO : STDERR_FILENO) != 1) return text;
  // Bold, red and magenta: they show on dark and on light.
  const char* code = tint == Tint::heading ? "1" : tint == Tint::error ? "1;31" : "1;35";
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

void tell(std::string_view text) {
  const PipesFail no_signal;
  (void)write_all(STDERR_FILENO, text);
}

void summarize(std::string_view lines, const std::string& file) {
  const PipesFail no_signal;
  const int reason = write_all(STDOUT_FILENO, lines.starts_with('{') ? std::string(lines) : fitted(lines));
  if (reason != 0 && reason != EPIPE)  // who reads no more has seen enough
    warn(fmt::format("standard output: {}; {} is written", cannot_write(reason), file));
}

std::string with_size(std::uint64_t bytes) {
  const std::string exact = std::to_string(bytes);
  return bytes < 1000 || !is_terminal() ? exact : exact + " (" + rounded(bytes, " ") + "B)";
}

std::string bytes_text(std::uint64_t bytes) {
  const std::string exact = std::to_string(bytes) + " bytes";
  return bytes < 1000 || !is_terminal() ? exact : exact + " (" + rounded(bytes, " ") + "B)";
}

std::string speed_text(double seconds, std::uint64_t count, const char* what) {
  const auto per_second = static_cast<std::uint64_t>(static_cast<double>(count) / seconds);
  return fmt::format("{:.3g} s, {}{}{}/s", seconds, rounded(per_second, " "), per_second < 1000 ? "" : " ", what);
}

}  // namespace bloomery::cli
