// Something that all threads read and that is replaced as a whole now and then. Readers are never held up and never see
// it freed under them; whoever replaces it frees the old when the last reader is done.
#pragma once

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "bloomery/detail/epochs.h"

namespace BLOOMERY_NAMESPACE::detail {

// read: from any thread. make_room, replace, reclaim: one thread at a time.
template <class State>
class Published {
 public:
  explicit Published(std::unique_ptr<const State> first) : owned_(std::move(first)), state_(owned_.get()) {}

  // For the guards of those who read, and to count what they do.
  Readers& readers() const { return readers_; }

  // Valid as long as the guard, which must be one of readers().
  const State& read(const ReadGuard&) const { return *state_.load(std::memory_order_acquire); }
  const State& read(const HeldGuard&) const { return *state_.load(std::memory_order_acquire); }

  // So that the next so many calls of replace need no memory. Throws std::bad_alloc.
  void make_room(std::size_t replaces) { retired_.reserve(retired_.size() + replaces); }

  // Whoever reads from now on sees the new one. Throws std::bad_alloc without make_room, and then nothing has changed.
  void replace(std::unique_ptr<const State> next) {
    make_room(1);
    state_.store(next.get(), std::memory_order_seq_cst);
    std::swap(next, owned_);
    retired_.push_back({std::move(next), readers_.ticket()});
  }

  void reclaim() {
    std::erase_if(retired_, [this](const Retired& retired) { return readers_.passed(retired.ticket); });
  }

 private:
  struct Retired {
    std::unique_ptr<const State> state;
    std::uint64_t ticket;  // when it has passed, nobody can see the state
  };

  std::unique_ptr<const State> owned_;
  std::atomic<const State*> state_;
  std::vector<Retired> retired_;
  mutable Readers readers_;
};

}  // namespace BLOOMERY_NAMESPACE::detail
