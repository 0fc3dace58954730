// The cuckoo filter: keys can be removed again, and low rates take few bits. A key leaves a fingerprint of 8, 12 or 16
// bits in one of two buckets of four (spec/cuckoo.md). The filter can be full: then add refuses the key and nothing has
// changed.
//
//   auto filter = bloomery::CuckooFilter::with_capacity(1'000'000, 0.002);
//   if (!filter->add("a key").ok()) ...         // full, or this key was added more than eight times
//   filter->remove("a key");                    // only what was added may be removed
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "bloomery/detail/cuckoo_probe.h"
#include "bloomery/filter.h"
#include "bloomery/geometry/cuckoo.h"
#include "bloomery/mutable_view.h"

namespace BLOOMERY_NAMESPACE {

class BLOOMERY_API CuckooLayout {
 public:
  using Geometry = CuckooGeometry;
  static constexpr const char* kPickFor = "keys that are removed again, at rates from 3 % to 0.01 %";
  static constexpr const char* kCells = "slots";

  BLOOMERY_PER_ISA explicit CuckooLayout(const Geometry& geometry)
      : buckets_(geometry.buckets), bits_(geometry.fingerprint_bits) {}
  BLOOMERY_PER_ISA Geometry geometry() const { return {buckets_, bits_}; }
  static constexpr Hasher default_hasher() { return Hasher::xxh3(); }

  // Fingerprints of 12 bits, the usual ones, are looked for in place; others by a call, which keeps the loop of a
  // caller short enough to be inline.
  [[gnu::always_inline]] bool contains(const std::uint8_t* bytes, Hash hash) const {
    using Usual = detail::CuckooBucket<12>;
    if (bits_ != 12) [[unlikely]]
      return contains_unusual(bytes, hash);
    return detail::cuckoo_contains<Usual>(bytes, detail::cuckoo_places<Usual>(buckets_, hash));
  }
  void contains_many(const std::uint8_t* bytes, std::span<const Hash> hashes, std::uint8_t* answers) const;

  // Returns false when there is no room: the filter is full, or the key is in it eight times.
  bool place(std::uint8_t* bytes, Hash hash) const;
  std::size_t place_many(std::uint8_t* bytes, std::span<const Hash> hashes) const;
  static Error full(const Geometry& geometry);

  // Removes one copy of the key. Remove only keys that were added: one that merely looks present takes away what may be
  // the only copy of another key.
  bool remove(std::uint8_t* bytes, Hash hash) const;
  // Returns the number of copies of the key, and of keys that look like it.
  std::uint64_t count(const std::uint8_t* bytes, Hash hash) const;

  // Returns a filter of everything in both. The error is that it does not fit (ErrorCode::full).
  static Result<BasicFilter<CuckooLayout>> merged(const BasicFilter<CuckooLayout>& a,
                                                  const BasicFilter<CuckooLayout>& b);

  std::uint64_t cells_set(std::span<const std::uint8_t> bytes) const;
  static Result<Geometry> plan(std::uint64_t n, double fpr) { return Geometry::for_capacity(n, fpr); }
  // Refuses padding that is not 0. The rest may be anything: a fingerprint may lie in any slot.
  Status check_payload(std::span<const std::uint8_t> bytes) const;
  double predicted_fpr(std::span<const std::uint8_t>, std::uint64_t slots_taken) const {
    return geometry().predicted_fpr_at(slots_taken);
  }

 private:
  // Pure, so that a loop of lookups keeps what it knows of the layout.
  [[gnu::pure]] bool contains_unusual(const std::uint8_t* bytes, Hash hash) const;

  std::uint64_t buckets_;
  std::uint32_t bits_;
};

using CuckooView = BasicView<CuckooLayout>;
using CuckooFilter = BasicFilter<CuckooLayout>;
using CuckooMutableView = BasicMutableView<CuckooLayout>;
static_assert(std::is_trivially_copyable_v<CuckooView>);

}  // namespace BLOOMERY_NAMESPACE
