// The cuckoo filter: keys can be removed again, at low rates in few bits. A key leaves a fingerprint of 8, 12 or 16
// bits in one of two buckets of four (spec/cuckoo.md). It can be full: then add refuses the key and nothing has
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

#include "bloomery/detail/basic_filter.h"
#include "bloomery/detail/basic_mutable_view.h"
#include "bloomery/detail/cuckoo_probe.h"
#include "bloomery/geometry/cuckoo.h"

namespace BLOOMERY_NAMESPACE {

class BLOOMERY_API CuckooLayout {
 public:
  using Geometry = CuckooGeometry;
  static constexpr const char* kPickFor = "keys that are removed again, at rates from 3 % to 0.01 %";
  static constexpr const char* kCells = "slots";

  explicit CuckooLayout(const Geometry& geometry) : buckets_(geometry.buckets), bits_(geometry.fingerprint_bits) {}
  Geometry geometry() const { return {buckets_, bits_}; }
  static constexpr Hasher default_hasher() { return Hasher::xxh3(); }

  [[gnu::always_inline]] bool contains(const std::uint8_t* bytes, Hash hash) const {
    return detail::with_cuckoo_bucket(
        bits_, [&]<class Bucket>(Bucket) __attribute__((always_inline)) {
          return detail::cuckoo_contains<Bucket>(bytes, detail::cuckoo_places<Bucket>(buckets_, hash));
        });
  }
  void contains_many(const std::uint8_t* bytes, std::span<const Hash> hashes, std::uint8_t* answers) const;

  // False when there is no room: the filter is full, or the key is in it eight times.
  bool place(std::uint8_t* bytes, Hash hash) const;
  std::size_t place_many(std::uint8_t* bytes, std::span<const Hash> hashes) const;
  static Error full(const Geometry& geometry);

  // Takes one copy of the key away. Only keys that were added may be removed: another one that looks present takes away
  // what may be the only copy of a key that is still in.
  bool remove(std::uint8_t* bytes, Hash hash) const;
  // The copies of the key, and of those that look like it.
  std::uint64_t count(const std::uint8_t* bytes, Hash hash) const;

  // Everything in both; refused as full when it does not fit.
  static Result<BasicFilter<CuckooLayout>> merged(const BasicFilter<CuckooLayout>& a,
                                                  const BasicFilter<CuckooLayout>& b);

  std::uint64_t cells_set(std::span<const std::uint8_t> bytes) const;
  static Result<Geometry> plan(std::uint64_t n, double fpr) { return Geometry::for_capacity(n, fpr); }
  // The padding is 0. The rest may be anything: every fingerprint is at home wherever it lies.
  Status check_payload(std::span<const std::uint8_t> bytes) const;
  double predicted_fpr(std::span<const std::uint8_t>, std::uint64_t slots_taken) const {
    return geometry().predicted_fpr_at(slots_taken);
  }

 private:
  std::uint64_t buckets_;
  std::uint32_t bits_;
};

using CuckooView = BasicView<CuckooLayout>;
using CuckooFilter = BasicFilter<CuckooLayout>;
using CuckooMutableView = BasicMutableView<CuckooLayout>;
static_assert(std::is_trivially_copyable_v<CuckooView>);

}  // namespace BLOOMERY_NAMESPACE
