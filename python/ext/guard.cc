#include "guard.h"

#include <pthread.h>

#include <chrono>
#include <thread>
#include <utility>

namespace bloomery::python {
namespace {

std::atomic<std::uint32_t> process_forks{0};

// Waits for somebody else to give the guard back: short, then longer, because batches take milliseconds. False: nobody
// will.
bool pause(unsigned round) {
  if (interpreter_ends()) return false;
  const WithoutGil released;
  if (round < 16) std::this_thread::yield();
  else std::this_thread::sleep_for(std::chrono::microseconds(round < 1000 ? 50 : 1000));
  return true;
}

}  // namespace

bool interpreter_ends() noexcept {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

void raise_refusal(Refusal why) {
  switch (why) {
    case Refusal::pinned:
      raise_invalid("a memoryview of this filter exists: release it before the filter is changed or closed");
    case Refusal::forked:
      raise_invalid(
          "this process was forked while another thread changed the filter: it is half changed here, build or open it "
          "again");
    case Refusal::ending: raise_invalid("the interpreter ends, and has stopped a thread in a batch of this filter");
    case Refusal::none:
    case Refusal::busy:
    case Refusal::closed: break;
  }
  raise_invalid("the filter is closed");
}

void watch_forks() {
  pthread_atfork(nullptr, nullptr, [] { process_forks.fetch_add(1, std::memory_order_relaxed); });
}

// Threads that held the guard in the process before the fork, or waited for it, do not exist in this one. Without a GIL
// one thread puts that right, and others wait for it.
Refusal Guard::after_fork() {
  const std::uint32_t now = process_forks.load(std::memory_order_relaxed);
  std::uint32_t seen = forks_.load(std::memory_order_acquire);
  while (seen != now) {
    if (seen == (now | kMending)) {
      std::this_thread::yield();
      seen = forks_.load(std::memory_order_acquire);
    } else if (users_.load() == kWriter) {
      const std::uint32_t before = std::exchange(seen, forks_.load());
      if (seen == before) return Refusal::forked;  // else a writer of this process
    } else if (forks_.compare_exchange_strong(seen, now | kMending)) {
      if (users_.load() > 0) users_.store(0);
      waiting_.store(0);
      forks_.store(now, std::memory_order_release);
      break;
    }
  }
  return Refusal::none;
}

Refusal Guard::try_change(std::int32_t least, std::int32_t most, std::int32_t by) {
  if (const Refusal why = after_fork(); why != Refusal::none) return why;
  std::int32_t users = users_.load(std::memory_order_acquire);
  if (users == kClosed) return Refusal::closed;
  while (users >= least && users <= most)
    if (users_.compare_exchange_weak(users, users + by, std::memory_order_acq_rel)) return Refusal::none;
  return Refusal::busy;
}

Refusal Guard::lock_shared() {
  const std::uint32_t turn = turns_.load(std::memory_order_relaxed);
  for (unsigned round = 0;; ++round) {
    if (const Refusal why = after_fork(); why != Refusal::none) return why;
    const bool yields = waiting_.load() > 0 && turns_.load(std::memory_order_relaxed) == turn && !closed();
    const Refusal why = yields ? Refusal::busy : try_change(0, INT32_MAX - 1, 1);
    if (why != Refusal::busy) return why;
    if (!pause(round)) return Refusal::ending;
  }
}

Refusal Guard::lock() {
  Refusal why = try_change(0, 0, -1);
  if (why == Refusal::busy) {
    ++waiting_;
    for (unsigned round = 0; why == Refusal::busy; ++round) why = pause(round) ? try_change(0, 0, -1) : Refusal::ending;
    --waiting_;
  }
  if (why != Refusal::none || pinned_.load() == 0) return why;
  unlock();
  return Refusal::pinned;
}

void Guard::release(std::int32_t by) noexcept { users_.fetch_add(by, std::memory_order_release); }

void Guard::pin() {
  const Reading reading(*this);
  ++pinned_;
}

}  // namespace bloomery::python
