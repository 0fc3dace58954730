#include "bloomery/cuckoo.h"

#include <string>

#include "kinds/common/basic_filter_impl.h"
#include "kinds/cuckoo/place.h"

namespace BLOOMERY_NAMESPACE {

using detail::cuckoo_places;
using detail::CuckooPlaces;
using detail::kCuckooSlots;
using detail::with_cuckoo_bucket;

bool CuckooLayout::place(std::uint8_t* bytes, Hash hash) const {
  return with_cuckoo_bucket(bits_, [&]<class Bucket>(Bucket) {
    return detail::cuckoo_place<Bucket>(bytes, buckets_, cuckoo_places<Bucket>(buckets_, hash));
  });
}

Error CuckooLayout::full(const Geometry& geometry) {
  std::string message = "the cuckoo filter is full (";
  message += detail::describe(geometry);
  message += "), or this key was added more than eight times: make it for more keys, and add each key once";
  return {ErrorCode::full, std::move(message), {}, {}};
}

bool CuckooLayout::remove(std::uint8_t* bytes, Hash hash) const {
  return with_cuckoo_bucket(bits_, [&]<class Bucket>(Bucket) {
    const CuckooPlaces places = cuckoo_places<Bucket>(buckets_, hash);
    for (const std::uint64_t bucket : {places.first, places.second}) {
      const std::uint64_t matches = Bucket::match(Bucket::load(bytes, bucket), places.fingerprint);
      if (matches == 0) continue;
      detail::set_cuckoo_slot<Bucket>(bytes, {bucket, Bucket::first(matches)}, 0);
      return true;
    }
    return false;
  });
}

std::uint64_t CuckooLayout::count(const std::uint8_t* bytes, Hash hash) const {
  return with_cuckoo_bucket(bits_, [&]<class Bucket>(Bucket) -> std::uint64_t {
    const CuckooPlaces places = cuckoo_places<Bucket>(buckets_, hash);
    return 2 * kCuckooSlots - Bucket::others(Bucket::load(bytes, places.first), places.fingerprint) -
           Bucket::others(Bucket::load(bytes, places.second), places.fingerprint);
  });
}

std::uint64_t CuckooLayout::cells_set(std::span<const std::uint8_t> bytes) const {
  return with_cuckoo_bucket(bits_, [&]<class Bucket>(Bucket) {
    std::uint64_t taken = 0;
    for (std::uint64_t bucket = 0; bucket < buckets_; ++bucket)
      taken += Bucket::others(Bucket::load(bytes.data(), bucket), 0);
    return taken;
  });
}

Status CuckooLayout::check_payload(std::span<const std::uint8_t> bytes) const {
  for (const std::uint8_t byte : bytes.last(geometry().padding()))
    if (byte != 0) return corrupt("payload", "a byte after the last bucket is not 0: the filter is damaged");
  return {};
}

// A fingerprint and the bucket it lies in are all that placing needs.
Result<CuckooFilter> CuckooLayout::merged(const CuckooFilter& a, const CuckooFilter& b) {
  BLOOMERY_TRY(detail::check_combinable(a.view(), b.view()));
  Result<CuckooFilter> both = a.clone();
  BLOOMERY_TRY(both);
  const std::uint64_t buckets = a.geometry().buckets;
  const std::uint8_t* from = b.view().payload().data();
  std::uint8_t* to = both->mutable_payload().data();
  const bool fits = with_cuckoo_bucket(a.geometry().fingerprint_bits, [&]<class Bucket>(Bucket) {
    for (std::uint64_t bucket = 0; bucket < buckets; ++bucket) {
      const std::uint64_t slots = Bucket::load(from, bucket);
      for (std::uint32_t slot = 0; slot < kCuckooSlots; ++slot) {
        const std::uint64_t fingerprint = Bucket::get(slots, slot);
        if (fingerprint == 0) continue;
        const CuckooPlaces places{bucket, detail::cuckoo_partner(buckets, bucket, fingerprint), fingerprint};
        if (!detail::cuckoo_place<Bucket>(to, buckets, places)) return false;
      }
    }
    return true;
  });
  if (!fits) return guarded([&]() -> Result<CuckooFilter> { return full(a.geometry()); });
  return both;
}

template class BasicView<CuckooLayout>;
template class BasicFilter<CuckooLayout>;
template class BasicMutableView<CuckooLayout>;

}  // namespace BLOOMERY_NAMESPACE
