// How a live filter counts what its threads do: a lookup pays less than a nanosecond for it (make bench, sharing).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "bloomery/detail/epochs.h"

namespace bloomery::detail {

// Counters of events, a line for each thread that counts. Cheap because only its own thread writes a line; the threads
// beyond the last line share it, at the cost of an atomic addition.
template <std::size_t kEvents>
class EventCounters {
 public:
  // The thread is told by the offset of its place (detail::Reader), which makes the way to its line one addition.
  void count(std::size_t thread_offset, std::size_t event, std::uint64_t by) {
    if (thread_offset < sizeof own_) [[likely]]
      bump(own_line(thread_offset).events[event], by);
    else shared_.events[event].fetch_add(by, std::memory_order_relaxed);
  }
  // An event, and whether another goes with it; without a branch on that, which for lookups of mixed keys is a coin
  // toss.
  void count(std::size_t thread_offset, std::size_t event, std::size_t other, bool both) {
    if (thread_offset < sizeof own_) [[likely]] {
      Line& line = own_line(thread_offset);
      bump(line.events[event], 1);
      bump(line.events[other], static_cast<std::uint64_t>(both));
    } else {
      shared_.events[event].fetch_add(1, std::memory_order_relaxed);
      shared_.events[other].fetch_add(static_cast<std::uint64_t>(both), std::memory_order_relaxed);
    }
  }
  std::uint64_t total(std::size_t event) const {
    std::uint64_t sum = shared_.events[event].load(std::memory_order_relaxed);
    for (const Line& line : own_) sum += line.events[event].load(std::memory_order_relaxed);
    return sum;
  }

 private:
  struct alignas(kNoSharing) Line {
    std::array<std::atomic<std::uint64_t>, kEvents> events{};
  };
  static_assert(sizeof(Line) == kNoSharing);

  Line& own_line(std::size_t thread_offset) {
    return *reinterpret_cast<Line*>(reinterpret_cast<char*>(own_.data()) + thread_offset);
  }
  static void bump(std::atomic<std::uint64_t>& counter, std::uint64_t by) {
    counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  }

  std::array<Line, 128> own_;
  Line shared_;
};

}  // namespace bloomery::detail
