// Why a key that is in is never denied.
//
// A key's fingerprint f lies in bucket x or in its partner y, and equal fingerprints of the same pair serve each other:
// call their slots the copies of (f, {x, y}). As many copies are there as keys of that class are in, or more, at every
// moment: an add writes the copy before it returns, and what moves is written to its new slot before its old slot is
// overwritten. So there is always a copy to find; but a reader looks at x and y one after the other, and a copy that
// goes from y to x in between would escape it. That takes a store which overwrites a copy: the last step of a move, or
// a remove (an add to x and a remove from y move a copy too). Before every such store the version of the pair is
// raised. A reader says "no" only when neither bucket held f and the version was the same before and after it looked.
//
// Let it have read v both times. Let c be a copy that is left after the last overwriting of its class that v counts,
// or, if that is later, the one written by the add that the reader knows of. The version was raised to v by a release
// store that came after the one of c, and the reader's first read is an acquire; of the add it knows by something that
// orders the two. So it sees c, or something stored later into the same unit of memory. Stores that come before the
// raise to v + 1 leave the bits of c as they are, whichever unit they fall in: writers exclude each other, and rewrite
// a neighbour's bits as they found them. A store that comes after it is a release store, and the reader's load of it an
// acquire: its second read of the version would have seen v + 1. So it has seen c, and did not say "no".
//
// Nothing is torn: 8 and 16 bits are in buckets of one atomic unit, 12 bits in three of 16 bits, for each of which the
// argument holds. A found fingerprint needs no argument: what was put together from two moments is "maybe".
#include "bloomery/live/shared_cuckoo.h"

#include <algorithm>

#include "bloomery/detail/key_count.h"
#include "core/base/error.h"
#include "kinds/common/describe.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using detail::cuckoo_places;
using detail::CuckooBucket;
using detail::CuckooPlaces;
using detail::CuckooSeat;
using detail::with_cuckoo_bucket;

constexpr int kLooks = 8;
constexpr std::size_t kGroup = 32;  // keys fetched together; keys added under one lock

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
template <class Bucket>
struct AtomicBucket {
  using Unit = typename UnitOf<Bucket>::Type;
  static constexpr std::size_t kUnits = Bucket::kBytes / sizeof(Unit);
  static_assert(std::atomic_ref<Unit>::is_always_lock_free &&
                std::atomic_ref<Unit>::required_alignment <= sizeof(Unit));

  static std::atomic_ref<Unit> unit(const std::uint8_t* bytes, std::uint64_t bucket, std::size_t i) {
    auto* at = const_cast<std::uint8_t*>(bytes) + bucket * Bucket::kBytes + i * sizeof(Unit);
    return std::atomic_ref<Unit>(*reinterpret_cast<Unit*>(at));
  }
  static std::uint64_t load(const std::uint8_t* bytes, std::uint64_t bucket) {
    std::uint64_t slots = 0;
    for (std::size_t i = 0; i < kUnits; ++i)
      slots |= std::uint64_t{unit(bytes, bucket, i).load(std::memory_order_acquire)} << (8 * sizeof(Unit) * i);
    return slots;
  }
  // Only what differs is stored. By one writer at a time, who may read without ado.
  static void store(std::uint8_t* bytes, const CuckooSeat& seat, std::uint64_t fingerprint) {
    const std::uint64_t slots = Bucket::load(bytes, seat.bucket);
    const std::uint64_t changed = Bucket::with(slots, seat.slot, fingerprint);
    for (std::size_t i = 0; i < kUnits; ++i) {
      const auto now = static_cast<Unit>(changed >> (8 * sizeof(Unit) * i));
      if (now != static_cast<Unit>(slots >> (8 * sizeof(Unit) * i)))
        unit(bytes, seat.bucket, i).store(now, std::memory_order_release);
    }
  }
};

std::size_t version_of(std::uint64_t bucket, std::uint64_t partner, std::size_t versions) {
  return std::min(bucket, partner) % versions;
}

}  // namespace

// Changes the bytes; its owner holds the lock.
template <class Bucket>
class Shared<CuckooFilter>::Writer {
 public:
  Writer(std::uint8_t* bytes, std::uint64_t buckets, State& state) : bytes_(bytes), buckets_(buckets), state_(state) {}

  bool add(Hash hash) {
    const CuckooPlaces places = cuckoo_places<Bucket>(buckets_, hash);
    const detail::CuckooPath path = detail::cuckoo_room<Bucket>(bytes_, buckets_, places);
    if (path.length == 0) return false;
    for (std::size_t i = 1; i < path.length; ++i) set(path.seats[i - 1], in(path.seats[i]));
    set(path.last(), places.fingerprint);
    detail::add_to_count(state_.key_count, 1);
    return true;
  }

  bool remove(Hash hash) {
    const CuckooPlaces places = cuckoo_places<Bucket>(buckets_, hash);
    for (const std::uint64_t bucket : {places.first, places.second}) {
      const std::uint64_t matches = Bucket::match(Bucket::load(bytes_, bucket), places.fingerprint);
      if (matches == 0) continue;
      set({bucket, Bucket::first(matches)}, 0);
      if (state_.key_count.value_or(0) > 0) --*state_.key_count;
      return true;
    }
    return false;
  }

 private:
  std::uint64_t in(const CuckooSeat& seat) const { return Bucket::get(Bucket::load(bytes_, seat.bucket), seat.slot); }

  void set(const CuckooSeat& seat, std::uint64_t fingerprint) {
    const std::uint64_t old = in(seat);
    if (old == 0) return AtomicBucket<Bucket>::store(bytes_, seat, fingerprint);
    const std::uint64_t partner = detail::cuckoo_partner(buckets_, seat.bucket, old);
    std::atomic<std::uint64_t>& version = state_.versions[version_of(seat.bucket, partner, kVersions)];
    version.store(version.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    AtomicBucket<Bucket>::store(bytes_, seat, fingerprint);
  }

  std::uint8_t* bytes_;
  std::uint64_t buckets_;
  State& state_;
};

Result<Shared<CuckooFilter>> Shared<CuckooFilter>::from(Result<Filter> filter) {
  return guarded([&]() -> Result<Shared> {
    BLOOMERY_TRY(filter);
    return Shared(*std::move(filter));
  });
}

Shared<CuckooFilter>::Shared(Filter filter) : filter_(std::move(filter)) { state_->key_count = filter_.key_count(); }

// None of a filter that was moved from, which nobody changes.
std::unique_lock<std::mutex> Shared<CuckooFilter>::hold_changes() const {
  return state_ == nullptr ? std::unique_lock<std::mutex>() : std::unique_lock(state_->changing);
}

std::size_t Shared<CuckooFilter>::add_group(std::span<const Hash> hashes) {
  if (state_ == nullptr) detail::end_for_moved_from("add");
  const std::lock_guard lock(state_->changing);
  return with_cuckoo_bucket(geometry().fingerprint_bits, [&]<class Bucket>(Bucket) {
    Writer<Bucket> writer(filter_.mutable_payload().data(), geometry().buckets, *state_);
    std::size_t added = 0;
    while (added < hashes.size() && writer.add(hashes[added])) ++added;
    return added;
  });
}

Status Shared<CuckooFilter>::add_hashes(std::span<const Hash> hashes) {
  while (!hashes.empty()) {
    const std::size_t count = std::min(hashes.size(), kGroup);
    if (add_group(hashes.first(count)) < count)
      return guarded([&]() -> Status { return CuckooLayout::full(geometry()); });
    hashes = hashes.subspan(count);
  }
  return {};
}

bool Shared<CuckooFilter>::remove_hash(Hash hash) {
  if (state_ == nullptr) detail::end_for_moved_from("remove");
  const std::lock_guard lock(state_->changing);
  return with_cuckoo_bucket(geometry().fingerprint_bits, [&]<class Bucket>(Bucket) {
    return Writer<Bucket>(filter_.mutable_payload().data(), geometry().buckets, *state_).remove(hash);
  });
}

bool Shared<CuckooFilter>::contains_hash(Hash hash) const {
  if (state_ == nullptr) [[unlikely]]
    return filter_.contains(hash);
  return with_cuckoo_bucket(geometry().fingerprint_bits, [&]<class Bucket>(Bucket) {
    const CuckooPlaces places = cuckoo_places<Bucket>(geometry().buckets, hash);
    const std::atomic<std::uint64_t>& version = state_->versions[version_of(places.first, places.second, kVersions)];
    const auto holds = [&](std::uint64_t bucket) {
      return Bucket::match(AtomicBucket<Bucket>::load(data(), bucket), places.fingerprint) != 0;
    };
    for (int look = 0; look < kLooks; ++look) {
      const std::uint64_t before = version.load(std::memory_order_acquire);
      if (holds(places.first) || holds(places.second)) return true;
      if (version.load(std::memory_order_relaxed) == before) return false;
    }
    return true;
  });
}

void Shared<CuckooFilter>::contains_hashes(std::span<const Hash> hashes, std::uint8_t* answers) const {
  const std::uint64_t bucket_bytes = geometry().fingerprint_bits / 2;
  for (std::size_t first = 0; first < hashes.size(); first += kGroup) {
    const std::span<const Hash> group = hashes.subspan(first, std::min(kGroup, hashes.size() - first));
    with_cuckoo_bucket(geometry().fingerprint_bits, [&]<class Bucket>(Bucket) {
      for (const Hash hash : group) {
        const CuckooPlaces places = cuckoo_places<Bucket>(geometry().buckets, hash);
        __builtin_prefetch(data() + places.first * bucket_bytes);
        __builtin_prefetch(data() + places.second * bucket_bytes);
      }
    });
    for (std::size_t i = 0; i < group.size(); ++i) answers[first + i] = contains_hash(group[i]) ? 1 : 0;
  }
}

Result<CuckooFilter> Shared<CuckooFilter>::copy() const {
  const auto lock = hold_changes();
  return Filter::copy_of(filter_.view(), state_ == nullptr ? filter_.key_count() : state_->key_count);
}

std::uint64_t Shared<CuckooFilter>::bits_set() const {
  const auto lock = hold_changes();
  return filter_.bits_set();
}

double Shared<CuckooFilter>::fill() const {
  return static_cast<double>(bits_set()) / static_cast<double>(geometry().cells());
}

double Shared<CuckooFilter>::predicted_fpr() const { return geometry().predicted_fpr_at(bits_set()); }

std::optional<std::uint64_t> Shared<CuckooFilter>::key_count() const {
  const auto lock = hold_changes();
  return state_ == nullptr ? filter_.key_count() : state_->key_count;
}

}  // namespace BLOOMERY_NAMESPACE
