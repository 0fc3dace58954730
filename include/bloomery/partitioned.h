// The partitioned filter: k slices of bits, one bit of each slice per key (spec/partitioned.md). Its rate follows the
// textbook formula for every n, one key included, and all slices of a filter fill alike. Pick it to reason about a
// filter; for speed pick block.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>

#include "bloomery/detail/classic_probe.h"
#include "bloomery/detail/fnv.h"
#include "bloomery/filter.h"
#include "bloomery/geometry/partitioned.h"
#include "bloomery/mutable_view.h"

namespace BLOOMERY_NAMESPACE {

namespace detail {

// Odd numbers, one per slice.
inline constexpr auto kSliceSalts = [] {
  std::array<std::uint64_t, PartitionedGeometry::kMaxK> salts{};
  for (std::uint64_t i = 0; i < salts.size(); ++i) salts[i] = splitmix64(i) | 1;
  return salts;
}();

// The bit of slice i, counted from the first of the filter.
BLOOMERY_PER_ISA inline std::uint64_t partitioned_index(std::uint64_t slice_bits, std::uint32_t i, Hash hash) {
  const std::uint64_t spread = hash.bits * kSliceSalts[i];
  return i * slice_bits + mulhi64(spread, slice_bits);
}

BLOOMERY_API void partitioned_contains_many(const std::uint8_t* bits, const PartitionedGeometry& geometry,
                                            std::span<const Hash> hashes, std::uint8_t* answers);
BLOOMERY_API void partitioned_add_many(std::uint8_t* bits, const PartitionedGeometry& geometry,
                                       std::span<const Hash> hashes);

}  // namespace detail

class BLOOMERY_API PartitionedLayout : public BitCells<PartitionedLayout> {
 public:
  using Geometry = PartitionedGeometry;
  static constexpr const char* kPickFor = "a rate that is the textbook's at any size, a handful of keys included";

  BLOOMERY_PER_ISA explicit PartitionedLayout(const Geometry& geometry) : geometry_(geometry) {}
  BLOOMERY_PER_ISA Geometry geometry() const { return geometry_; }
  static constexpr Hasher default_hasher() { return Hasher::xxh3(); }

  BLOOMERY_PER_ISA bool contains(const std::uint8_t* bits, Hash hash) const {
    for (std::uint32_t i = 0; i < geometry_.k; ++i) {
      if (detail::classic_bit(bits, detail::partitioned_index(geometry_.slice_bits, i, hash)) == 0) return false;
    }
    return true;
  }
  BLOOMERY_PER_ISA bool add(std::uint8_t* bits, Hash hash) const {
    unsigned changed = 0;
    for (std::uint32_t i = 0; i < geometry_.k; ++i)
      changed |= detail::classic_set_bit(bits, detail::partitioned_index(geometry_.slice_bits, i, hash));
    return changed != 0;
  }
  BLOOMERY_PER_ISA void contains_many(const std::uint8_t* bits, std::span<const Hash> hashes,
                                      std::uint8_t* answers) const {
    detail::partitioned_contains_many(bits, geometry_, hashes, answers);
  }
  BLOOMERY_PER_ISA void add_many(std::uint8_t* bits, std::span<const Hash> hashes) const {
    detail::partitioned_add_many(bits, geometry_, hashes);
  }

  static Result<Geometry> plan(std::uint64_t n, double fpr) { return Geometry::for_capacity(n, fpr); }
  // Refuses bits above the last slice that are set.
  Status check_payload(std::span<const std::uint8_t> bits) const;
  // Returns the product of the fills of the slices, which is exact.
  double predicted_fpr(std::span<const std::uint8_t> bits, std::uint64_t bits_set) const;
  // Counts the bits that are set in slice i.
  std::uint64_t bits_set_in_slice(std::span<const std::uint8_t> bits, std::uint32_t i) const;

 private:
  Geometry geometry_;
};

using PartitionedView = BasicView<PartitionedLayout>;
using PartitionedFilter = BasicFilter<PartitionedLayout>;
using PartitionedMutableView = BasicMutableView<PartitionedLayout>;
static_assert(std::is_trivially_copyable_v<PartitionedView>);

}  // namespace BLOOMERY_NAMESPACE
