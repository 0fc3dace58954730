#include "guard.h"

#include <pthread.h>

#include <chrono>
#include <thread>

namespace bloomery::python {
namespace {

std::atomic<std::uint32_t> process_forks{0};

constexpr char kPinned[] = "a memoryview of this filter exists: release it before the filter is changed or closed";

// Short, then longer: batches take milliseconds.
void pause(unsigned round) {
  const nb::gil_scoped_release released;
  if (round < 16) std::this_thread::yield();
  else std::this_thread::sleep_for(std::chrono::microseconds(round < 1000 ? 50 : 1000));
}

}  // namespace

void watch_forks() {
  pthread_atfork(nullptr, nullptr, [] { process_forks.fetch_add(1, std::memory_order_relaxed); });
}

// Those who held the guard in the process before the fork do not exist in this one.
void Guard::after_fork() {
  const std::uint32_t now = process_forks.load(std::memory_order_relaxed);
  if (forks_.load(std::memory_order_relaxed) == now) return;
  std::int32_t users = users_.load();
  if (users == kWriter)
    raise_code(ErrorCode::invalid_argument,
               "this process was forked while another thread changed the filter: it is half changed here, build or "
               "open it again");
  if (users > 0) users_.compare_exchange_strong(users, 0);
  forks_.store(now, std::memory_order_relaxed);
}

bool Guard::try_change(std::int32_t least, std::int32_t most, std::int32_t by) {
  std::int32_t users = users_.load(std::memory_order_acquire);
  if (users == kClosed) raise_invalid("the filter is closed");
  while (users >= least && users <= most)
    if (users_.compare_exchange_weak(users, users + by, std::memory_order_acquire)) {
      forks_.store(process_forks.load(std::memory_order_relaxed), std::memory_order_relaxed);
      return true;
    }
  return false;
}

void Guard::lock_shared() {
  for (unsigned round = 0; !try_change(0, INT32_MAX - 1, 1); ++round) {
    after_fork();
    pause(round);
  }
}

void Guard::lock() {
  for (unsigned round = 0;; ++round) {
    if (users_.load(std::memory_order_acquire) != 0) after_fork();
    if (try_change(0, 0, -1)) break;
    pause(round);
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
