// The one way in which a plain cuckoo filter changes: along a path that was found before. For the files of the kind.
#pragma once

#include <cstdint>

#include "bloomery/detail/cuckoo_probe.h"

namespace BLOOMERY_NAMESPACE::detail {

template <class Bucket>
void set_cuckoo_slot(std::uint8_t* bytes, const CuckooSeat& seat, std::uint64_t fingerprint) {
  const std::uint64_t slots = Bucket::load(bytes, seat.bucket);
  Bucket::store(bytes, seat.bucket, Bucket::with(slots, seat.slot, fingerprint));
}

// Adds a key whose two buckets are full, by moves. It is out of line, because most adds need no moves.
template <class Bucket>
[[gnu::noinline]] bool cuckoo_place_by_moves(std::uint8_t* bytes, std::uint64_t buckets, const CuckooPlaces& places) {
  const CuckooPath path = find_cuckoo_path<Bucket>(bytes, buckets, places.first, places.second);
  if (path.length == 0) return false;
  for (std::size_t i = 1; i < path.length; ++i) {
    const std::uint64_t slots = Bucket::load(bytes, path.seats[i].bucket);
    set_cuckoo_slot<Bucket>(bytes, path.seats[i - 1], Bucket::get(slots, path.seats[i].slot));
  }
  set_cuckoo_slot<Bucket>(bytes, path.last(), places.fingerprint);
  return true;
}

// Adds a key. Returns whether there was room; if not, nothing has changed.
template <class Bucket>
bool cuckoo_place(std::uint8_t* bytes, std::uint64_t buckets, const CuckooPlaces& places) {
  for (const std::uint64_t bucket : {places.first, places.second}) {
    const std::uint64_t slots = Bucket::load(bytes, bucket), room = Bucket::match(slots, 0);
    if (room == 0) continue;
    Bucket::store(bytes, bucket, Bucket::with(slots, Bucket::first(room), places.fingerprint));
    return true;
  }
  return cuckoo_place_by_moves<Bucket>(bytes, buckets, places);
}

}  // namespace BLOOMERY_NAMESPACE::detail
