// Timed work on one thread, or on several at once that start together.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include "bench/clock.h"

namespace bloomery::bench {

inline double elapsed_ns() {
  using Ns = std::chrono::duration<double, std::nano>;
  return Ns(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What several threads take together only a clock on the wall can tell; what one takes, its CPU time tells with less
// noise. Where one thread is compared with several, both go by the wall.
struct Team {
  unsigned threads = 1;
  bool by_wall = threads > 1;

  double now() const { return by_wall ? elapsed_ns() : thread_ns(); }

  // Nanoseconds per item of work that uses threads of its own.
  template <class Work>
  double ns_of_call(std::size_t items, const Work& work) const {
    const double start = now();
    work();
    return (now() - start) / static_cast<double>(items);
  }

  // Nanoseconds per item of work(first, last) over all items, an equal share to each thread. Each first calls warm(),
  // which is not timed and brings what the work needs into its caches.
  template <class Warm, class Work>
  double ns_per_item(std::size_t items, const Warm& warm, const Work& work) const {
    if (threads > 1)
      return together(warm, [&](unsigned t) { work(share(items, t), share(items, t + 1)); }) /
             static_cast<double>(items);
    warm();
    return ns_of_call(items, [&] { work(std::size_t{0}, items); });
  }

 private:
  std::size_t share(std::size_t items, unsigned t) const { return items * t / threads; }

  // From the start of the first to the end of the last.
  template <class Warm, class Task>
  double together(const Warm& warm, const Task& task) const {
    std::vector<std::pair<double, double>> times(threads);
    std::atomic<unsigned> ready = 0;
    std::atomic<bool> cancelled = false;
    const auto run = [&](unsigned t) {
      warm();
      ready.fetch_add(1);
      while (ready.load() < threads && !cancelled.load()) std::this_thread::yield();
      times[t].first = elapsed_ns();
      if (!cancelled.load()) task(t);
      times[t].second = elapsed_ns();
    };
    std::vector<std::jthread> others;
    try {
      for (unsigned t = 1; t < threads; ++t) others.emplace_back(run, t);
    } catch (...) {  // no thread to be had: those that wait for it may go
      cancelled = true;
      throw;
    }
    run(0);
    others.clear();  // joins
    double first = times[0].first, last = times[0].second;
    for (const auto& [start, end] : times) first = std::min(first, start), last = std::max(last, end);
    return last - first;
  }
};

}  // namespace bloomery::bench
