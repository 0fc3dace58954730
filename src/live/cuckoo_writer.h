// How threads change a cuckoo filter that they share: locks by stripes of buckets, buckets of atomic units, and the
// three changes that are made under these locks. Used by shared_cuckoo.cc alone, where the proof is.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "bloomery/detail/cuckoo_probe.h"
#include "bloomery/detail/key_count.h"
#include "live/fetch.h"

namespace BLOOMERY_NAMESPACE::detail {

// A stripe is every 1024th bucket, under one lock. Four locks share a cache line: with so many, two threads seldom meet
// at one.
struct CuckooStripes {
  static constexpr std::size_t kCount = 1024;
  struct Stripe {
    void lock() {
      if (locked.exchange(1, std::memory_order_acquire) != 0) [[unlikely]]
        wait();
    }
    void unlock() { locked.store(0, std::memory_order_release); }
    void wait();  // and lock it

    std::atomic<std::uint32_t> locked{0};
    std::int64_t keys = 0;  // adds that were counted here, less removes; changed under the lock
  };

  Stripe& of(std::uint64_t bucket) { return stripes[bucket % kCount]; }
  // A pair's version is that of the stripe of its lower bucket.
  std::atomic<std::uint64_t>& version(std::uint64_t bucket, std::uint64_t partner) {
    return versions[std::min(bucket, partner) % kCount];
  }
  // Under all locks.
  std::optional<std::uint64_t> count_keys() const;

  std::array<Stripe, kCount> stripes;
  // They count the changes that could hide a key from somebody who is looking for it. They are not beside the locks,
  // whose lines every add takes away from readers.
  std::array<std::atomic<std::uint64_t>, kCount> versions{};
  std::optional<std::uint64_t> key_count;  // of the filter that was taken over
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

// Holds the locks of two buckets, which may be one, the lower first.
class HeldPair {
 public:
  HeldPair(CuckooStripes& stripes, std::uint64_t bucket, std::uint64_t partner)
      : low_(stripes.stripes[std::min(bucket % CuckooStripes::kCount, partner % CuckooStripes::kCount)]),
        high_(stripes.stripes[std::max(bucket % CuckooStripes::kCount, partner % CuckooStripes::kCount)]) {
    low_.lock();
    if (&high_ != &low_) high_.lock();
  }
  HeldPair(const HeldPair&) = delete;
  HeldPair& operator=(const HeldPair&) = delete;
  ~HeldPair() {
    if (&high_ != &low_) high_.unlock();
    low_.unlock();
  }

 private:
  CuckooStripes::Stripe &low_, &high_;
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

template <class Bucket>
struct UnitOf;
template <>
struct UnitOf<CuckooBucket<8>> {
  using Type = std::uint32_t;
};
template <>
struct UnitOf<CuckooBucket<12>> {
  using Type = std::uint16_t;
};
template <>
struct UnitOf<CuckooBucket<16>> {
  using Type = std::uint64_t;
};

// A bucket as one or three atomic units.
template <class Plain>
struct AtomicBucket : Plain {
  using Unit = typename UnitOf<Plain>::Type;
  static constexpr std::size_t kUnits = Plain::kBytes / sizeof(Unit);
  static_assert(std::atomic_ref<Unit>::is_always_lock_free &&
                std::atomic_ref<Unit>::required_alignment <= sizeof(Unit));

  static std::atomic_ref<Unit> unit(const std::uint8_t* bytes, std::uint64_t bucket, std::size_t i) {
    auto* at = const_cast<std::uint8_t*>(bytes) + bucket * Plain::kBytes + i * sizeof(Unit);
    return std::atomic_ref<Unit>(*reinterpret_cast<Unit*>(at));
  }
  static std::uint64_t load(const std::uint8_t* bytes, std::uint64_t bucket) {
    std::uint64_t slots = 0;
    for (std::size_t i = 0; i < kUnits; ++i)
      slots |= std::uint64_t{unit(bytes, bucket, i).load(std::memory_order_acquire)} << (8 * sizeof(Unit) * i);
    return slots;
  }
  // Only what differs is stored. By one writer of the bucket at a time, who knows what is there.
  static void store(std::uint8_t* bytes, std::uint64_t bucket, std::uint64_t slots, std::uint64_t changed) {
    for (std::size_t i = 0; i < kUnits; ++i) {
      const auto now = static_cast<Unit>(changed >> (8 * sizeof(Unit) * i));
      if (now != static_cast<Unit>(slots >> (8 * sizeof(Unit) * i)))
        unit(bytes, bucket, i).store(now, std::memory_order_release);
    }
  }
};

// Changes the bytes, under the locks that each change takes.
template <class Plain>
class CuckooWriter {
 public:
  using Bucket = AtomicBucket<Plain>;

  CuckooWriter(std::uint8_t* bytes, std::uint64_t buckets, CuckooStripes& stripes)
      : bytes_(bytes), buckets_(buckets), stripes_(stripes) {}

  CuckooPlaces places(Hash hash) const { return cuckoo_places<Bucket>(buckets_, hash); }
  void fetch(const CuckooPlaces& places) const {
    fetch_to_write(&stripes_.of(places.first));
    fetch_to_write(bytes_ + places.first * Bucket::kBytes);
    __builtin_prefetch(bytes_ + places.second * Bucket::kBytes);
  }

  // False when there is no room.
  bool add(const CuckooPlaces& places) { return place(places) || add_by_moves(places); }

  bool remove(const CuckooPlaces& places) {
    const HeldPair held(stripes_, places.first, places.second);
    for (const std::uint64_t bucket : {places.first, places.second}) {
      const std::uint64_t slots = Bucket::load(bytes_, bucket), matches = Bucket::match(slots, places.fingerprint);
      if (matches == 0) continue;
      raise_version(places.first, places.second);
      Bucket::store(bytes_, bucket, slots, Bucket::with(slots, Bucket::first(matches), 0));
      --stripes_.of(bucket).keys;
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
  // Looks before it takes the lock: near capacity most buckets are full.
  bool place_in(std::uint64_t bucket, std::uint64_t fingerprint) {
    if (Bucket::match(Bucket::load(bytes_, bucket), 0) == 0) return false;
    const HeldStripe held(stripes_.of(bucket));
    return place_held(bucket, fingerprint);
  }
  bool place_held(std::uint64_t bucket, std::uint64_t fingerprint) {
    const std::uint64_t slots = Bucket::load(bytes_, bucket), room = Bucket::match(slots, 0);
    if (room == 0) return false;
    Bucket::store(bytes_, bucket, slots, Bucket::with(slots, Bucket::first(room), fingerprint));
    ++stripes_.of(bucket).keys;
    return true;
  }

  // For a key whose two buckets are full. Out of line: most adds need none.
  [[gnu::noinline]] bool add_by_moves(const CuckooPlaces& places) {
    for (int tries = 0; tries < kTries; ++tries) {
      const CuckooPath path = find_cuckoo_path<Bucket>(bytes_, buckets_, places.first, places.second);
      if (path.length == 0) return place(places);
      follow(path);
      if (place(places)) return true;
    }
    return add_alone(places);
  }

  void follow(const CuckooPath& path) {
    for (std::size_t i = 1; i < path.length; ++i) {
      const HeldPair held(stripes_, path.seats[i].bucket, path.seats[i - 1].bucket);
      if (!move(path.seats[i], path.seats[i - 1])) return;
    }
  }
  // Under the locks of both. False when the path is no longer what it was when it was found.
  bool move(const CuckooSeat& from, const CuckooSeat& to) {
    const std::uint64_t source = Bucket::load(bytes_, from.bucket), target = Bucket::load(bytes_, to.bucket);
    const std::uint64_t fingerprint = Bucket::get(source, from.slot);
    if (fingerprint == 0 || Bucket::get(target, to.slot) != 0) return false;
    if (cuckoo_partner(buckets_, from.bucket, fingerprint) != to.bucket) return false;
    Bucket::store(bytes_, to.bucket, target, Bucket::with(target, to.slot, fingerprint));
    raise_version(from.bucket, to.bucket);
    Bucket::store(bytes_, from.bucket, source, Bucket::with(source, from.slot, 0));
    return true;
  }

  // Whatever others did: while all wait, a path stays what it is.
  bool add_alone(const CuckooPlaces& places) {
    const HeldStripes all(stripes_);
    const CuckooPath path = cuckoo_room<Bucket>(bytes_, buckets_, places);
    if (path.length == 0) return false;
    for (std::size_t i = 1; i < path.length; ++i) (void)move(path.seats[i], path.seats[i - 1]);
    return place_held(path.last().bucket, places.fingerprint);
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
