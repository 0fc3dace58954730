// Something that all threads read and that is replaced as a whole now and then. Readers are never held up and never see
// it freed under them; whoever replaces it frees the old when the last reader is done.
#pragma once

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "bloomery/detail/epochs.h"

namespace bloomery::detail {

// read: from any thread. replace, reclaim: one thread at a time.
template <class State>
class Published {
 public:
  explicit Published(std::unique_ptr<const State> first) : owned_(std::move(first)), state_(owned_.get()) {}

  // Valid as long as the guard.
  const State& read(const ReadGuard&) const { return *state_.load(std::memory_order_acquire); }

  // Whoever reads from now on sees the new one.
  void replace(std::unique_ptr<const State> next) {
    retired_.reserve(retired_.size() + 1);  // throws before anything has changed
    state_.store(next.get(), std::memory_order_seq_cst);
    std::swap(next, owned_);
    retired_.push_back({std::move(next), new_epoch()});
  }

  void reclaim() {
    std::erase_if(retired_, [](const Retired& retired) { return all_readers_since(retired.epoch); });
  }

 private:
  struct Retired {
    std::unique_ptr<const State> state;
    std::uint64_t epoch;  // nobody who began to read in it or later can see the state
  };

  std::unique_ptr<const State> owned_;
  std::atomic<const State*> state_;
  std::vector<Retired> retired_;
};

}  // namespace bloomery::detail
