// What signals may not do: interrupt the writing of a file, or end the program for a line that nobody reads.
#pragma once

#include <pthread.h>

#include <cerrno>
#include <csignal>
#include <ctime>

namespace bloomery::cli {

// Signals that would end the program wait until this is gone, so that no temporary file stays behind.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t set;
    sigemptyset(&set);
    for (int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
    pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~SignalsWait() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

 private:
  sigset_t before_;
};

// While it lives, a write of this thread to a pipe that nobody reads is an error (EPIPE), and no signal.
class PipesFail {
 public:
  PipesFail() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~PipesFail() {
    const timespec at_once{};
    if (sigismember(&before_, SIGPIPE) == 0)
      while (sigtimedwait(&pipe_, nullptr, &at_once) == -1 && errno == EINTR) {
      }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  PipesFail(const PipesFail&) = delete;
  PipesFail& operator=(const PipesFail&) = delete;

 private:
  sigset_t pipe_, before_;
};

}  // namespace bloomery::cli
