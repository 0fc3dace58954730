// Work on several threads, for the few jobs that are worth it: building a large filter, touching its pages.
#pragma once

#include <algorithm>
#include <cstddef>

#ifndef BLOOMERY_NO_THREADS
#include <atomic>
#include <barrier>
#include <exception>
#include <optional>
#include <thread>
#include <vector>
#endif

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE {

// More threads than this are not started, however many are asked for.
inline constexpr unsigned kMostThreads = 256;

// Returns where the share of member t of a team begins, when `count` things are shared out.
inline std::size_t start_of_share(std::size_t count, unsigned t, unsigned team) {
  return count / team * t + std::min<std::size_t>(t, count % team);
}

#ifdef BLOOMERY_NO_THREADS  // cmake -DBLOOMERY_THREADS=OFF: the caller does everything, one task after the other

struct TeamBarrier {
  void arrive_and_wait() {}
};
template <class Task>
void run_parallel(unsigned count, const Task& task) {
  for (unsigned t = 0; t < count; ++t) task(t);
}
template <class Task>
void run_team(unsigned, const Task& task) {
  TeamBarrier alone;
  task(0u, 1u, alone);
}

#else

using TeamBarrier = std::barrier<>;

// Runs task(0) .. task(count - 1) and returns when all are done, each on a thread of its own where one can be had. The
// caller does the first, and those for which no thread could be started. Tasks must not throw.
template <class Task>
void run_parallel(unsigned count, const Task& task) {
  std::vector<std::thread> threads;
  unsigned next = 1;
  try {
    threads.reserve(count);
    for (; next < count; ++next) threads.emplace_back([&task, next]() noexcept { task(next); });
  } catch (const std::exception&) {  // no memory or no more threads: slower, not wrong
  }
  if (count > 0) task(0);
  for (; next < count; ++next) task(next);
  for (std::thread& thread : threads) thread.join();
}

// Runs task(t, team, barrier) for t = 0 .. team - 1 at the same time, each on a thread of its own; the caller is the
// first. The team has `count` members, or as many as threads can be had. Tasks must not throw.
template <class Task>
void run_team(unsigned count, const Task& task) {
  std::atomic<unsigned> team = 0;  // 0 until its size is known
  std::optional<TeamBarrier> barrier;
  std::vector<std::thread> threads;
  try {
    threads.reserve(count);
    for (unsigned t = 1; t < count; ++t) {
      threads.emplace_back([&, t]() noexcept {
        team.wait(0, std::memory_order_acquire);
        task(t, team.load(std::memory_order_relaxed), *barrier);
      });
    }
  } catch (const std::exception&) {  // no memory or no more threads: slower, not wrong
  }
  const auto members = static_cast<unsigned>(threads.size() + 1);
  barrier.emplace(members);
  team.store(members, std::memory_order_release);
  team.notify_all();
  task(0u, members, *barrier);
  for (std::thread& thread : threads) thread.join();
}

#endif

}  // namespace BLOOMERY_NAMESPACE
