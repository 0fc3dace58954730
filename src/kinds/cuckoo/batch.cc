// Batches of a cuckoo filter: the two places of a key are worked out and their lines fetched some keys before it is
// looked at.
#include <algorithm>
#include <array>

#include "bloomery/cuckoo.h"
#include "kernel/caches.h"
#include "kernel/kernel.h"
#include "kinds/cuckoo/place.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using detail::CuckooPlaces;

// How many keys are in flight.
constexpr std::size_t kAhead = 16;

// The places of the keys in flight. There is one array for each number because g++ copies a struct of three by a vector
// load, which has to wait for the stores of its parts (bench/results/2026-11-17-keys.md shows what such a wait costs).
class InFlight {
 public:
  CuckooPlaces at(std::size_t i) const { return {first_[i % kAhead], second_[i % kAhead], fingerprint_[i % kAhead]}; }
  void set(std::size_t i, const CuckooPlaces& places) {
    first_[i % kAhead] = places.first;
    second_[i % kAhead] = places.second;
    fingerprint_[i % kAhead] = places.fingerprint;
  }

 private:
  std::array<std::uint64_t, kAhead> first_, second_, fingerprint_;
};

// Calls use(number of the key, its places) in order until it says false; returns how many times it said true.
template <class Bucket, int kForWriting, class Use>
std::size_t for_places(const std::uint8_t* bytes, std::uint64_t buckets, std::span<const Hash> hashes, Use use) {
  InFlight in_flight;
  const auto fetch = [&](std::size_t i) {
    const CuckooPlaces places = detail::cuckoo_places<Bucket>(buckets, hashes[i]);
    __builtin_prefetch(bytes + places.first * Bucket::kBytes, kForWriting);
    __builtin_prefetch(bytes + places.second * Bucket::kBytes, kForWriting);
    in_flight.set(i, places);
  };
  const std::size_t at_once = std::min(kAhead, hashes.size());
  for (std::size_t i = 0; i < at_once; ++i) fetch(i);
  std::size_t i = 0;
  for (; i + at_once < hashes.size(); ++i) {
    const CuckooPlaces places = in_flight.at(i);
    fetch(i + at_once);
    if (!use(i, places)) return i;
  }
  for (; i < hashes.size(); ++i)
    if (!use(i, in_flight.at(i))) return i;
  return hashes.size();
}

}  // namespace

bool CuckooLayout::contains_unusual(const std::uint8_t* bytes, Hash hash) const {
  return detail::with_cuckoo_bucket(
      bits_, [&]<class Bucket>(Bucket) __attribute__((always_inline)) {
        return detail::cuckoo_contains<Bucket>(bytes, detail::cuckoo_places<Bucket>(buckets_, hash));
      });
}

void CuckooLayout::contains_many(const std::uint8_t* bytes, std::span<const Hash> hashes, std::uint8_t* answers) const {
  if (const kernel::CuckooLookup lookup = kernel::active().cuckoo_contains; lookup != nullptr && buckets_ >> 32 == 0) {
    const auto* bits = reinterpret_cast<const std::uint64_t*>(hashes.data());
    const bool far = geometry().payload_bytes() > kernel::caches().l2 / 2;
    return lookup(bytes, {buckets_, bits_, bits, hashes.size(), far}, answers);
  }
  detail::with_cuckoo_bucket(bits_, [&]<class Bucket>(Bucket) {
    for_places<Bucket, 0>(bytes, buckets_, hashes, [bytes, answers](std::size_t i, const CuckooPlaces& places) {
      answers[i] = detail::cuckoo_contains<Bucket>(bytes, places) ? 1 : 0;
      return true;
    });
  });
}

std::size_t CuckooLayout::place_many(std::uint8_t* bytes, std::span<const Hash> hashes) const {
  return detail::with_cuckoo_bucket(bits_, [&]<class Bucket>(Bucket) {
    return for_places<Bucket, 1>(bytes, buckets_, hashes, [&](std::size_t, const CuckooPlaces& places) {
      return detail::cuckoo_place<Bucket>(bytes, buckets_, places);
    });
  });
}

}  // namespace BLOOMERY_NAMESPACE
