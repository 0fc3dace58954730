// What a Replica knows beside its filter.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "bloomery/replica/replica.h"
#include "replica/held.h"
#include "replica/members.h"
#include "replica/progress.h"
#include "replica/repair.h"
#include "replica/windows.h"

namespace BLOOMERY_NAMESPACE::replica {

// Everything is under the mutex but what a Window has, which has its own. Hashes are added without it, and before what
// says so is written under it: whoever reads a position here finds its keys in the filter.
struct Replica::State {
  State(const ReplicaOptions& options, const Log& log, Windows first)
      : windows(std::move(first)), held(options.held_keys), members(options.origin, options.start == Start::lost) {
    out_cursor = log.start();
    mark_cursor = out_cursor;
    memory_whole = options.start == Start::new_lineage;
    progress.announced({options.origin, options.incarnation, 0});  // so that its earlier incarnations have ended
  }

  // Whether nothing that it ever acknowledged is missing. What one peer or a checkpoint brings is enough without
  // members, and judged again by the first configuration. Under the mutex.
  bool has_memory() const {
    if (!members.now().has_value()) return memory_whole || memory_alone;
    return (memory_whole && members.inherited() == 0) || members.bring_memory_back(recovered_from);
  }

  // What is missing of more sites than are remembered is closed by a repair alone. Under the mutex.
  void miss_copy(const std::string& site) {
    copies_missing.insert(copies_missing.size() < kMostPositions ? site : std::string());
  }

  mutable std::mutex mutex;
  Windows windows;
  Held held;
  Progress progress;
  Members members;
  std::optional<Repair> repair;
  std::uint64_t repairs = 0;  // begun, for the number of the next request
  bool spoken = false;        // a message was written

  bool memory_whole = false;                              // never lost, or brought back as the members want it
  bool memory_alone = false;                              // brought back as far as nobody has named members
  std::map<std::uint64_t, std::uint32_t> recovered_from;  // whole others since memory was lost: origin, generation
  bool behind = false;                                    // something was missed that has no name
  std::set<std::string> copies_missing;                   // the sites; "" may stand for any

  std::uint64_t sequence = 0;  // of the last delta made
  LogCursor out_cursor;
  // How far the log had been read when a delta was made, for those who wait for it; the newest last.
  struct Made {
    std::uint64_t sequence;
    LogCursor cursor;
  };
  std::deque<Made> made;
  std::deque<std::pair<std::uint64_t, Delta>> ready;  // numbered, and not taken yet

  ReplicaStats stats;

  std::mutex mark_mutex;  // of the cursor below, and of no other
  LogCursor mark_cursor;
};

}  // namespace BLOOMERY_NAMESPACE::replica
