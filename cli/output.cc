#include "cli/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/cli.h"
#include "cli/growth.h"
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
  const char* code = tint == Tint::heading ? "1" : tint == Tint::error ? "1;31" : "1;33";  // bold, red, yellow
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

void tell(std::string_view text) {
  const PipesFail no_signal;
  (void)write_all(STDERR_FILENO, text);
}

void summarize(std::string_view lines, const std::string& file) {
  const PipesFail no_signal;
  const int reason = write_all(STDOUT_FILENO, lines);
  if (reason != 0 && reason != EPIPE)  // who reads no more has seen enough
    warn(fmt::format("standard output: {}; {} is written", cannot_write(reason), file));
}

std::string with_size(std::uint64_t bytes) {
  const std::string exact = std::to_string(bytes);
  return bytes < 1000 || ::isatty(STDOUT_FILENO) != 1 ? exact : exact + " (" + rounded(bytes, " ") + "B)";
}

Progress::Progress(std::string what, std::uint64_t total, Unit unit)
    : what_(std::move(what)),
      total_(total),
      unit_(unit),
      terminal_(::isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()),
      next_(start_ + std::chrono::milliseconds(500)) {}

Progress::~Progress() {
  if (drawn_) tell("\r\033[K");
}

void Progress::update(std::uint64_t done) {
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  drawn_ = true;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const auto per_second = static_cast<std::uint64_t>(static_cast<double>(done) / elapsed);
  const std::string rate = unit_ == Unit::bytes ? "  " + rounded(per_second, " ") + "B/s" : "";
  if (total_ == 0) {
    tell(fmt::format("\r\033[K{} {}{}{}", what_, rounded(done, " "), unit_ == Unit::bytes ? "B" : "", rate));
    return;
  }
  constexpr std::size_t kWidth = 30;
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
  const auto filled = static_cast<std::size_t>(share * kWidth);
  tell(fmt::format("\r\033[K{} [{}{}] {:3.0f} %{}  {:.0f} s left", what_, std::string(filled, '#'),
                   std::string(kWidth - filled, '.'), 100 * share, rate, share > 0 ? elapsed / share - elapsed : 0.0));
}

}  // namespace bloomery::cli
