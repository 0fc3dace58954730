// A bounded log of the hashes that were new to a filter. All threads that add write to it and never wait; cursors read
// it. A reader that is too slow learns that it has missed entries.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bloomery/detail/cache_line.h"
#include "bloomery/detail/epochs.h"
#include "bloomery/export.h"
#include "bloomery/hash.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE::replica {

struct LogOptions {
  std::uint32_t stripes = 16;                   // a power of two up to 128; threads spread over them
  std::uint64_t keys = std::uint64_t{1} << 20;  // in all stripes together, 24 bytes each; a power of two
};

// The position of a reader in each stripe.
using LogCursor = std::vector<std::uint64_t>;

struct LogEntry {
  std::uint64_t window = 0;
  Hash hash = {};
};

// The log. Any thread may append, which is wait-free; any thread may read with a cursor of its own. It owns its slots.
class Log {
 public:
  BLOOMERY_API static Result<std::unique_ptr<Log>> make(const LogOptions& options);

  struct Place {
    std::uint64_t stripe = 0, position = 0;
  };
  // Writes an entry over the oldest of the stripe. log.cc says why a reader takes it whole or not at all.
  Place append(std::uint64_t window, Hash hash) noexcept {
    const std::uint64_t stripe = (detail::this_place() / detail::kNoSharing) & stripe_mask_;
    const std::uint64_t position = heads_[stripe].value.fetch_add(1, std::memory_order_relaxed);
    Slot& slot = slots_[stripe * (slot_mask_ + 1) + (position & slot_mask_)];
    slot.window.store(window, std::memory_order_release);
    slot.hash.store(hash.bits, std::memory_order_release);
    slot.turn.store(position + 1, std::memory_order_release);
    return {stripe, position};
  }

  // Return a cursor before the oldest entry, and one behind the newest.
  BLOOMERY_API LogCursor start() const;
  BLOOMERY_API LogCursor end() const;

  // Appends to `out` at most `most` entries that follow the cursor, and moves the cursor behind them. False: entries
  // were overwritten before they were read, and the cursor now stands behind all that was there.
  BLOOMERY_API bool read(LogCursor& cursor, std::size_t most, std::vector<LogEntry>& out) const;
  // Returns the number of entries between the cursor and the end.
  BLOOMERY_API std::uint64_t behind(const LogCursor& cursor) const;
  std::uint64_t capacity() const { return (slot_mask_ + 1) * (stripe_mask_ + 1); }

 private:
  struct Slot {
    std::atomic<std::uint64_t> turn, window, hash;
  };
  struct alignas(detail::kNoSharing) Head {
    std::atomic<std::uint64_t> value;
  };

  Log(std::uint64_t stripes, std::uint64_t slots);
  bool read_stripe(std::uint64_t stripe, std::uint64_t& at, std::size_t most, std::vector<LogEntry>& out) const;

  std::uint64_t stripe_mask_, slot_mask_;  // counts minus 1
  std::unique_ptr<Head[]> heads_;
  std::unique_ptr<Slot[]> slots_;
};

}  // namespace BLOOMERY_NAMESPACE::replica
