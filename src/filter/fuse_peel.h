// One part of a fuse filter: takes keys away one by one, each from a slot that is its own, and then sets the slots in
// reverse. Slots know their keys by a word each: how many, and the xor of their numbers; with one key left that is the
// key. Index is wide enough for the number of a slot.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/detail/buffer.h"
#include "bloomery/detail/fuse_probe.h"
#include "bloomery/result.h"

namespace bloomery::detail {

// The scratch of a thread: for parts of so many slots.
template <class Index>
class FusePeeler {
 public:
  static Result<FusePeeler> make(std::uint64_t slots) {
    Result<Buffer> words = Buffer::zeroed(slots * sizeof(std::uint64_t));
    if (!words.ok()) return std::move(words).error();
    Result<Buffer> queue = Buffer::zeroed((slots + 1) * sizeof(Index));
    if (!queue.ok()) return std::move(queue).error();
    return FusePeeler(*std::move(words), *std::move(queue), slots);
  }

  // Whether this seed does; then the slots of the part, which are 0, are set.
  template <class Probe>
  bool solve(std::span<const Hash> keys, const FuseRing& ring, std::uint64_t parts, std::uint64_t seed,
             std::uint8_t* into) {
    const auto probe = [&](std::uint64_t key) { return Probe(ring, fuse_mixed(keys[key].bits * parts, seed)); };
    count(keys.size(), probe);
    if (!first_slots(keys.size() * Probe::kArity)) return false;
    if (peel(probe) != keys.size()) return false;
    assign(keys.size(), probe, into);
    return true;
  }

 private:
  // A slot of more than 2^24 keys would spill over; see first_slots.
  static constexpr unsigned kShift = 40;
  static constexpr std::uint64_t kOne = std::uint64_t{1} << kShift, kKey = kOne - 1;

  FusePeeler(Buffer words, Buffer queue, std::uint64_t slots)
      : words_(std::move(words)), queue_(std::move(queue)), slots_(slots) {}

  std::uint64_t* words() { return reinterpret_cast<std::uint64_t*>(words_.data()); }
  Index* queue() { return reinterpret_cast<Index*>(queue_.data()); }

  template <class ProbeOf>
  void count(std::uint64_t keys, const ProbeOf& probe_of) {
    std::uint64_t* words = this->words();
    std::fill_n(words, slots_, 0);
    for (std::uint64_t key = 0; key < keys; ++key)
      for (const std::uint64_t place : probe_of(key).places) words[place] = (words[place] + kOne) ^ key;
  }

  // Queues the slots of one key. False when a count has spilled over: then a window has more keys than slots, and there
  // is no solution.
  bool first_slots(std::uint64_t expected) {
    const std::uint64_t* words = this->words();
    Index* queue = this->queue();
    std::uint64_t total = 0, end = 0;
    for (std::uint64_t slot = 0; slot < slots_; ++slot) {
      const std::uint64_t count = words[slot] >> kShift;
      total += count;
      queue[end] = static_cast<Index>(slot);
      end += count == 1 ? 1 : 0;
    }
    end_ = end;
    return total == expected;
  }

  // Takes away every key that can be; how many. Afterwards the queue begins with their slots, in order, and the word of
  // each is its key. No slot is queued twice, so the queue has room for all.
  template <class ProbeOf>
  std::uint64_t peel(const ProbeOf& probe_of) {
    std::uint64_t* words = this->words();
    Index* queue = this->queue();
    std::uint64_t end = end_, done = 0;
    for (std::uint64_t next = 0; next < end; ++next) {
      const std::uint64_t slot = queue[next], word = words[slot];
      if (word >> kShift != 1) continue;
      const std::uint64_t key = word & kKey;
      for (const std::uint64_t place : probe_of(key).places) {
        words[place] = (words[place] - kOne) ^ key;
        queue[end] = static_cast<Index>(place);
        end += words[place] >> kShift == 1 ? 1 : 0;
      }
      words[slot] = key;
      queue[done++] = static_cast<Index>(slot);
    }
    return done;
  }

  template <class ProbeOf>
  void assign(std::uint64_t done, const ProbeOf& probe_of, std::uint8_t* into) {
    const std::uint64_t* words = this->words();
    const Index* queue = this->queue();
    while (done > 0) {
      const std::uint64_t slot = queue[--done];
      const auto probe = probe_of(words[slot]);
      store_le(into + slot * sizeof probe.fingerprint, probe.difference(into));
    }
  }

  Buffer words_, queue_;
  std::uint64_t slots_, end_ = 0;
};

}  // namespace bloomery::detail
