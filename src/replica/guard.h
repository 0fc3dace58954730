// The fill guard: no peer may fill the filter beyond a predicted false-positive rate.
#pragma once

#include <cstdint>
#include <mutex>

#include "replica/cells.h"

namespace BLOOMERY_NAMESPACE::replica {

// Safe from any thread. Keeps an upper bound of the bits that are set, and counts them only when that says too much.
class FillGuard {
 public:
  FillGuard(const Cells& cells, double most_fpr) : cells_(cells), most_fpr_(most_fpr) {}

  // Returns whether `bits` more bits may be set. `local_keys` is how many keys this replica has ever added itself.
  bool allows(std::uint64_t bits, std::uint64_t local_keys) {
    if (most_fpr_ >= 1) return true;
    const std::lock_guard lock(mutex_);
    const auto fits = [&] {
      const std::uint64_t local = (local_keys - counted_local_) * cells_.bits_per_key();
      return cells_.fpr_at(counted_ + allowed_ + local + bits) <= most_fpr_;
    };
    if (!known_ || !fits()) {
      counted_local_ = local_keys;
      counted_ = cells_.bits_set();
      allowed_ = 0;
      known_ = true;
      if (!fits()) return false;
    }
    allowed_ += bits;
    return true;
  }

 private:
  const Cells& cells_;
  double most_fpr_;
  std::mutex mutex_;
  bool known_ = false;
  std::uint64_t counted_ = 0, counted_local_ = 0;  // bits, and the keys of our own, when they were counted
  std::uint64_t allowed_ = 0;                      // bits since then
};

}  // namespace BLOOMERY_NAMESPACE::replica
