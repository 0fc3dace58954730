#include "guard.h"

#include <pthread.h>

#include <chrono>
#include <thread>
#include <utility>

namespace bloomery::python {
namespace {

std::atomic<std::uint32_t> process_forks{0};

constexpr char kPinned[] = "a memoryview of this filter exists: release it before the filter is changed or closed";

// Short, then longer: batches take milliseconds.
void pause(unsigned round) {
  const WithoutGil released;
  if (round < 16) std::this_thread::yield();
  else std::this_thread::sleep_for(std::chrono::microseconds(round < 1000 ? 50 : 1000));
}

}  // namespace

void watch_forks() {
  pthread_atfork(nullptr, nullptr, [] { process_forks.fetch_add(1, std::memory_order_relaxed); });
}

// Those who held the guard in the process before the fork, or waited for it, do not exist in this one. Without a GIL
// one thread puts that right, and others wait for it.
void Guard::after_fork() {
  const std::uint32_t now = process_forks.load(std::memory_order_relaxed);
  std::uint32_t seen = forks_.load(std::memory_order_acquire);
  while (seen != now) {
    if (seen == (now | kMending)) {
      std::this_thread::yield();
      seen = forks_.load(std::memory_order_acquire);
    } else if (users_.load() == kWriter) {
      const std::uint32_t before = std::exchange(seen, forks_.load());
      if (seen != before) continue;  // a writer of this process
      raise_code(ErrorCode::invalid_argument,
                 "this process was forked while another thread changed the filter: it is half changed here, build or "
                 "open it again");
    } else if (forks_.compare_exchange_strong(seen, now | kMending)) {
      if (users_.load() > 0) users_.store(0);
      waiting_.store(0);
      forks_.store(now, std::memory_order_release);
      return;
    }
  }
}

bool Guard::try_change(std::int32_t least, std::int32_t most, std::int32_t by) {
  after_fork();
  std::int32_t users = users_.load(std::memory_order_acquire);
  if (users == kClosed) raise_invalid("the filter is closed");
  while (users >= least && users <= most)
    if (users_.compare_exchange_weak(users, users + by, std::memory_order_acq_rel)) return true;
  return false;
}

void Guard::lock_shared() {
  const std::uint32_t turn = turns_.load(std::memory_order_relaxed);
  for (unsigned round = 0;; ++round) {
    after_fork();
    const bool yields = waiting_.load() > 0 && turns_.load(std::memory_order_relaxed) == turn && !closed();
    if (!yields && try_change(0, INT32_MAX - 1, 1)) return;
    pause(round);
  }
}

void Guard::lock() {
  if (!try_change(0, 0, -1)) {
    ++waiting_;
    try {
      for (unsigned round = 0; !try_change(0, 0, -1); ++round) pause(round);
    } catch (...) {
      --waiting_;
      throw;
    }
    --waiting_;
  }
  if (pinned_.load() == 0) return;
  unlock();
  raise_code(ErrorCode::invalid_argument, kPinned);
}

void Guard::release(std::int32_t by) noexcept { users_.fetch_add(by, std::memory_order_release); }

void Guard::pin() {
  const Reading reading(*this);
  ++pinned_;
}

}  // namespace bloomery::python
