// Why a key that is in is never denied, however many threads add and remove.
//
// A key's fingerprint f lies in bucket x or in its partner y, and equal fingerprints of the same pair serve each other:
// call their slots the copies of (f, {x, y}). Every store to a bucket is made under the lock of its stripe, and nobody
// waits for a lock with a lower number than one that he holds, so nobody waits for ever. There are three changes:
//   - An add writes f into an empty slot, under the lock of that bucket.
//   - A move, under the locks of both buckets of the pair, writes a copy into an empty slot of the one bucket, raises
//     the version of the pair, and empties the old slot.
//   - A remove, under both locks too, raises the version of the pair, and empties a slot.
// The version of a pair belongs to the stripe of its lower bucket. Who raises it holds that lock, so no raise is lost.
//
// As many copies are there as keys of that class are in, or more, at every moment: an add writes the copy before it
// returns, and a move writes the new copy before it empties the old slot. No remove can take a copy that is on its way:
// it needs both locks, which the move holds. So there is always a copy to find; but a reader looks at x and y one after
// the other, and a copy that goes from y to x in between would escape it. That takes a store which overwrites a copy,
// the last step of a move or a remove (an add to x and a remove from y move a copy too), and before every such store
// the version of the pair is raised. A reader says "no" only when neither bucket held f and the version was the same
// before and after it looked.
//
// Let it have read v both times. Let c be a copy that is left after the last overwriting of its class that v counts,
// or, if that is later, the one written by the add that the reader knows of. In the first case the store of c comes
// before the raise to v: by the same thread, or by one that has since released the lock of c's bucket, which the raiser
// holds. The raise is a release store and the reader's first read an acquire; of the add it knows by something that
// orders the two. So the reader sees c, or something stored later into the same unit of memory. Stores that come before
// the raise to v + 1 leave the bits of c as they are, whichever unit they fall in: writers of a bucket exclude each
// other, and rewrite a neighbour's bits as they found them. The store that overwrites c comes after that raise, and
// what is stored into the unit later still comes after it by the lock of the bucket. All these are release stores, and
// the reader's load of one an acquire: its second read of the version would have seen v + 1. So it has seen c, and did
// not say "no".
//
// Nothing is torn: 8 and 16 bits are in buckets of one atomic unit, 12 bits in three of 16 bits, for each of which the
// argument holds. A found fingerprint needs no argument: what was put together from two moments is "maybe".
//
// A path of moves is searched without locks, in a table that others change meanwhile, so it is only a proposal: each
// move looks again, under its locks, whether the slot that it fills is empty and whether what it takes away belongs
// there. If not, the add begins anew. Every move by itself leaves the table right, so a path may end anywhere.
#include "bloomery/live/shared_cuckoo.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "core/base/error.h"
#include "kinds/common/describe.h"
#include "live/cuckoo_writer.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using detail::AtomicBucket;
using detail::cuckoo_places;
using detail::CuckooPlaces;
using detail::CuckooStripes;
using detail::CuckooWriter;
using detail::HeldStripes;
using detail::with_cuckoo_bucket;

constexpr int kLooks = 8;
constexpr std::size_t kGroup = 32;  // keys fetched together

}  // namespace

// Whoever holds a lock is done within nanoseconds, unless it was put to sleep or copies the whole filter.
void CuckooStripes::Stripe::wait() {
  constexpr unsigned kSpins = 64, kYields = 256;
  unsigned waits = 0;
  do {
    while (locked.load(std::memory_order_relaxed) != 0) {
      if (waits < kSpins) detail::spin_wait();
      else if (waits < kYields) std::this_thread::yield();
      else std::this_thread::sleep_for(std::chrono::microseconds(50));
      ++waits;
    }
  } while (locked.exchange(1, std::memory_order_acquire) != 0);
}

detail::HeldStripes::HeldStripes(CuckooStripes& stripes) : stripes_(stripes) {
  for (CuckooStripes::Stripe& stripe : stripes_.stripes) stripe.lock();
}

detail::HeldStripes::~HeldStripes() {
  for (CuckooStripes::Stripe& stripe : stripes_.stripes) stripe.unlock();
}

std::optional<std::uint64_t> CuckooStripes::count_keys() const {
  std::int64_t keys = 0;
  for (const Stripe& stripe : stripes) keys += stripe.keys;
  std::optional<std::uint64_t> count = key_count;
  if (keys >= 0) add_to_count(count, static_cast<std::uint64_t>(keys));
  else if (count) *count -= std::min(*count, static_cast<std::uint64_t>(-keys));
  return count;
}

Result<Shared<CuckooFilter>> Shared<CuckooFilter>::from(Result<Filter> filter) {
  return guarded([&]() -> Result<Shared> {
    BLOOMERY_TRY(filter);
    return Shared(*std::move(filter));
  });
}

Shared<CuckooFilter>::Shared(Filter filter) : filter_(std::move(filter)), stripes_(std::make_unique<CuckooStripes>()) {
  stripes_->key_count = filter_.key_count();
}
Shared<CuckooFilter>::Shared(Shared&&) noexcept = default;
Shared<CuckooFilter>& Shared<CuckooFilter>::operator=(Shared&&) noexcept = default;
Shared<CuckooFilter>::~Shared() = default;

// Adds up to kGroup keys, in order, until one is refused; returns how many are in.
std::size_t Shared<CuckooFilter>::add_group(std::span<const Hash> hashes) {
  if (stripes_ == nullptr) detail::end_for_moved_from("add");
  return with_cuckoo_bucket(geometry().fingerprint_bits, [&]<class Bucket>(Bucket) {
    CuckooWriter<Bucket> writer(filter_.mutable_payload().data(), geometry().buckets, *stripes_);
    std::array<CuckooPlaces, kGroup> places;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      places[i] = writer.places(hashes[i]);
      writer.fetch(places[i]);
    }
    std::size_t added = 0;
    while (added < hashes.size() && writer.add(places[added])) ++added;
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
  if (stripes_ == nullptr) detail::end_for_moved_from("remove");
  return with_cuckoo_bucket(geometry().fingerprint_bits, [&]<class Bucket>(Bucket) {
    CuckooWriter<Bucket> writer(filter_.mutable_payload().data(), geometry().buckets, *stripes_);
    return writer.remove(writer.places(hash));
  });
}

bool Shared<CuckooFilter>::contains_hash(Hash hash) const {
  if (stripes_ == nullptr) [[unlikely]]
    return filter_.contains(hash);
  return with_cuckoo_bucket(geometry().fingerprint_bits, [&]<class Bucket>(Bucket) {
    const CuckooPlaces places = cuckoo_places<Bucket>(geometry().buckets, hash);
    const std::atomic<std::uint64_t>& version = stripes_->version(places.first, places.second);
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

// A filter that was moved from has no locks, and nobody changes it.
Result<CuckooFilter> Shared<CuckooFilter>::copy() const {
  if (stripes_ == nullptr) return Filter::copy_of(filter_.view(), filter_.key_count());
  const HeldStripes all(*stripes_);
  return Filter::copy_of(filter_.view(), stripes_->count_keys());
}

std::uint64_t Shared<CuckooFilter>::bits_set() const {
  if (stripes_ == nullptr) return filter_.bits_set();
  const HeldStripes all(*stripes_);
  return filter_.bits_set();
}

double Shared<CuckooFilter>::fill() const {
  return static_cast<double>(bits_set()) / static_cast<double>(geometry().cells());
}

double Shared<CuckooFilter>::predicted_fpr() const { return geometry().predicted_fpr_at(bits_set()); }

std::optional<std::uint64_t> Shared<CuckooFilter>::key_count() const {
  if (stripes_ == nullptr) return filter_.key_count();
  const HeldStripes all(*stripes_);
  return stripes_->count_keys();
}

}  // namespace BLOOMERY_NAMESPACE
