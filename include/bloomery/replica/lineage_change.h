// Two lineages while a replicated filter changes its size: a replica of the new size is fed beside the one in use until
// it holds everything, and then takes its place. docs/operations/replicas.md, "Another size", walks through it.
//
//   auto seen = replica::LineageChange<BlockFilter>::make(old_replica);
//   (*seen)->join(new_replica);          // every process; before the transport of the new replica is connected
//   (*seen)->begin_scan();               // one process; refused until all are in both lineages
//   auto ticket = (*seen)->feed(keys);   // of the source of truth, part by part; read after begin_scan
//   (*seen)->fed(*ticket);               // true: every process has them, and may switch
//   (*seen)->switch_over();              // every process; lookups now ask the new replica
//   (*seen)->leave();                    // every process, once all have switched; adds go to the new replica alone
//
// The condition: whoever adds a key writes it to the source of truth first. A key that was added before its process had
// joined is then found by the scan, and a key that was added later goes to both lineages.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "bloomery/detail/published.h"
#include "bloomery/replica/replica.h"

namespace BLOOMERY_NAMESPACE::replica {

// A replica and, during a change, the one that takes its place. Any thread may use it: add and contains are wait-free,
// also while another thread joins, switches or leaves. It shares ownership of its replicas with the transports that
// pump them.
template <class Filter>
class LineageChange {
 public:
  using One = ReplicaOf<Filter>;

  BLOOMERY_API static Result<std::unique_ptr<LineageChange>> make(std::shared_ptr<One> now);

  // Adds a key to the replica, and during a change to both. Returns whether it changed the one that lookups ask.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool add(const T& key) {
    const detail::ReadGuard guard(state_.readers());
    const State& state = state_.read(guard);
    const bool changed = state.now->add(key);
    if (state.next == nullptr) return changed;
    const bool changed_next = state.next->add(key);
    return state.switched ? changed_next : changed;
  }
  // As ReplicaOf::add_and_wait. During a change both replicas must have enough acknowledgements, because some readers
  // may ask the one and some the other. Throws std::bad_alloc.
  template <Key T, class Pump>
  Acknowledged add_and_wait(const T& key, Pump pump) {
    const State state = hold();
    const Ticket ticket = state.now->add_logged(key);
    const Ticket ticket_next = state.next != nullptr ? state.next->add_logged(key) : Ticket{};
    for (;;) {
      Acknowledged known = state.now->acknowledged(ticket);
      if (state.next != nullptr) known = both(known, state.next->acknowledged(ticket_next));
      if (known.enough || !pump()) return known;
    }
  }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool contains(const T& key) const noexcept {
    const detail::ReadGuard guard(state_.readers());
    const State& state = state_.read(guard);
    return state.switched ? state.next->contains(key) : state.now->contains(key);
  }
  // Answers a reader that uses that lineage. The answer is "maybe" where this process is not in the lineage.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  Vote vote(const Lineage& lineage, const T& key) const {
    const detail::ReadGuard guard(state_.readers());
    const State& state = state_.read(guard);
    if (state.now->options().lineage == lineage) return state.now->vote(key);
    if (state.next != nullptr && state.next->options().lineage == lineage) return state.next->vote(key);
    return {};
  }

  // From now on adds go to both replicas. Refuses a replica of the same lineage or of another origin. Refuses one that
  // has sent messages already: others would believe that this process adds to both before it does.
  BLOOMERY_API Status join(std::shared_ptr<One> next);
  // Returns the members of the lineage in use (without a configuration: all that were ever heard) that were not heard
  // in the next lineage.
  BLOOMERY_API std::vector<std::uint64_t> missing() const;
  // Allows feed. Refused while somebody is missing; `gone` are processes that have ended for good. Read the source of
  // truth after it has returned, and feed what you read.
  BLOOMERY_API Status begin_scan(std::span<const std::uint64_t> gone = {});
  // Adds keys to the next replica alone, and logs each of them, new or not: another thread may have added one and not
  // logged it yet. The ticket is for `fed`, and stands for all keys that this thread has fed.
  template <KeySpan Keys, unsigned kIsa = detail::kCompiledFor>
  Result<Ticket> feed(const Keys& keys) {
    const detail::ReadGuard guard(state_.readers());
    const State& state = state_.read(guard);
    if (!state.scanning) return no_scan();
    const std::span all(keys);
    if (all.empty()) return no_keys();
    Ticket last;
    for (const auto& key : all) last = state.next->add_logged(key);
    return last;
  }
  // Returns whether all members of the next lineage, or all that were heard there, have the keys of the ticket.
  BLOOMERY_API bool fed(const Ticket& ticket) const;
  // From now on lookups ask the next replica. Refused while somebody is missing, or the next replica is not whole. The
  // caller must know that the scan was fed.
  BLOOMERY_API Status switch_over(std::span<const std::uint64_t> gone = {});
  // Ends the change: the next replica is the only one. Returns the other, whose transport may end. Refused before
  // switch_over. Call it when all processes have switched: those that have not would deny what is added here from now
  // on.
  BLOOMERY_API Result<std::shared_ptr<One>> leave();

  struct State {
    std::shared_ptr<One> now, next;  // next is nullptr except during a change
    bool scanning = false, switched = false;
  };
  // Returns the replicas of this moment, for a transport. Throws std::bad_alloc.
  State hold() const {
    const detail::ReadGuard guard(state_.readers());
    return state_.read(guard);
  }

 private:
  explicit LineageChange(std::unique_ptr<const State> first) : state_(std::move(first)) {}
  BLOOMERY_API static Acknowledged both(const Acknowledged& one, const Acknowledged& other);
  BLOOMERY_API static Error no_scan();
  BLOOMERY_API static Error no_keys();
  static std::vector<std::uint64_t> missing_of(const State& state);
  static Status check_nobody_missing(const State& state, std::span<const std::uint64_t> gone);
  void publish(const State& next);

  std::mutex mutex_;  // held by threads that change the state
  alignas(detail::kNoSharing) detail::Published<State> state_;
};

}  // namespace BLOOMERY_NAMESPACE::replica
