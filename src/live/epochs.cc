#include "bloomery/detail/epochs.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <limits>
#include <mutex>
#include <thread>

namespace bloomery::detail {
namespace {

// All places there ever were; the list only grows, and a place whose thread has ended is taken again.
std::atomic<Reader*> g_readers{nullptr};
std::mutex g_ages;  // of seen_epoch and seen_since

long membarrier(int command) { return ::syscall(SYS_membarrier, command, 0u, 0); }

template <class Use>
void for_each_reader(Use use) {
  for (Reader* reader = g_readers.load(std::memory_order_acquire); reader != nullptr; reader = reader->next)
    use(*reader);
}

// In the child of a fork only one thread is left, and it is in no guard that matters to others.
void after_fork() {
  for_each_reader([](Reader& reader) {
    if (&reader == t_reader) return;
    reader.epoch.store(0, std::memory_order_relaxed);
    reader.taken.store(false, std::memory_order_relaxed);
  });
}

// Before the first reader of the process.
void prepare() {
  static std::once_flag once;
  std::call_once(once, [] {
    ::pthread_atfork(nullptr, nullptr, after_fork);
    if (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0) g_readers_fence.store(false);
  });
}

// Every thread of the process passes a full barrier before this returns: at once, or after some milliseconds where the
// system has forgotten that we are registered.
void barrier_for_all() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (g_readers_fence.load(std::memory_order_relaxed)) return;
  if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0) membarrier(MEMBARRIER_CMD_GLOBAL);
}

// Gives the place back when the thread ends.
struct ThreadEnd {
  Reader* reader = nullptr;
  ~ThreadEnd() {
    if (reader == nullptr) return;
    t_reader = nullptr;
    reader->taken.store(false, std::memory_order_release);
  }
};
thread_local ThreadEnd t_end;

Reader* free_place() {
  for (Reader* reader = g_readers.load(std::memory_order_acquire); reader != nullptr; reader = reader->next) {
    bool taken = false;
    if (!reader->taken.load(std::memory_order_relaxed) &&
        reader->taken.compare_exchange_strong(taken, true, std::memory_order_acquire))
      return reader;
  }
  return nullptr;
}

}  // namespace

constinit std::atomic<std::uint64_t> g_epoch{1};
constinit std::atomic<bool> g_readers_fence{true};
constinit thread_local Reader* t_reader = nullptr;

Reader& new_reader() {
  prepare();
  Reader* place = free_place();
  if (place == nullptr) {
    static std::atomic<std::size_t> places{0};
    place = new Reader;  // never freed: somebody may be walking the list
    place->offset = kNoSharing * places.fetch_add(1, std::memory_order_relaxed);
    place->next = g_readers.load(std::memory_order_relaxed);
    while (!g_readers.compare_exchange_weak(place->next, place, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }
  t_end.reader = place;
  t_reader = place;
  return *place;
}

std::uint64_t new_epoch() {
  barrier_for_all();
  return g_epoch.fetch_add(1, std::memory_order_seq_cst) + 1;
}

bool all_readers_since(std::uint64_t epoch) {
  std::uint64_t oldest = std::numeric_limits<std::uint64_t>::max();
  for_each_reader([&](const Reader& reader) {
    const std::uint64_t begun = reader.epoch.load(std::memory_order_acquire);
    if (begun != 0 && begun < oldest) oldest = begun;
  });
  return oldest >= epoch;
}

bool wait_for_readers(std::chrono::nanoseconds patience) {
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t epoch = new_epoch();
  for (unsigned turn = 0; !all_readers_since(epoch); ++turn) {
    if (turn < 100) {
      std::this_thread::yield();
    } else {
      if (std::chrono::steady_clock::now() - start > patience) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
  return true;
}

std::chrono::nanoseconds oldest_reader_age() {
  const auto now = std::chrono::steady_clock::now();
  std::chrono::nanoseconds oldest{0};
  const std::lock_guard lock(g_ages);
  for_each_reader([&](Reader& reader) {
    const std::uint64_t epoch = reader.epoch.load(std::memory_order_acquire);
    if (epoch != reader.seen_epoch) reader.seen_since = now;
    reader.seen_epoch = epoch;
    if (epoch != 0 && now - reader.seen_since > oldest) oldest = now - reader.seen_since;
  });
  // Guards taken from here on have another epoch, so one that the next call finds in the epoch seen now was held all
  // the time. At the beginning it would not do: a guard that comes before the look, and is gone soon, would have the
  // same epoch as all that follow it.
  new_epoch();
  return oldest;
}

}  // namespace bloomery::detail
