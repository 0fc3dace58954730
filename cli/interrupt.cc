#include "cli/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <optional>

#include "core/base/error.h"

namespace bloomery::cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

std::atomic<int> g_signal{0};
std::atomic<int> g_input{-1}, g_nothing{-1};  // descriptors

// System calls that were interrupted are tried again; so that a read does not wait for ever, its file becomes an empty
// one.
void note(int signal) {
  g_signal = signal;
  if (g_input >= 0 && g_nothing >= 0) (void)::dup2(g_nothing, g_input);
}

}  // namespace

Interrupt::Interrupt() {
  g_signal = 0;
  struct sigaction action {};
  action.sa_handler = note;
  for (int i = 0; i < 3; ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    // What the shell told the program to ignore (nohup) stays ignored.
    if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

Interrupt::~Interrupt() {
  unwatch();
  for (int i = 0; i < 3; ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  if (pending()) (void)::raise(g_signal);
}

bool Interrupt::pending() const { return g_signal != 0; }

Status Interrupt::status() const {
  if (!pending()) return {};
  return invalid_argument("signal", "ended by a signal; nothing was changed");
}

void Interrupt::watch(const io::File& input) {
  Result<io::File> nothing = io::File::open_read("/dev/null");
  if (!nothing.ok()) return;  // then a waiting read goes on until something comes
  g_nothing = ::dup(nothing->fd());
  g_input = input.fd();
  if (pending()) note(g_signal);
}

void Interrupt::unwatch() {
  g_input = -1;
  if (const int fd = g_nothing.exchange(-1); fd >= 0) ::close(fd);
}

}  // namespace bloomery::cli
