// Holding what is written to a rate, so that a long job leaves the disk to others.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE::io {

class Pace {
 public:
  // 0: as fast as it goes.
  explicit Pace(std::uint64_t bytes_per_second) : rate_(static_cast<double>(bytes_per_second)) {}

  // Counts bytes that were written, and sleeps until the rate allows as many.
  void written(std::uint64_t bytes) {
    (void)written(bytes, [] { return Status(); });
  }
  // Does so, and calls check() ten times a second meanwhile; an error of it ends the sleep.
  template <class Check>
  Status written(std::uint64_t bytes, const Check& check) {
    total_ += static_cast<double>(bytes);
    if (!(rate_ > 0)) return {};
    const auto due = start_ + std::chrono::duration<double>(total_ / rate_);
    for (auto now = Clock::now(); now < due; now = Clock::now()) {
      std::this_thread::sleep_for(std::min<std::chrono::duration<double>>(due - now, kSlice));
      BLOOMERY_TRY(check());
    }
    return {};
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kSlice{100};

  Clock::time_point start_ = Clock::now();
  double rate_, total_ = 0;
};

}  // namespace BLOOMERY_NAMESPACE::io
