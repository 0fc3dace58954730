// Who may still be reading what was replaced: a reader says that it reads by one plain store and is never held up; who
// replaces something keeps the old until every reader that may have seen it has said that it is done. Own code rather
// than liburcu because a lookup costs some nanoseconds, and so few that a call into a library would show.
//
// One set of readers for the whole process. A thread gets its place at its first read and gives it back when it ends.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "bloomery/export.h"
#include "bloomery/metrics.h"

namespace bloomery::detail {

// The adjacent line is fetched with each, so that what threads write must be two lines apart.
inline constexpr std::size_t kNoSharing = 2 * kCacheLine;

// The place of one thread; no other is on its pair of cache lines.
struct alignas(kNoSharing) Reader {
  std::atomic<std::uint64_t> epoch{0};  // that in which it began to read; 0 while it does not
  std::size_t offset = 0;               // kNoSharing times 0, 1, 2, ..: of its line among lines for each thread
  std::atomic<bool> taken{true};
  Reader* next = nullptr;

  // What oldest_reader_age has seen: since when it is in which epoch.
  std::uint64_t seen_epoch = 0;
  std::chrono::steady_clock::time_point seen_since;
};

extern BLOOMERY_API std::atomic<std::uint64_t> g_epoch;  // from 1 on
extern BLOOMERY_API std::atomic<bool> g_readers_fence;   // the system has no barrier that spares the readers theirs
extern BLOOMERY_API constinit thread_local Reader* t_reader;

// Gives this thread its place.
BLOOMERY_API Reader& new_reader();
inline Reader& this_reader() {
  if (t_reader == nullptr) [[unlikely]]
    return new_reader();
  return *t_reader;
}

// While one lives, nothing that its thread reads from then on is freed.
class ReadGuard {
 public:
  ReadGuard() : reader_(this_reader()), outermost_(reader_.epoch.load(std::memory_order_relaxed) == 0) {
    if (!outermost_) [[unlikely]]
      return;
    reader_.epoch.store(g_epoch.load(std::memory_order_relaxed), std::memory_order_relaxed);
    // The store must come before every later load. Whoever replaces something sees to that for all threads at once
    // (membarrier), so that readers only have to keep the compiler from swapping the two.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (g_readers_fence.load(std::memory_order_relaxed)) [[unlikely]]
      std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  ~ReadGuard() {
    if (outermost_) [[likely]]
      reader_.epoch.store(0, std::memory_order_release);
  }
  ReadGuard(const ReadGuard&) = delete;
  ReadGuard& operator=(const ReadGuard&) = delete;

  std::size_t thread_offset() const { return reader_.offset; }

 private:
  Reader& reader_;
  bool outermost_;  // of guards within guards; a counter would be a chain of loads and stores through all lookups
};

// Begins a new epoch, after something was replaced. Returns its number: when all_readers_since(it), nobody reads what
// was replaced before.
BLOOMERY_API std::uint64_t new_epoch();
BLOOMERY_API bool all_readers_since(std::uint64_t epoch);
// Begins one and waits until then; false when somebody is still reading after so long. Never under a ReadGuard of the
// same thread.
BLOOMERY_API bool wait_for_readers(std::chrono::nanoseconds patience);

// How long the oldest guard of all threads has been held, as far as repeated calls of this can tell: it counts from the
// first call that saw the guard.
BLOOMERY_API std::chrono::nanoseconds oldest_reader_age();

}  // namespace bloomery::detail
