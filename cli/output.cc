#include "cli/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "core/io/file.h"

namespace bloomery::cli {

Status Output::flush() {
  io::File out = io::File::borrowed(STDOUT_FILENO, "standard output");
  Status status = out.write_all({reinterpret_cast<const std::uint8_t*>(buffer_.data()), buffer_.size()});
  buffer_.clear();
  return status;
}

Progress::Progress(std::string what, std::uint64_t total)
    : what_(std::move(what)),
      total_(total),
      terminal_(::isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()),
      next_(start_ + std::chrono::milliseconds(500)) {}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void Progress::update(std::uint64_t done) {
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  drawn_ = true;
  if (total_ == 0) {
    fmt::print(stderr, "\r\033[K{} {} MB", what_, done / 1000000);
    return;
  }
  constexpr std::size_t kWidth = 30;
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const auto filled = static_cast<std::size_t>(share * kWidth);
  fmt::print(stderr, "\r\033[K{} [{}{}] {:3.0f} %  {:.0f} s left", what_, std::string(filled, '#'),
             std::string(kWidth - filled, '.'), 100 * share, share > 0 ? elapsed / share - elapsed : 0.0);
}

}  // namespace bloomery::cli
