// A value that all threads read and that is replaced as a whole now and then. Readers never wait, and never see it
// freed under them; the writer frees the old value when its last reader is done.
#pragma once

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "bloomery/detail/epochs.h"

namespace BLOOMERY_NAMESPACE::detail {

// The published value. Any thread may read; one thread at a time may call make_room, replace and reclaim. It owns the
// current value and those that still have readers.
template <class State>
class Published {
 public:
  explicit Published(std::unique_ptr<const State> first) : owned_(std::move(first)), state_(owned_.get()) {}

  // For the guards of readers, and for their counters.
  Readers& readers() const { return readers_; }

  // Returns the value, valid as long as the guard, which must be one of readers().
  const State& read(const ReadGuard&) const { return *state_.load(std::memory_order_acquire); }
  const State& read(const HeldGuard&) const { return *state_.load(std::memory_order_acquire); }

  // Reserves memory for the next so many calls of replace. Throws std::bad_alloc.
  void make_room(std::size_t replaces) { retired_.reserve(retired_.size() + replaces); }

  // Publishes a new value: every read from now on sees it. Throws std::bad_alloc without make_room, and then nothing
  // has changed.
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
