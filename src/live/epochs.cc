// Why nothing is freed under a reader.
//
// Each thread has a line in every Readers, and it alone writes that line; threads that got none share one line, by
// atomic additions. A ReadGuard raises `inside` of its thread's line, reads, and lowers it. A HeldGuard raises `held`,
// and when it ends it raises `freed` of the thread that it ends on. Each counter exists twice, for even and for odd
// epochs: a guard takes those of the epoch it finds when it begins, perhaps a stale one, and keeps to them. A look at
// the even (or odd) guards sums up `freed`, then `held`, then `inside`; it finds nobody left when the first two are
// equal and the third is 0. The epoch goes from e to e + 1 only after a look has found nobody left of e - 1. New guards
// belong to e, so those of e - 1 come to an end. Whoever replaces a pointer takes a ticket: it sets a barrier, reads
// the epoch e, and frees the old object after e + 3 has come.
//
// 1. If a look sees that a guard has begun, and finds nobody left, then the guard has ended, and all that was read
// under it happened before what follows the look.
//   - ReadGuard: after its beginning `inside` is 0 again only when the outermost guard of its thread has ended; guards
//     within guards leave it above 0. So the look has read a 0 that this end stored, or a later end at the same place.
//     Ends are release stores and the look reads by acquire loads. On the shared line ends are atomic additions, and an
//     acquire load of 0 comes after all of them.
//   - HeldGuard: `freed` is raised by release stores and read by acquire loads. With each end that the look counts it
//     also sees what came before: the beginning of the same guard, on the same thread or on the one that handed the
//     guard over. `held` is read later, so the beginning of each counted end is counted too. When both counts are
//     equal, the end of each counted beginning is counted.
// A place goes from a thread that ends to another one by g_taken (release, acquire), which keeps their stores in order.
//
// 2. A guard that read the old pointer is seen by one of the two looks after the ticket. The ticket reads the epoch e
// by an atomic addition of 0. Each later epoch is another atomic change of the same variable, and whoever looks in e +
// 1 or e + 2 has read that change by an acquire load before. So the look that ends e may have come before the ticket,
// but the looks that end e + 1 and e + 2 come after it, and one of them is at even guards, the other one at odd guards.
// A look after the ticket sees the beginning of every guard that read the old pointer:
//   - With membarrier: while it runs, each thread passes a full barrier. After its barrier a thread reads the new
//     pointer; so this guard read the old one before it, and raised its counter before that, since the compiler keeps
//     the order. What a thread stored before its barrier is seen by all that follows the call of membarrier.
//   - With fences: the guard has a seq_cst fence between raising its counter and reading the pointer, and the ticket
//     has one between storing the pointer and reading the epoch. If the ticket's were the first, the guard would have
//     read the new pointer. So the guard's is the first, and the look, which follows the other one, sees the counter
//     raised.
// With 1, when e + 3 has come all these guards have ended.
//
// 3. The first Readers of the process settles whether readers fence, before there is any guard. That can change once:
// when membarrier fails later, as under a new seccomp filter, g_readers_fence is set. Guards that see the flag have a
// fence, and 2 holds for them. A guard that does not see it may have raised its counter by a store that is still under
// way. The language does not say when such a store arrives; kernel and hardware do. A thread that does not run was
// switched out through a full barrier. The stores of one that runs leave its core, and the flag reaches its core,
// within microseconds, since nothing holds them there. The guard loads the flag after that store, in the order of the
// program; so soon after the flag was set, the beginnings of all guards without a fence can be seen. Until then, and
// for much longer (g_settling_ns), no look finds that nobody is left, so nothing is freed and no rebuild begins. From
// then on every look sees what 2 needs. Whoever skips membarrier because of the flag takes a ticket after it was set,
// so the looks after that ticket see the flag too.
#include "bloomery/detail/epochs.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <mutex>
#include <new>
#include <thread>

namespace BLOOMERY_NAMESPACE::detail {

constinit std::atomic<bool> g_readers_fence{false};
constinit std::atomic<std::int64_t> g_settling_ns{100'000'000};
constinit thread_local std::size_t t_place = kNoPlaceYet;

namespace {

constexpr std::size_t kPlaces = 128;
constinit std::array<std::atomic<std::uint64_t>, kPlaces / 64> g_taken{};  // a bit for each place

// When g_readers_fence was set; 0 while it is not, and between the two.
constinit std::atomic<std::int64_t> g_fenced_at{0};

constinit std::mutex g_mutex;  // of the list of all Readers
constinit Readers* g_readers = nullptr;

constinit std::atomic<bool> g_key_works{false};
::pthread_key_t g_key;  // tells us when a thread ends; unlike a thread_local of C++ it needs no memory

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

long membarrier(int command) { return ::syscall(SYS_membarrier, command, 0u, 0); }

// Every thread of the process passes a full barrier before this returns: at once, or after some milliseconds where the
// system has forgotten that we are registered; or readers fence from now on.
void barrier_for_all() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (g_readers_fence.load(std::memory_order_relaxed)) return;
  if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0 && membarrier(MEMBARRIER_CMD_GLOBAL) != 0) fence_readers();
}

// Whether no guard that began without a fence can be hidden from us.
bool beginnings_are_visible() {
  if (!g_readers_fence.load(std::memory_order_relaxed)) return true;
  const std::int64_t since = g_fenced_at.load(std::memory_order_acquire);
  return since != 0 && now_ns() - since >= g_settling_ns.load(std::memory_order_relaxed);
}

void give_place_back(std::size_t place) {
  const std::size_t number = place / kNoSharing;
  g_taken[number / 64].fetch_and(~(std::uint64_t{1} << number % 64), std::memory_order_release);
}

// The value of the key is the place and 1, since 0 means none.
void thread_ends(void* place_and_1) {
  t_place = kNoPlaceYet;
  give_place_back(reinterpret_cast<std::uintptr_t>(place_and_1) - 1);
}

std::size_t free_place() {
  for (std::size_t word = 0; word < g_taken.size(); ++word) {
    std::uint64_t taken = g_taken[word].load(std::memory_order_relaxed);
    while (~taken != 0) {
      const auto bit = static_cast<unsigned>(std::countr_one(taken));
      if (g_taken[word].compare_exchange_weak(taken, taken | std::uint64_t{1} << bit, std::memory_order_acquire))
        return (word * 64 + bit) * kNoSharing;
    }
  }
  return kNoPlaceLeft;
}

}  // namespace

// What all Readers share. Made by the first of them.
struct ReadersOfProcess {
  ReadersOfProcess() {
    if (::pthread_atfork([] { g_mutex.lock(); }, [] { g_mutex.unlock(); }, after_fork) != 0) throw std::bad_alloc();
    g_key_works = ::pthread_key_create(&g_key, thread_ends) == 0;
    if (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) != 0) {
      g_fenced_at = std::numeric_limits<std::int64_t>::min() / 2;  // no guard was ever without
      g_readers_fence = true;
    }
  }
  // A library that is unloaded must not be called when threads end.
  ~ReadersOfProcess() {
    if (g_key_works.exchange(false)) ::pthread_key_delete(g_key);
  }

  // In the child of a fork only one thread is left.
  static void after_fork() {
    for (Readers* readers = g_readers; readers != nullptr; readers = readers->next_) readers->forget_other_threads();
    for (std::size_t word = 0; word < g_taken.size(); ++word) {
      const std::size_t number = t_place / kNoSharing;
      const bool mine = t_place < kNoPlaceLeft && number / 64 == word;
      g_taken[word].store(mine ? std::uint64_t{1} << number % 64 : 0, std::memory_order_relaxed);
    }
    (void)membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);  // should it fail, so does the barrier
    g_mutex.unlock();
  }
};

void fence_readers() noexcept {
  g_readers_fence.store(true, std::memory_order_seq_cst);
  std::int64_t never = 0;
  g_fenced_at.compare_exchange_strong(never, now_ns(), std::memory_order_acq_rel);
}

std::size_t take_place() noexcept {
  const std::size_t place = g_key_works.load(std::memory_order_acquire) ? free_place() : kNoPlaceLeft;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the number is kept in place of a pointer
  if (place != kNoPlaceLeft && ::pthread_setspecific(g_key, reinterpret_cast<void*>(place + 1)) != 0) {
    give_place_back(place);
    return t_place = kNoPlaceLeft;
  }
  return t_place = place;
}

Readers::Readers() {
  static_assert(std::tuple_size_v<decltype(own_)> == kPlaces);
  static const ReadersOfProcess once;
  const std::lock_guard lock(g_mutex);
  next_ = g_readers;
  if (next_ != nullptr) next_->before_ = this;
  g_readers = this;
}

Readers::~Readers() {
  const std::lock_guard lock(g_mutex);
  (before_ != nullptr ? before_->next_ : g_readers) = next_;
  if (next_ != nullptr) next_->before_ = before_;
}

// A ReadGuard goes with the thread that made it. What is held may be in use, and threads that share a line cannot be
// told apart: these stay, and keep what they hold.
void Readers::forget_other_threads() noexcept {
  for (std::size_t place = 0; place < sizeof own_; place += kNoSharing)
    if (place != t_place)
      for (Counter& inside : own_line(place).inside) inside.store(0, std::memory_order_relaxed);
}

// Enters for the first time of a thread, or for a thread without a line of its own.
Readers::Entry Readers::enter_slowly() noexcept {
  const std::size_t place = this_place(), parity = this->parity();
  Line& line = place < sizeof own_ ? own_line(place) : shared_;
  line.inside[parity].fetch_add(1, std::memory_order_relaxed);
  return {place, &line.inside[parity]};
}

void Readers::hold_slowly(std::size_t parity) noexcept {
  Line& line = this_place() < sizeof own_ ? own_line(this_place()) : shared_;
  line.held[parity].fetch_add(1, std::memory_order_relaxed);
}

void Readers::free_slowly(std::size_t parity) noexcept {
  Line& line = this_place() < sizeof own_ ? own_line(this_place()) : shared_;
  line.freed[parity].fetch_add(1, std::memory_order_release);
}

template <class Use>
std::uint64_t Readers::sum(Use use) const noexcept {
  std::uint64_t sum = use(shared_);
  for (const Line& line : own_) sum += use(line);
  return sum;
}

std::uint64_t Readers::total(std::size_t event) const noexcept {
  return sum([event](const Line& line) { return line.events[event].load(std::memory_order_relaxed); });
}

bool Readers::nobody_in(std::uint64_t epoch) const noexcept {
  if (!beginnings_are_visible()) return false;
  const std::size_t parity = epoch % 2;
  const std::uint64_t freed = sum([=](const Line& line) { return line.freed[parity].load(std::memory_order_acquire); });
  const std::uint64_t held = sum([=](const Line& line) { return line.held[parity].load(std::memory_order_relaxed); });
  return held == freed &&
         sum([=](const Line& line) { return line.inside[parity].load(std::memory_order_acquire); }) == 0;
}

// Goes on to the next epoch, or finds that another thread did; false when somebody is left of the one before.
bool Readers::turn(std::uint64_t epoch) noexcept {
  if (!nobody_in(epoch + 1)) return false;
  turned_at_.store(now_ns(), std::memory_order_relaxed);
  epoch_.compare_exchange_strong(epoch, epoch + 1, std::memory_order_acq_rel);
  return true;
}

std::uint64_t Readers::ticket() noexcept {
  barrier_for_all();
  return epoch_.fetch_add(0, std::memory_order_acq_rel) + 3;
}

bool Readers::passed(std::uint64_t ticket) noexcept {
  for (;;) {
    const std::uint64_t epoch = epoch_.load(std::memory_order_acquire);
    if (epoch >= ticket) return true;
    if (!turn(epoch)) return false;
  }
}

bool Readers::wait(std::chrono::nanoseconds patience) {
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t until = ticket();
  for (unsigned tries = 0; !passed(until); ++tries) {
    if (tries < 100) {
      std::this_thread::yield();
    } else {
      if (std::chrono::steady_clock::now() - start > patience) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
  return true;
}

// Readers that are left of the epoch before have been there since this one began.
std::chrono::nanoseconds Readers::oldest_age() noexcept {
  if (!beginnings_are_visible() || turn(epoch_.load(std::memory_order_acquire))) return std::chrono::nanoseconds(0);
  const std::int64_t age = now_ns() - turned_at_.load(std::memory_order_relaxed);
  return std::chrono::nanoseconds(age > 0 ? age : 0);
}

}  // namespace BLOOMERY_NAMESPACE::detail
