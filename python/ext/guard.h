// Who uses an object: any number of readers, or one writer. Batches hold it while the GIL is released, so that a second
// thread waits instead of reading half of a change. Short calls that keep the GIL need only look whether a batch is
// under way. A reader that comes while a writer waits lets one writer go first, so that readers who take turns do not
// keep writers out. Who holds two guards has taken the one with the lower address first.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <optional>

#include "errors.h"

namespace bloomery::python {

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

  // They wait, without the GIL, until they may. Throw nb::python_error when that will never be: the filter is closed,
  // or its memory is pinned by a memoryview, or a fork has left the writer behind.
  void lock_shared();
  void lock();
  void unlock_shared() noexcept { release(-1); }
  void unlock() noexcept {
    turns_.fetch_add(1, std::memory_order_relaxed);
    release(1);
  }

  // Every later call fails with a sentence. The caller has locked it, and does not unlock it.
  void close() noexcept { users_.store(kClosed, std::memory_order_release); }
  bool closed() const noexcept { return users_.load(std::memory_order_acquire) == kClosed; }

  // A memoryview of the bytes begins and ends. Between the two nobody may write.
  void pin();
  void unpin() noexcept { --pinned_; }

 private:
  static constexpr std::int32_t kWriter = -1, kClosed = -2;
  static constexpr std::uint32_t kMending = std::uint32_t{1} << 31;  // in forks_

  bool try_change(std::int32_t from_least, std::int32_t from_most, std::int32_t by);
  void after_fork();
  void release(std::int32_t by) noexcept;

  std::atomic<std::int32_t> users_{0};    // readers, or one of the values above
  std::atomic<std::int32_t> pinned_{0};   // memoryviews
  std::atomic<std::int32_t> waiting_{0};  // writers
  std::atomic<std::uint32_t> turns_{0};   // of writers, which have ended
  std::atomic<std::uint32_t> forks_{0};   // of this process when somebody began last
};

// Holds a guard as its name says.
class Reading {
 public:
  explicit Reading(Guard& guard) : guard_(guard) { guard_.lock_shared(); }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() { guard_.unlock_shared(); }

 private:
  Guard& guard_;
};
class Writing {
 public:
  explicit Writing(Guard& guard) : guard_(guard) { guard_.lock(); }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;
  ~Writing() {
    if (!guard_.closed()) guard_.unlock();
  }

 private:
  Guard& guard_;
};

// Reads the one and changes the other. The order of addresses keeps two threads that combine two filters with each
// other from waiting for each other.
class Both {
 public:
  Both(Guard& written, Guard& read) : written_(written), read_(read) {
    if (&written < &read) {
      written.lock();
      try {
        read.lock_shared();
      } catch (...) {
        written.unlock();
        throw;
      }
    } else {
      read.lock_shared();
      try {
        written.lock();
      } catch (...) {
        read.unlock_shared();
        throw;
      }
    }
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

// Reads two, in the order of their addresses; one that is given twice is held once.
class ReadingTwo {
 public:
  ReadingTwo(Guard& a, Guard& b) : first_(&a < &b ? a : b) {
    if (&a != &b) second_.emplace(&a < &b ? b : a);
  }

 private:
  Reading first_;
  std::optional<Reading> second_;
};

// Counts forks of this process from now on. Called once, by the module.
void watch_forks();

}  // namespace bloomery::python
