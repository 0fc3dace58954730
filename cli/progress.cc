#include "cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "cli/growth.h"
#include "cli/output.h"
#include "core/io/sys.h"

namespace bloomery::cli {
namespace {

constexpr std::size_t kWidest = 30, kNarrowest = 5;  // columns of a bar
constexpr std::size_t kSlice = std::size_t{16} << 20;
constexpr const char* kErase = "\r\033[K";

bool shows() { return ::isatty(STDERR_FILENO) == 1; }

std::size_t columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string time_left(double seconds) {
  constexpr double kMinute = 60, kHour = 3600;
  if (seconds < 2 * kMinute) return fmt::format("{:.0f} s left", seconds);
  if (seconds < 2 * kHour) return fmt::format("{:.0f} min left", seconds / kMinute);
  return fmt::format("{:.1f} h left", seconds / kHour);
}

const char* name_of(Progress::Unit unit) { return unit == Progress::Unit::bytes ? "B" : ""; }

}  // namespace

Progress::Progress(std::string what, std::uint64_t total, Unit unit)
    : what_(std::move(what)),
      total_(total),
      unit_(unit),
      terminal_(shows() && (total > 0 || ::isatty(STDIN_FILENO) != 1)),  // who types keys sees them
      start_(std::chrono::steady_clock::now()),
      next_(start_ + std::chrono::milliseconds(500)) {}

Progress::~Progress() {
  if (drawn_) tell(kErase);
}

void Progress::update(std::uint64_t done) {
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  drawn_ = true;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const auto per_second = static_cast<std::uint64_t>(static_cast<double>(done) / elapsed);
  const std::string rate =
      unit_ == Unit::steps ? "" : fmt::format("  {}{}/s", rounded(per_second, " "), name_of(unit_));
  if (total_ == 0) return tell(fmt::format("{}{} {}{}{}", kErase, what_, rounded(done, " "), name_of(unit_), rate));
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
  const std::string behind =
      fmt::format(" {:3.0f} %{}  {}", 100 * share, rate, time_left(share > 0 ? elapsed / share - elapsed : 0.0));
  const std::size_t taken = what_.size() + 3 + behind.size() + 1;  // blank, brackets, and a column for the cursor
  const std::size_t width = std::clamp(columns() - std::min(columns(), taken), kNarrowest, kWidest);
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
  tell(fmt::format("{}{} [{}{}]{}", kErase, what_, std::string(filled, '#'), std::string(width - filled, '.'), behind));
}

FileProgress::FileProgress(std::string what, std::uint64_t total) : bar_(std::move(what), total), watching_(shows()) {
  if (!watching_) return;
  // The hook cuts reads and writes into slices, so that there is something to show while a large file is read at once.
  const io::FaultHook count = [](const io::Call& call, void* context) {
    auto& self = *static_cast<FileProgress*>(context);
    if (call.op == io::Op::read || call.op == io::Op::write)
      if (call.fd != STDOUT_FILENO && call.fd != STDERR_FILENO)
        self.bar_.update(self.done_ += std::min(call.bytes, kSlice));
    return io::Verdict{0, kSlice};
  };
  io::set_fault_hook(count, this);
}

FileProgress::~FileProgress() {
  if (watching_) io::set_fault_hook(nullptr);
}

Waiting::Waiting(std::string what) : what_(std::move(what)) {
  if (shows()) thread_ = std::thread([this] { draw_every_second(); });
}

Waiting::~Waiting() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Waiting::draw_every_second() {
  std::unique_lock lock(mutex_);
  std::uint64_t seconds = 0;
  while (!wake_.wait_for(lock, std::chrono::seconds(1), [&] { return done_; }))
    tell(fmt::format("{}{}, {} s", kErase, what_, ++seconds));
  if (seconds > 0) tell(kErase);
}

}  // namespace bloomery::cli
