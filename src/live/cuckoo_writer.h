// How threads change a cuckoo filter that they share: adds that take no lock where a slot is free, and locks for
// whatever overwrites a slot. Used by shared_cuckoo.cc alone, where the proof is.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "bloomery/detail/cuckoo_probe.h"
#include "live/atomic_bucket.h"
#include "live/fetch.h"

namespace BLOOMERY_NAMESPACE::detail {

// The locks. Those of pairs come first: whoever changes a slot that is taken holds the lock of the pair of buckets in
// which its fingerprint may lie. Then come those of slots in two words, which no writer changes or believes without the
// lock of their bucket. Each lock serves every 1024th pair, or bucket: with so many, two threads seldom meet at one.
struct CuckooStripes {
  static constexpr std::size_t kCount = 1024;

  // A lock in the lowest bit. Above it is the version of its pairs, which only the holder raises: it counts the changes
  // that could hide a key from somebody who is looking for it.
  class Stripe {
   public:
    void lock() {
      if ((word_.fetch_or(kLocked, std::memory_order_acquire) & kLocked) != 0) [[unlikely]]
        wait();
    }
    void unlock() { word_.store(word_.load(std::memory_order_relaxed) & ~kLocked, std::memory_order_release); }
    void raise_version() { word_.store(word_.load(std::memory_order_relaxed) + 2, std::memory_order_release); }
    std::uint64_t version(std::memory_order order) const { return word_.load(order) / 2; }

   private:
    static constexpr std::uint64_t kLocked = 1;
    void wait();  // and lock it
    std::atomic<std::uint64_t> word_{0};
  };

  static std::size_t number_of_pair(std::uint64_t bucket, std::uint64_t partner) {
    return std::min(bucket, partner) % kCount;
  }
  static std::size_t number_of_split(std::uint64_t bucket) { return kCount + bucket % kCount; }
  Stripe& of_pair(std::uint64_t bucket, std::uint64_t partner) { return stripes[number_of_pair(bucket, partner)]; }

  // The keys of a filter in which so many slots are taken now.
  std::optional<std::uint64_t> keys_in(std::uint64_t slots) const;
  std::array<Stripe, 2 * kCount> stripes;
  // The key count of the filter that was taken over. Every add takes a slot and every remove frees one, so nobody has
  // to count them.
  std::optional<std::uint64_t> key_count;
  std::uint64_t slots_taken = 0;
};

// Collects the numbers of some locks, which may repeat, then locks them, lower numbers first, and holds them while it
// lives.
template <std::size_t kMost>
class HeldLocks {
 public:
  explicit HeldLocks(CuckooStripes& stripes) : stripes_(stripes) {}
  HeldLocks(const HeldLocks&) = delete;
  HeldLocks& operator=(const HeldLocks&) = delete;
  ~HeldLocks() {
    for (std::size_t i = 0; i < held_; ++i) stripes_.stripes[numbers_[i]].unlock();
  }

  // Keeps the numbers sorted and each once. Most of the locks were last held by other threads.
  void name(std::size_t number) {
    fetch_to_write(&stripes_.stripes[number]);
    std::size_t i = named_;
    while (i > 0 && numbers_[i - 1] > number) --i;
    if (i > 0 && numbers_[i - 1] == number) return;
    for (std::size_t j = named_++; j > i; --j) numbers_[j] = numbers_[j - 1];
    numbers_[i] = number;
  }
  void lock() {
    for (; held_ < named_; ++held_) stripes_.stripes[numbers_[held_]].lock();
  }

 private:
  CuckooStripes& stripes_;
  std::array<std::size_t, kMost> numbers_;
  std::size_t named_ = 0, held_ = 0;
};

// Holds all locks.
class HeldStripes {
 public:
  explicit HeldStripes(CuckooStripes& stripes);
  HeldStripes(const HeldStripes&) = delete;
  HeldStripes& operator=(const HeldStripes&) = delete;
  ~HeldStripes();

 private:
  CuckooStripes& stripes_;
};

// Changes the bytes. An add into a free slot of one word takes no lock.
template <class Bucket>
class CuckooWriter {
 public:
  CuckooWriter(std::uint8_t* bytes, std::uint64_t buckets, CuckooStripes& stripes)
      : bytes_(bytes), buckets_(buckets), stripes_(stripes) {}

  CuckooPlaces places(Hash hash) const { return cuckoo_places<Bucket>(buckets_, hash); }
  void fetch(const CuckooPlaces& places) const {
    const std::uint8_t* first = bytes_ + places.first * Bucket::kBytes;
    fetch_to_write(first);
    if constexpr (Bucket::kBits == 12) fetch_to_write(first + Bucket::kBytes - 1);  // one in eleven lies in two lines
    __builtin_prefetch(bytes_ + places.second * Bucket::kBytes);
  }

  // False when there is no room.
  bool add(const CuckooPlaces& places) { return place(places) || add_by_moves(places); }

  bool remove(const CuckooPlaces& places) {
    HeldLocks<3> held(stripes_);
    held.name(CuckooStripes::number_of_pair(places.first, places.second));
    for (const std::uint64_t bucket : {places.first, places.second})
      if (Bucket::has_split(bucket)) held.name(CuckooStripes::number_of_split(bucket));
    held.lock();
    for (const std::uint64_t bucket : {places.first, places.second}) {
      const std::uint64_t matches = Bucket::match(Bucket::load(bytes_, bucket), places.fingerprint);
      if (matches == 0) continue;
      stripes_.of_pair(places.first, places.second).raise_version();
      Bucket::change(bytes_, Bucket::first_position(bucket, matches), places.fingerprint);
      return true;
    }
    return false;
  }

 private:
  static constexpr int kTries = 16;  // paths that others spoil before an add holds all locks

  // Puts the fingerprint into an empty slot of the first bucket, else of the second. False when both are full.
  bool place(const CuckooPlaces& places) {
    return place_in(places.first, places.fingerprint) || place_in(places.second, places.fingerprint);
  }
  // Another turn means that somebody else has filled the slot.
  bool place_in(std::uint64_t bucket, std::uint64_t fingerprint) {
    for (;;) {
      const std::uint64_t room = Bucket::match(Bucket::glance(bytes_, bucket), 0);
      if (room == 0) return false;
      const std::uint64_t at = Bucket::first_position(bucket, room);
      if (Bucket::is_split(at) ? fill_locking(bucket, at, fingerprint) : Bucket::fill(bytes_, at, fingerprint))
        return true;
    }
  }
  [[gnu::noinline]] bool fill_locking(std::uint64_t bucket, std::uint64_t at, std::uint64_t fingerprint) {
    HeldLocks<1> held(stripes_);
    held.name(CuckooStripes::number_of_split(bucket));
    held.lock();
    return Bucket::fill(bytes_, at, fingerprint);
  }

  // Adds a key whose two buckets are full. It is out of line, because most adds need no moves.
  [[gnu::noinline]] bool add_by_moves(const CuckooPlaces& places) {
    for (int tries = 0; tries < kTries; ++tries) {
      CuckooPath path;
      if (!find_one_move(places, path))
        path = find_cuckoo_path<GlancedBucket<Bucket>>(bytes_, buckets_, places.first, places.second);
      if (path.length == 0) return place(places);
      if (follow_locking(path, places.fingerprint) || place(places)) return true;
    }
    return add_alone(places);
  }
  bool follow_locking(const CuckooPath& path, std::uint64_t fingerprint) {
    HeldLocks<2 * CuckooPath::kMost - 1> held(stripes_);
    name_locks(path, held);
    held.lock();
    return follow(path, fingerprint);
  }
  // Finds the first path of one move that the search of all paths would find. Most adds that need a path take such a
  // one, and it is found at half the price.
  bool find_one_move(const CuckooPlaces& places, CuckooPath& path) const {
    for (const std::uint64_t bucket : {places.first, places.second}) {
      const std::uint64_t slots = Bucket::glance(bytes_, bucket);
      for (std::uint32_t slot = 0; slot < kCuckooSlots; ++slot) {
        const std::uint64_t partner = cuckoo_partner(buckets_, bucket, Bucket::get(slots, slot));
        const std::uint64_t room = Bucket::match(Bucket::glance(bytes_, partner), 0);
        if (room == 0) continue;
        path.seats[0] = {partner, Bucket::first(room)};
        path.seats[1] = {bucket, slot};
        path.length = 2;
        return true;
      }
    }
    return false;
  }
  // Names the locks that the moves need, and fetches what they will write, all at once: most of it was last written by
  // other threads.
  template <class Held>
  void name_locks(const CuckooPath& path, Held& held) const {
    for (std::size_t i = 0; i < path.length; ++i) {
      const CuckooSeat& seat = path.seats[i];
      const std::uint64_t at = Bucket::position(seat.bucket, seat.slot);
      Bucket::fetch_to_write(bytes_, at);
      if (i > 0) held.name(CuckooStripes::number_of_pair(seat.bucket, path.seats[i - 1].bucket));
      if (Bucket::is_split(at)) held.name(CuckooStripes::number_of_split(seat.bucket));
    }
  }

  // Moves what lies in each seat to the seat before it, and puts a new fingerprint into the last. The caller holds the
  // locks of all seats. False when the path is no longer what it was when it was found: then some keys have moved, and
  // none is lost.
  bool follow(const CuckooPath& path, std::uint64_t fingerprint) {
    std::uint64_t spare = 0;  // the fingerprint that lies in both of the last two seats; 0 before the first move
    std::uint64_t to = Bucket::position(path.seats[0].bucket, path.seats[0].slot);
    for (std::size_t i = 1; i < path.length; ++i) {
      const std::uint64_t bucket = path.seats[i].bucket, partner = path.seats[i - 1].bucket;
      const std::uint64_t from = Bucket::position(bucket, path.seats[i].slot), moved = Bucket::get_at(bytes_, from);
      if (moved == 0 || cuckoo_partner(buckets_, bucket, moved) != partner || !put(to, spare, moved)) {
        if (spare != 0) Bucket::change(bytes_, to, spare);
        return false;
      }
      stripes_.of_pair(bucket, partner).raise_version();
      spare = moved;
      to = from;
    }
    return put(to, spare, fingerprint);
  }
  // False when the slot should be empty and is not.
  bool put(std::uint64_t at, std::uint64_t spare, std::uint64_t fingerprint) {
    if (spare == 0) return Bucket::fill(bytes_, at, fingerprint);
    Bucket::change(bytes_, at, spare ^ fingerprint);
    return true;
  }

  // Under all locks no slot becomes empty, so a path is spoilt only by an add that fills its empty end: at most as
  // often as there are such slots.
  bool add_alone(const CuckooPlaces& places) {
    const HeldStripes all(stripes_);
    for (;;) {
      const CuckooPath path = cuckoo_room<Bucket>(bytes_, buckets_, places);
      if (path.length == 0) return false;
      if (follow(path, places.fingerprint)) return true;
    }
  }

  std::uint8_t* bytes_;
  std::uint64_t buckets_;
  CuckooStripes& stripes_;
};

}  // namespace BLOOMERY_NAMESPACE::detail
