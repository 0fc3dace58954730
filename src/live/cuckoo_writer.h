// How threads change a cuckoo filter that they share: adds that take no lock where a slot is free, and locks by stripes
// of buckets for whatever empties a slot. Used by shared_cuckoo.cc alone, where the proof is.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "bloomery/detail/cuckoo_probe.h"
#include "live/atomic_bucket.h"
#include "live/fetch.h"

namespace BLOOMERY_NAMESPACE::detail {

// A stripe is every 1024th bucket, under one lock. Four locks share a cache line: with so many, two threads seldom meet
// at one.
struct CuckooStripes {
  static constexpr std::size_t kCount = 1024;
  struct alignas(16) Stripe {
    void lock() {
      if (locked.exchange(1, std::memory_order_acquire) != 0) [[unlikely]]
        wait();
    }
    void unlock() { locked.store(0, std::memory_order_release); }
    void wait();  // and lock it

    std::atomic<std::uint32_t> locked{0};
  };

  Stripe& of(std::uint64_t bucket) { return stripes[bucket % kCount]; }
  // The keys of a filter in which so many slots are taken now.
  std::optional<std::uint64_t> keys_in(std::uint64_t slots) const;
  // A pair's version is that of the stripe of its lower bucket.
  std::atomic<std::uint64_t>& version(std::uint64_t bucket, std::uint64_t partner) {
    return versions[std::min(bucket, partner) % kCount];
  }
  std::array<Stripe, kCount> stripes;
  // They count the changes that could hide a key from somebody who is looking for it. They are not beside the locks,
  // whose lines some adds take away from readers.
  std::array<std::atomic<std::uint64_t>, kCount> versions{};
  // Of the filter that was taken over. Every add takes a slot and every remove frees one, so nobody has to count them.
  std::optional<std::uint64_t> key_count;
  std::uint64_t slots_taken = 0;
};

// Holds the lock of a stripe while it lives.
class HeldStripe {
 public:
  explicit HeldStripe(CuckooStripes::Stripe& stripe) : stripe_(stripe) { stripe_.lock(); }
  HeldStripe(const HeldStripe&) = delete;
  HeldStripe& operator=(const HeldStripe&) = delete;
  ~HeldStripe() { stripe_.unlock(); }

 private:
  CuckooStripes::Stripe& stripe_;
};

// Holds the locks of some buckets, of which some may have the same one, lower ones first.
template <std::size_t kMost>
class HeldBuckets {
 public:
  HeldBuckets(CuckooStripes& stripes, std::initializer_list<std::uint64_t> buckets) : stripes_(stripes) {
    for (const std::uint64_t bucket : buckets) take(bucket);
    lock();
  }
  HeldBuckets(CuckooStripes& stripes, const CuckooPath& path) : stripes_(stripes) {
    for (std::size_t i = 0; i < path.length; ++i) take(path.seats[i].bucket);
    lock();
  }
  HeldBuckets(const HeldBuckets&) = delete;
  HeldBuckets& operator=(const HeldBuckets&) = delete;
  ~HeldBuckets() {
    for (std::size_t i = 0; i < count_; ++i) stripes_.of(numbers_[i]).unlock();
  }

 private:
  // Keeps the numbers sorted and each once.
  void take(std::uint64_t bucket) {
    const std::uint64_t number = bucket % CuckooStripes::kCount;
    std::size_t i = count_;
    while (i > 0 && numbers_[i - 1] > number) --i;
    if (i > 0 && numbers_[i - 1] == number) return;
    for (std::size_t j = count_++; j > i; --j) numbers_[j] = numbers_[j - 1];
    numbers_[i] = number;
  }
  void lock() {
    for (std::size_t i = 0; i < count_; ++i) stripes_.of(numbers_[i]).lock();
  }

  CuckooStripes& stripes_;
  std::array<std::uint64_t, kMost> numbers_;
  std::size_t count_ = 0;
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

// Changes the bytes. An add into a free slot takes no lock; what changes a slot that is taken holds the locks of both
// buckets of its fingerprint.
template <class Bucket>
class CuckooWriter {
 public:
  CuckooWriter(std::uint8_t* bytes, std::uint64_t buckets, CuckooStripes& stripes)
      : bytes_(bytes), buckets_(buckets), stripes_(stripes) {}

  CuckooPlaces places(Hash hash) const { return cuckoo_places<Bucket>(buckets_, hash); }
  void fetch(const CuckooPlaces& places) const {
    fetch_to_write(places.first);
    __builtin_prefetch(bytes_ + places.second * Bucket::kBytes);
  }

  // False when there is no room.
  bool add(const CuckooPlaces& places) { return place(places) || add_by_moves(places); }

  bool remove(const CuckooPlaces& places) {
    const HeldBuckets<2> held(stripes_, {places.first, places.second});
    for (const std::uint64_t bucket : {places.first, places.second}) {
      const std::uint64_t matches = Bucket::match(Bucket::load(bytes_, bucket), places.fingerprint);
      if (matches == 0) continue;
      raise_version(places.first, places.second);
      Bucket::change(bytes_, bucket, Bucket::first(matches), places.fingerprint);
      return true;
    }
    return false;
  }

 private:
  static constexpr int kTries = 16;  // paths that others spoil before an add holds all locks

  // Into an empty slot of the first bucket, else of the second. False when both are full.
  bool place(const CuckooPlaces& places) {
    return place_in(places.first, places.fingerprint) || place_in(places.second, places.fingerprint);
  }
  // Another turn means that somebody else has filled the slot.
  bool place_in(std::uint64_t bucket, std::uint64_t fingerprint) {
    for (;;) {
      const std::uint64_t room = Bucket::match(Bucket::load(bytes_, bucket), 0);
      if (room == 0) return false;
      const std::uint32_t slot = Bucket::first(room);
      if (Bucket::is_split(bucket, slot) ? fill_locking(bucket, slot, fingerprint)
                                         : Bucket::fill(bytes_, bucket, slot, fingerprint))
        return true;
    }
  }
  bool fill_locking(std::uint64_t bucket, std::uint32_t slot, std::uint64_t fingerprint) {
    const HeldStripe held(stripes_.of(bucket));
    return Bucket::fill(bytes_, bucket, slot, fingerprint);
  }

  // For a key whose two buckets are full. Out of line: most adds need none.
  [[gnu::noinline]] bool add_by_moves(const CuckooPlaces& places) {
    fetch_partners(places);
    for (int tries = 0; tries < kTries; ++tries) {
      const CuckooPath path = find_cuckoo_path<Bucket>(bytes_, buckets_, places.first, places.second);
      if (path.length == 0) return place(places);
      fetch(path);
      const HeldBuckets<CuckooPath::kMost> held(stripes_, path);
      if (follow(path, places.fingerprint)) return true;
    }
    return add_alone(places);
  }
  // What a search looks at first: the partners of all that lies in the two buckets.
  void fetch_partners(const CuckooPlaces& places) const {
    for (const std::uint64_t bucket : {places.first, places.second}) {
      const std::uint64_t slots = Bucket::load(bytes_, bucket);
      for (std::uint32_t slot = 0; slot < kCuckooSlots; ++slot)
        __builtin_prefetch(bytes_ + cuckoo_partner(buckets_, bucket, Bucket::get(slots, slot)) * Bucket::kBytes);
    }
  }
  // All that the moves will write, at once: most of it was last written by other threads.
  void fetch(const CuckooPath& path) const {
    for (std::size_t i = 0; i < path.length; ++i) {
      detail::fetch_to_write(&stripes_.of(path.seats[i].bucket));
      fetch_to_write(path.seats[i].bucket);
      if (i > 0) detail::fetch_to_write(&stripes_.version(path.seats[i].bucket, path.seats[i - 1].bucket));
    }
  }
  // One in eleven buckets of 12 bits lies in two lines.
  void fetch_to_write(std::uint64_t bucket) const {
    detail::fetch_to_write(bytes_ + bucket * Bucket::kBytes);
    if constexpr (Bucket::kBits == 12) detail::fetch_to_write(bytes_ + (bucket + 1) * Bucket::kBytes - 1);
  }

  // Moves what lies in each seat to the seat before it, and puts a new fingerprint into the last. Under the locks of
  // all. False when the path is no longer what it was when it was found: then some have moved, and nothing is lost.
  bool follow(const CuckooPath& path, std::uint64_t fingerprint) {
    std::uint64_t spare = 0;  // what the seat before holds, and the one before that as well; 0 where it is empty
    for (std::size_t i = 1; i < path.length; ++i) {
      const CuckooSeat &from = path.seats[i], &to = path.seats[i - 1];
      const std::uint64_t moved = Bucket::get(Bucket::load(bytes_, from.bucket), from.slot);
      if (moved == 0 || cuckoo_partner(buckets_, from.bucket, moved) != to.bucket || !put(to, spare, moved)) {
        if (spare != 0) Bucket::change(bytes_, to.bucket, to.slot, spare);
        return false;
      }
      raise_version(from.bucket, to.bucket);
      spare = moved;
    }
    return put(path.last(), spare, fingerprint);
  }
  // False when the seat should be empty and is not.
  bool put(const CuckooSeat& seat, std::uint64_t spare, std::uint64_t fingerprint) {
    if (spare == 0) return Bucket::fill(bytes_, seat.bucket, seat.slot, fingerprint);
    Bucket::change(bytes_, seat.bucket, seat.slot, spare ^ fingerprint);
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

  void raise_version(std::uint64_t bucket, std::uint64_t partner) {
    std::atomic<std::uint64_t>& version = stripes_.version(bucket, partner);
    version.store(version.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  std::uint8_t* bytes_;
  std::uint64_t buckets_;
  CuckooStripes& stripes_;
};

}  // namespace BLOOMERY_NAMESPACE::detail
