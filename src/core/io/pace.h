// Holding what is written to a rate, so that a long job leaves the disk to others.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::io {

class Pace {
 public:
  // 0: as fast as it goes.
  explicit Pace(std::uint64_t bytes_per_second) : rate_(static_cast<double>(bytes_per_second)) {}

  // Sleeps until so much may have been written.
  void written(std::uint64_t bytes) {
    total_ += static_cast<double>(bytes);
    if (rate_ > 0) std::this_thread::sleep_until(start_ + std::chrono::duration<double>(total_ / rate_));
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double rate_, total_ = 0;
};

}  // namespace BLOOMERY_NAMESPACE::io
