// How the log is read while others write it.
//
// An adder does, in this order:
//   (1) sets its bits in the filter              relaxed
//   (2) takes a position: head.fetch_add(1)      relaxed
//   (3) writes window and hash of the slot       release
//   (4) writes turn = position + 1               release
// A reader at position p does:
//   (5) reads turn                               acquire
//   (6) reads window and hash                    acquire
//   (7) reads head                               relaxed
// and takes the entry when turn is p + 1 and head is at most p + capacity.
//
// Bits before the entry. Who takes the entry has read at (5) what (4) wrote, or a later write of turn would be another
// number; release and acquire order (1) before whatever it does next. So a delta, and every digest that is computed
// after the delta was numbered, is of a filter that has the key.
//
// The entry is that of p. A slot is written for the positions p, p + capacity, p + 2 capacity, .. Suppose that (6) read
// what the adder of a later position q wrote at (3). That write is a release and (6) an acquire, so (2) of q happens
// before (7), and head is at least q + 1 > p + capacity: the entry is refused. If (6) read what an earlier position
// wrote, that is older than the write of p, which happens before (4) of p, hence before (5) and (6): coherence forbids
// it. And where two adders are a whole lap apart and both inside (3) and (4), the turn is that of one of them, and head
// has passed the older one by more than the capacity: refused, too.
//
// Wait-free: an adder takes a position by one instruction (x86-64, arm64 with LSE) and writes three words. It never
// looks whether anybody has read the slot. An adder that is held up between (2) and (4) holds up the readers of its
// stripe at that entry, and no adder.
//
// The mark of a chunk whose digest must be computed again is the entry itself: Digests (cells.h) read the log with a
// cursor of their own before they compute. What is not logged changed no bit, or changed it together with an adder that
// will log it: newness is judged before the bits are set, so of two adders of one key the second may return before the
// first has logged. Who needs the others to have the key therefore always logs it (add_logged).
#include "bloomery/replica/log.h"

#include <algorithm>
#include <bit>

#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE::replica {

Log::Log(std::uint64_t stripes, std::uint64_t slots)
    : stripe_mask_(stripes - 1),
      slot_mask_(slots - 1),
      heads_(std::make_unique<Head[]>(stripes)),
      slots_(std::make_unique<Slot[]>(stripes * slots)) {}

Result<std::unique_ptr<Log>> Log::make(const LogOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<Log>> {
    if (!std::has_single_bit(options.stripes) || options.stripes > 128)
      return invalid_argument(
          "stripes", "the stripes of a log are a power of two up to 128, not " + std::to_string(options.stripes));
    if (!std::has_single_bit(options.keys) || options.keys < options.stripes || options.keys > std::uint64_t{1} << 32)
      return invalid_argument("keys",
                              "the keys of a log are a power of two from the number of its stripes to 2^32, not " +
                                  std::to_string(options.keys));
    return std::unique_ptr<Log>(new Log(options.stripes, options.keys / options.stripes));
  });
}

LogCursor Log::start() const {
  LogCursor cursor = end();
  for (std::uint64_t& at : cursor) at -= std::min(at, slot_mask_ + 1);
  return cursor;
}

LogCursor Log::end() const {
  LogCursor cursor(stripe_mask_ + 1);
  for (std::size_t i = 0; i < cursor.size(); ++i) cursor[i] = heads_[i].value.load(std::memory_order_acquire);
  return cursor;
}

bool Log::read_stripe(std::uint64_t stripe, std::uint64_t& at, std::size_t most, std::vector<LogEntry>& out) const {
  const std::atomic<std::uint64_t>& head = heads_[stripe].value;
  for (; out.size() < most; ++at) {
    if (at == head.load(std::memory_order_relaxed)) return true;
    const Slot& slot = slots_[stripe * (slot_mask_ + 1) + (at & slot_mask_)];
    const std::uint64_t turn = slot.turn.load(std::memory_order_acquire);
    const LogEntry entry{slot.window.load(std::memory_order_acquire), Hash(slot.hash.load(std::memory_order_acquire))};
    const std::uint64_t end = head.load(std::memory_order_relaxed);
    if (end - at > slot_mask_ + 1) {  // overwritten, or about to be
      at = end;
      return false;
    }
    if (turn != at + 1) return true;  // taken, and not written yet
    out.push_back(entry);
  }
  return true;
}

bool Log::read(LogCursor& cursor, std::size_t most, std::vector<LogEntry>& out) const {
  bool all = true;
  const std::size_t limit = out.size() + most;
  for (std::uint64_t stripe = 0; stripe <= stripe_mask_; ++stripe)
    all &= read_stripe(stripe, cursor[stripe], limit, out);
  return all;
}

std::uint64_t Log::behind(const LogCursor& cursor) const {
  std::uint64_t sum = 0;
  for (std::uint64_t stripe = 0; stripe <= stripe_mask_; ++stripe)
    sum += heads_[stripe].value.load(std::memory_order_relaxed) - cursor[stripe];
  return sum;
}

}  // namespace BLOOMERY_NAMESPACE::replica
