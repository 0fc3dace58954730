// Why a key that is in is never denied, however many threads add and remove.
//
// A key's fingerprint f lies in bucket x or in its partner y, and equal fingerprints of the same pair serve each other:
// call their slots the copies of (f, {x, y}). Buckets are atomic words, and every change is a read-modify-write of one
// word that leaves all other slots in it as they are. There are three changes:
//   - An add fills an empty slot.
//   - A path of moves, under the locks of the pairs of all that it moves, goes from the empty seat at its end to the
//     new key. It writes a copy of what lies in a seat into the seat before, raises the version of the pair of that
//     copy, and then overwrites the seat: by a copy from the next seat, by the new fingerprint, or by 0 when the path
//     is spoilt.
//   - A remove, under the lock of the pair, raises its version and empties a slot.
// So a taken slot changes only under the lock of the pair of what lies in it: whoever holds that lock and has read f
// there will find f there. An empty slot is filled by a compare-and-swap, which fails when somebody else has filled it.
// A slot of two words takes two steps. Each of the three changes holds the lock of its bucket for it, too, from before
// it reads the slot; so nobody mistakes a half for the whole. Nobody overwrites what he has not read.
//
// Nobody waits for a lock with a lower number than one that he holds, so nobody waits for ever. The version of a pair
// lies in the word of its lock, above the bit that is the lock. Only the holder changes it, so no raise is lost: those
// who try to lock meanwhile write what is there.
//
// As many copies are there as keys of that class are in, or more, at every moment: an add writes the copy before it
// returns, and a move writes the new copy before it overwrites the old one. No remove can take a copy that is on its
// way: it needs the lock of the pair, which the path holds. So there is always a copy to find; but a reader looks at x
// and y one after the other, and a copy that goes from y to x in between would escape it. That takes a change which
// overwrites a copy (an add to x and a remove from y move a copy, too), and before every such change the version is
// raised. A reader says "no" only when neither bucket held f and the version was the same before and after it looked.
//
// Let it have read v both times, and let the key be in as far as the reader knows. Call a copy old when it was written
// before the raise to v, in the order that threads can know of (happens-before).
//   - Every copy that was overwritten by the changes which v counts is old. Who overwrites a copy has read it by an
//     acquire load before he raises the version, and has the lock of the pair after those who overwrote before him.
//   - If the key's own copy is not old, it was therefore not overwritten. It was written by the add that the reader
//     knows of, so its word is seen by the reader with this copy in it, or as it was later.
//   - If it is old, count: every add that wrote an old copy, less the removes that v counts, are the old copies left;
//     a path writes one and overwrites one. Each of these removes is of a key whose add the remover knew of, an old
//     one, and none of the key that is asked for. So an old copy is left. The raise is a release store; what is written
//     to that word after it are release stores of holders, who come after it, and read-modify-writes, which carry a
//     release on; and the reader's first read of the version is an acquire. So the word of the old copy is seen with
//     this copy in it, or as it was later.
// Call that copy c. Changes of other slots leave its bits as they are. The change that overwrites c comes after the
// raise to v + 1 or a later one. It is a release, every later change of the word is a read-modify-write and so carries
// that release on, and the reader's load is an acquire: had it seen one of them, its second read of the version would
// not have been v. So it has seen c, and did not say "no".
//
// Nothing is torn: for a copy in two words the argument holds for each of them. A found fingerprint needs no argument:
// what was put together from two moments is "maybe".
//
// A path of moves is searched without locks, in a table that others change meanwhile, so it is only a proposal: under
// the locks each seat is read again, and what does not belong into the seat before ends the path. Then the add begins
// anew. Every move by itself leaves the table right, so a path may end anywhere. So it is with the slot that an add
// takes for empty: the compare-and-swap decides. Both looks need no order, and may see halves.
//
// Who holds all locks (copies, counts) sees no move and no remove, so it meets every key that is in once, and no half
// of a slot. Adds that take no lock go on meanwhile: it meets those that returned before it began, and perhaps others.
#include "bloomery/live/shared_cuckoo.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <thread>

#include "bloomery/detail/key_count.h"
#include "core/base/error.h"
#include "kinds/common/describe.h"
#include "live/cuckoo_writer.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using detail::cuckoo_places;
using detail::CuckooPlaces;
using detail::CuckooStripes;
using detail::CuckooWriter;
using detail::HeldStripes;
using detail::with_atomic_bucket;

constexpr int kLooks = 8;
// The bits of a bucket in what is loaded of it.
template <class Bucket>
constexpr std::uint64_t kSlotsOf = ~std::uint64_t{0} >> (64 - 8 * Bucket::kBytes);
constexpr std::size_t kGroup = 32;  // keys fetched together

}  // namespace

// Whoever holds a lock is done within nanoseconds, unless it was put to sleep or copies the whole filter.
void CuckooStripes::Stripe::wait() {
  constexpr unsigned kSpins = 64, kYields = 256;
  unsigned waits = 0;
  do {
    while ((word_.load(std::memory_order_relaxed) & kLocked) != 0) {
      if (waits < kSpins) detail::spin_wait();
      else if (waits < kYields) std::this_thread::yield();
      else std::this_thread::sleep_for(std::chrono::microseconds(50));
      ++waits;
    }
  } while ((word_.fetch_or(kLocked, std::memory_order_acquire) & kLocked) != 0);
}

detail::HeldStripes::HeldStripes(CuckooStripes& stripes) : stripes_(stripes) {
  for (CuckooStripes::Stripe& stripe : stripes_.stripes) stripe.lock();
}

detail::HeldStripes::~HeldStripes() {
  for (CuckooStripes::Stripe& stripe : stripes_.stripes) stripe.unlock();
}

std::optional<std::uint64_t> CuckooStripes::keys_in(std::uint64_t slots) const {
  std::optional<std::uint64_t> keys = key_count;
  if (slots >= slots_taken) detail::add_to_count(keys, slots - slots_taken);
  else if (keys) *keys -= std::min(*keys, slots_taken - slots);
  return keys;
}

Result<Shared<CuckooFilter>> Shared<CuckooFilter>::from(Result<Filter> filter) {
  return guarded([&]() -> Result<Shared> {
    BLOOMERY_TRY(filter);
    return Shared(*std::move(filter));
  });
}

Shared<CuckooFilter>::Shared(Filter filter) : filter_(std::move(filter)), stripes_(std::make_unique<CuckooStripes>()) {
  stripes_->key_count = filter_.key_count();
  if (filter_.key_count().value_or(0) > 0) stripes_->slots_taken = filter_.bits_set();
  // The system gives whole lines, so that a last word which the payload does not fill is there.
  whole_words_ = detail::fills_words(geometry()) || filter_.options().memory == nullptr;
}
Shared<CuckooFilter>::Shared(Shared&&) noexcept = default;
Shared<CuckooFilter>& Shared<CuckooFilter>::operator=(Shared&&) noexcept = default;
Shared<CuckooFilter>::~Shared() = default;

template <class Use>
[[gnu::always_inline]] inline decltype(auto) Shared<CuckooFilter>::with_bucket(Use use) const {
  return with_atomic_bucket(geometry().fingerprint_bits, whole_words_, use);
}

bool Shared<CuckooFilter>::add_hash(Hash hash) {
  if (stripes_ == nullptr) [[unlikely]]
    detail::end_for_moved_from("add");
  return with_bucket([&]<class Bucket>(Bucket) {
    CuckooWriter<Bucket> writer(filter_.mutable_payload().data(), geometry().buckets, *stripes_);
    const CuckooPlaces places = writer.places(hash);
    writer.fetch(places);
    return writer.add(places);
  });
}

// Adds keys in order until one is refused; returns how many are in.
std::size_t Shared<CuckooFilter>::add_hashes(std::span<const Hash> hashes) {
  if (stripes_ == nullptr) detail::end_for_moved_from("add");
  return with_bucket([&]<class Bucket>(Bucket) {
    CuckooWriter<Bucket> writer(filter_.mutable_payload().data(), geometry().buckets, *stripes_);
    std::array<CuckooPlaces, kGroup> places;
    for (std::size_t first = 0; first < hashes.size(); first += kGroup) {
      const std::size_t count = std::min(kGroup, hashes.size() - first);
      for (std::size_t i = 0; i < count; ++i) {
        places[i] = writer.places(hashes[first + i]);
        writer.fetch(places[i]);
      }
      for (std::size_t i = 0; i < count; ++i)
        if (!writer.add(places[i])) return first + i;
    }
    return hashes.size();
  });
}

Status Shared<CuckooFilter>::refusal() const {
  return guarded([&]() -> Status { return CuckooLayout::full(geometry()); });
}

bool Shared<CuckooFilter>::remove_hash(Hash hash) {
  if (stripes_ == nullptr) detail::end_for_moved_from("remove");
  return with_bucket([&]<class Bucket>(Bucket) {
    CuckooWriter<Bucket> writer(filter_.mutable_payload().data(), geometry().buckets, *stripes_);
    return writer.remove(writer.places(hash));
  });
}

bool Shared<CuckooFilter>::contains_hash(Hash hash) const {
  if (stripes_ == nullptr) [[unlikely]]
    return filter_.contains(hash);
  return with_bucket([&]<class Bucket>(Bucket) {
    const CuckooPlaces places = cuckoo_places<Bucket>(geometry().buckets, hash);
    const CuckooStripes::Stripe& pair = stripes_->of_pair(places.first, places.second);
    const auto holds = [&](std::uint64_t bucket) {
      return Bucket::match(Bucket::load(data(), bucket), places.fingerprint) != 0;
    };
    for (int look = 0; look < kLooks; ++look) {
      const std::uint64_t before = pair.version(std::memory_order_acquire);
      if (holds(places.first) || holds(places.second)) return true;
      if (pair.version(std::memory_order_relaxed) == before) return false;
    }
    return true;
  });
}

void Shared<CuckooFilter>::contains_hashes(std::span<const Hash> hashes, std::uint8_t* answers) const {
  const std::uint64_t bucket_bytes = geometry().fingerprint_bits / 2;
  for (std::size_t first = 0; first < hashes.size(); first += kGroup) {
    const std::span<const Hash> group = hashes.subspan(first, std::min(kGroup, hashes.size() - first));
    with_bucket([&]<class Bucket>(Bucket) {
      for (const Hash hash : group) {
        const CuckooPlaces places = cuckoo_places<Bucket>(geometry().buckets, hash);
        __builtin_prefetch(data() + places.first * bucket_bytes);
        __builtin_prefetch(data() + places.second * bucket_bytes);
      }
    });
    for (std::size_t i = 0; i < group.size(); ++i) answers[first + i] = contains_hash(group[i]) ? 1 : 0;
  }
}

// Calls use(Bucket, its number, its slots) for every bucket, under all locks. A filter that was moved from has none,
// and nobody changes it.
template <class Use>
void Shared<CuckooFilter>::for_buckets(Use use) const {
  std::optional<HeldStripes> all;
  if (stripes_ != nullptr) all.emplace(*stripes_);
  with_bucket([&]<class Bucket>(Bucket) {
    for (std::uint64_t bucket = 0; bucket < geometry().buckets; ++bucket)
      use(Bucket(), bucket, Bucket::load(data(), bucket) & kSlotsOf<Bucket>);
  });
}

Result<CuckooFilter> Shared<CuckooFilter>::copy() const {
  Result<Filter> copied = Filter::with_geometry(geometry(), hasher());
  BLOOMERY_TRY(copied);
  std::uint8_t* to = copied->mutable_payload().data();
  std::uint64_t taken = 0;
  for_buckets([&]<class Bucket>(Bucket, std::uint64_t bucket, std::uint64_t slots) {
    Bucket::store(to, bucket, slots);
    taken += Bucket::others(slots, 0);
  });
  copied->set_key_count(keys_in(taken));
  return copied;
}

std::uint64_t Shared<CuckooFilter>::bits_set() const {
  std::uint64_t taken = 0;
  for_buckets([&]<class Bucket>(Bucket, std::uint64_t, std::uint64_t slots) { taken += Bucket::others(slots, 0); });
  return taken;
}

double Shared<CuckooFilter>::fill() const {
  return static_cast<double>(bits_set()) / static_cast<double>(geometry().cells());
}

double Shared<CuckooFilter>::predicted_fpr() const { return geometry().predicted_fpr_at(bits_set()); }

std::optional<std::uint64_t> Shared<CuckooFilter>::key_count() const { return keys_in(bits_set()); }

std::optional<std::uint64_t> Shared<CuckooFilter>::keys_in(std::uint64_t slots) const {
  return stripes_ != nullptr ? stripes_->keys_in(slots) : filter_.key_count();
}

}  // namespace BLOOMERY_NAMESPACE
