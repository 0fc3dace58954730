// Work on several threads, for the few jobs that are worth it: building a large filter, touching its pages.
#pragma once

#include <exception>
#include <thread>
#include <vector>

namespace bloomery {

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

}  // namespace bloomery
