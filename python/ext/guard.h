// A lock of one object, for any number of readers or one writer. Batches hold it while the GIL is released, so that a
// second thread waits instead of reading half of a change. Short calls that keep the GIL need only look whether a batch
// is under way. A reader that comes while a writer waits lets one writer go first, so that readers who take turns do
// not keep writers out. A thread that needs two guards takes the one with the lower address first. A thread that holds
// one makes no objects of Python and raises nothing: the garbage collector could run then, and in it a method that
// waits for the same guard.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>

#include "errors.h"

namespace bloomery::python {

// Why a thread may not read, or change: not yet (busy), or never.
enum class Refusal : std::uint8_t { none, busy, closed, pinned, forked, ending };
[[noreturn]] void raise_refusal(Refusal why);

// Whether the interpreter ends. Every other thread stops then, when it asks for the GIL, and keeps what it holds.
bool interpreter_ends() noexcept;

class Guard {
 public:
  // Whether a call that keeps the GIL may read, or change, at once. Without a GIL nobody may: take a lock.
#ifdef Py_GIL_DISABLED
  bool may_read_now() const noexcept { return false; }
  bool may_write_now() const noexcept { return false; }
#else
  bool may_read_now() const noexcept { return users_.load(std::memory_order_acquire) >= 0; }
  bool may_write_now() const noexcept { return users_.load(std::memory_order_acquire) == 0 && pinned_ == 0; }
#endif

  // They wait, without the GIL, until they may, or say why they never will: the filter is closed, or its memory is
  // pinned by a memoryview, or a fork has left the writer behind, or the interpreter ends, which has stopped a thread
  // that holds it.
  [[nodiscard]] Refusal lock_shared();
  [[nodiscard]] Refusal lock();
  void unlock_shared() noexcept { release(-1); }
  void unlock() noexcept {
    turns_.fetch_add(1, std::memory_order_relaxed);
    release(1);
  }

  // Whether a fork has left a writer behind, so that nobody in this process ever gets the guard.
  bool left_behind() { return after_fork() == Refusal::forked; }

  // Every later call fails with a sentence. The caller has locked it, and does not unlock it.
  void close() noexcept { users_.store(kClosed, std::memory_order_release); }
  bool closed() const noexcept { return users_.load(std::memory_order_acquire) == kClosed; }

  // A memoryview of the bytes begins and ends. Between the two nobody may write. Throws as Reading does.
  void pin();
  void unpin() noexcept { --pinned_; }

 private:
  static constexpr std::int32_t kWriter = -1, kClosed = -2;
  static constexpr std::uint32_t kMending = std::uint32_t{1} << 31;  // in forks_

  // Changes the number of users where it is in that range; else it is busy.
  Refusal try_change(std::int32_t from_least, std::int32_t from_most, std::int32_t by);
  Refusal after_fork();
  void release(std::int32_t by) noexcept;

  std::atomic<std::int32_t> users_{0};    // readers, or one of the values above
  std::atomic<std::int32_t> pinned_{0};   // memoryviews
  std::atomic<std::int32_t> waiting_{0};  // writers
  std::atomic<std::uint32_t> turns_{0};   // of writers, which have ended
  std::atomic<std::uint32_t> forks_{0};   // of this process when somebody began last
};

// Holds a guard as its name says. Throws nb::python_error with InvalidArgumentError when it is refused.
class Reading {
 public:
  explicit Reading(Guard& guard) : guard_(guard) {
    if (const Refusal why = guard_.lock_shared(); why != Refusal::none) raise_refusal(why);
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() { guard_.unlock_shared(); }

 private:
  Guard& guard_;
};
class Writing {
 public:
  explicit Writing(Guard& guard) : guard_(guard) {
    if (const Refusal why = guard_.lock(); why != Refusal::none) raise_refusal(why);
  }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;
  ~Writing() {
    if (!guard_.closed()) guard_.unlock();
  }

 private:
  Guard& guard_;
};

// Reads the one and changes the other. The order of addresses keeps two threads that combine two filters with each
// other from waiting for each other. Throws as Reading does, when it holds neither.
class Both {
 public:
  Both(Guard& written, Guard& read) : written_(written), read_(read) {
    const bool written_first = &written < &read;
    Refusal why = written_first ? written.lock() : read.lock_shared();
    if (why != Refusal::none) raise_refusal(why);
    why = written_first ? read.lock_shared() : written.lock();
    if (why == Refusal::none) return;
    if (written_first) written.unlock();
    else read.unlock_shared();
    raise_refusal(why);
  }
  Both(const Both&) = delete;
  Both& operator=(const Both&) = delete;
  ~Both() {
    read_.unlock_shared();
    written_.unlock();
  }

 private:
  Guard &written_, &read_;
};

// Reads two, in the order of their addresses; one that is given twice is held once. Throws as Both does.
class ReadingTwo {
 public:
  ReadingTwo(Guard& a, Guard& b) : first_(&a < &b ? a : b), second_(&a < &b ? b : a) {
    Refusal why = first_.lock_shared();
    if (why != Refusal::none) raise_refusal(why);
    if (&first_ == &second_) return;
    why = second_.lock_shared();
    if (why == Refusal::none) return;
    first_.unlock_shared();
    raise_refusal(why);
  }
  ReadingTwo(const ReadingTwo&) = delete;
  ReadingTwo& operator=(const ReadingTwo&) = delete;
  ~ReadingTwo() {
    first_.unlock_shared();
    if (&first_ != &second_) second_.unlock_shared();
  }

 private:
  Guard &first_, &second_;
};

// Counts forks of this process from now on. Called once, by the module.
void watch_forks();

}  // namespace bloomery::python
