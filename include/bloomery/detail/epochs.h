// Tells when nobody reads a replaced object any more. A reader announces itself by plain stores to a line of its own
// and is never held up. Whoever replaces an object keeps the old one until all readers that may have seen it have said
// that they are done. The library has this code of its own, and not liburcu, because a lookup takes so few nanoseconds
// that a call into another library would show.
//
// Each object that is read has Readers of its own, so nobody waits for the readers of another filter. epochs.cc says
// how it works, and proves it.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "bloomery/detail/cache_line.h"
#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::detail {

// The offset in bytes of this thread's line among the lines of any Readers: kNoSharing times 0, 1, 2, .. Threads that
// find no place free share the last line.
inline constexpr std::size_t kNoPlaceYet = std::numeric_limits<std::size_t>::max();
inline constexpr std::size_t kNoPlaceLeft = kNoPlaceYet - 1;
extern BLOOMERY_API constinit thread_local std::size_t t_place;
// Gives this thread its place, until it ends. Takes no memory.
BLOOMERY_API std::size_t take_place() noexcept;
inline std::size_t this_place() noexcept {
  const std::size_t place = t_place;
  if (place == kNoPlaceYet) [[unlikely]]
    return take_place();
  return place;
}

// Whether readers pay for a fence of their own, because the system has no barrier that spares them that. Once true it
// stays so.
extern BLOOMERY_API std::atomic<bool> g_readers_fence;
// Sets it to true, when the system refuses its barrier. Tests call it to run without one.
void fence_readers() noexcept;
// For how long after that nothing is freed. It is a variable for tests alone.
extern std::atomic<std::int64_t> g_settling_ns;

// The readers of one thing, and what its threads count on the way. Safe from any thread.
class Readers {
 public:
  static constexpr std::size_t kEvents = 10;  // of the owner's choice

  // Throws std::bad_alloc, when the process cannot be told what to do after a fork.
  BLOOMERY_API Readers();
  BLOOMERY_API ~Readers();
  Readers(const Readers&) = delete;
  Readers& operator=(const Readers&) = delete;

  // Counts an event, by a plain store: no other thread writes the line. `bloomery_bench --only sharing` measures what
  // this costs a lookup (bench/results/2026-11-15-sharing-x86-64-16-cores.txt).
  void count(std::size_t place, std::size_t event, std::uint64_t by) noexcept {
    if (place < sizeof own_) [[likely]]
      raise(own_line(place).events[event], by);
    else shared_.events[event].fetch_add(by, std::memory_order_relaxed);
  }
  // Counts an event, and `other` as well where `both` is true. It has no branch on `both`, which for lookups of mixed
  // keys is a coin toss.
  void count(std::size_t place, std::size_t event, std::size_t other, bool both) noexcept {
    if (place < sizeof own_) [[likely]] {
      Line& line = own_line(place);
      raise(line.events[event], 1);
      raise(line.events[other], static_cast<std::uint64_t>(both));
    } else {
      shared_.events[event].fetch_add(1, std::memory_order_relaxed);
      shared_.events[other].fetch_add(static_cast<std::uint64_t>(both), std::memory_order_relaxed);
    }
  }
  std::uint64_t total(std::size_t event) const noexcept;

  // Call ticket() after something was replaced. Once passed(ticket) is true, nobody reads what was replaced before.
  BLOOMERY_API std::uint64_t ticket() noexcept;
  BLOOMERY_API bool passed(std::uint64_t ticket) noexcept;
  // Takes a ticket and waits until it has passed. Returns false when somebody still reads after `patience`, which is
  // certain when the calling thread itself does.
  bool wait(std::chrono::nanoseconds patience);

  // How long the oldest guard has been held, as far as repeated calls of this can tell: it counts from the first call
  // that saw the guard.
  std::chrono::nanoseconds oldest_age() noexcept;

 private:
  friend class ReadGuard;
  friend class HeldGuard;
  friend struct ReadersOfProcess;

  using Counter = std::atomic<std::uint64_t>;
  // The counters that one thread writes. In each pair one is for even epochs and the other one for odd epochs.
  struct alignas(kNoSharing) Line {
    std::array<Counter, 2> inside{};         // the ReadGuards there are
    std::array<Counter, 2> held{}, freed{};  // the HeldGuards that began and that ended
    std::array<Counter, kEvents> events{};
  };
  static_assert(sizeof(Line) == kNoSharing);

  std::size_t parity() const noexcept { return epoch_.load(std::memory_order_relaxed) & 1; }
  // What a guard has written must be seen before every later load. Whoever replaces something sees to that for all
  // threads at once (membarrier), so that readers only have to keep the compiler from swapping the two.
  static void before_reading() noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (g_readers_fence.load(std::memory_order_relaxed)) [[unlikely]]
      std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  // Raises a counter of the calling thread's own line.
  static void raise(Counter& own, std::uint64_t by, std::memory_order order = std::memory_order_relaxed) noexcept {
    own.store(own.load(std::memory_order_relaxed) + by, order);
  }

  struct Entry {
    std::size_t place;
    Counter* inside;
  };
  Entry enter() noexcept {
    const std::size_t place = t_place;
    if (place >= sizeof own_) [[unlikely]]
      return enter_slowly();
    Counter& inside = own_line(place).inside[parity()];
    raise(inside, 1);
    return {place, &inside};
  }
  void leave(const Entry& entry) noexcept {
    if (entry.place < sizeof own_) [[likely]]
      raise(*entry.inside, ~std::uint64_t{0}, std::memory_order_release);  // less 1
    else entry.inside->fetch_sub(1, std::memory_order_release);
  }
  BLOOMERY_API Entry enter_slowly() noexcept;

  void hold(std::size_t parity) noexcept {
    if (const std::size_t place = t_place; place < sizeof own_) [[likely]]
      raise(own_line(place).held[parity], 1);
    else hold_slowly(parity);
  }
  void free(std::size_t parity) noexcept {
    if (const std::size_t place = t_place; place < sizeof own_) [[likely]]
      raise(own_line(place).freed[parity], 1, std::memory_order_release);
    else free_slowly(parity);
  }
  BLOOMERY_API void hold_slowly(std::size_t parity) noexcept;
  BLOOMERY_API void free_slowly(std::size_t parity) noexcept;

  // One addition away, since a place is an offset.
  Line& own_line(std::size_t place) noexcept {
    return *reinterpret_cast<Line*>(reinterpret_cast<char*>(own_.data()) + place);
  }
  template <class Use>
  std::uint64_t sum(Use use) const noexcept;
  bool nobody_in(std::uint64_t epoch) const noexcept;
  bool turn(std::uint64_t epoch) noexcept;
  void forget_other_threads() noexcept;

  std::array<Line, 128> own_;
  Line shared_;
  alignas(kNoSharing) std::atomic<std::uint64_t> epoch_{0};
  std::atomic<std::int64_t> turned_at_{0};
  Readers *next_ = nullptr, *before_ = nullptr;  // of all in the process
};

// While one lives, nothing that its thread reads from then on is freed. It begins and ends in one function.
class ReadGuard {
 public:
  explicit ReadGuard(Readers& readers) noexcept : readers_(readers), entry_(readers.enter()) {
    Readers::before_reading();
  }
  ~ReadGuard() { readers_.leave(entry_); }
  ReadGuard(const ReadGuard&) = delete;
  ReadGuard& operator=(const ReadGuard&) = delete;

  std::size_t place() const { return entry_.place; }

 private:
  Readers& readers_;
  Readers::Entry entry_;
};

// A ReadGuard that may end at any time and on any thread. The child of a fork inherits it, whichever thread made it.
// Not for signal handlers: they could come between the load and the store that raise a counter.
class HeldGuard {
 public:
  explicit HeldGuard(Readers& readers) noexcept : readers_(readers), parity_(readers.parity()) {
    readers_.hold(parity_);
    Readers::before_reading();
  }
  ~HeldGuard() { readers_.free(parity_); }
  HeldGuard(const HeldGuard&) = delete;
  HeldGuard& operator=(const HeldGuard&) = delete;

 private:
  Readers& readers_;
  std::size_t parity_;
};

}  // namespace BLOOMERY_NAMESPACE::detail
