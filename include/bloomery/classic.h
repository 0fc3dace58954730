// The classic Bloom filter: m bits, k indexes per key by double hashing. Its raw file is byte-identical from C++, Rust
// and Go (spec/classic.md); pick it for exchange between languages.
//
//   auto filter = bloomery::ClassicFilter::with_capacity(1'000'000, 0.01);
//   if (!filter.ok()) ...                       // says what is wrong with the arguments
//   filter->add("a key");
//   filter->contains("a key");                  // true, always
//   filter->contains("another");                // false, but for one key in a hundred
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "bloomery/detail/classic_probe.h"
#include "bloomery/filter.h"
#include "bloomery/geometry/classic.h"
#include "bloomery/mutable_view.h"

namespace BLOOMERY_NAMESPACE {

class BLOOMERY_API ClassicLayout : public BitCells<ClassicLayout> {
 public:
  using Geometry = ClassicGeometry;
  static constexpr const char* kPickFor = "files shared between C++, Rust and Go; a page of code reads them";

  BLOOMERY_PER_ISA explicit ClassicLayout(const Geometry& geometry) : remainder_(geometry.m), k_(geometry.k) {}
  BLOOMERY_PER_ISA Geometry geometry() const { return {remainder_.divisor(), k_}; }
  static constexpr Hasher default_hasher() { return Hasher::fnv_splitmix(); }

  BLOOMERY_PER_ISA bool contains(const std::uint8_t* bits, Hash hash) const {
    return detail::classic_contains(bits, remainder_, k_, hash);
  }
  BLOOMERY_PER_ISA bool add(std::uint8_t* bits, Hash hash) const {
    return detail::classic_add(bits, remainder_, k_, hash);
  }
  BLOOMERY_PER_ISA void contains_many(const std::uint8_t* bits, std::span<const Hash> hashes,
                                      std::uint8_t* answers) const {
    detail::classic_contains_many(bits, remainder_, k_, hashes, answers);
  }
  BLOOMERY_PER_ISA void add_many(std::uint8_t* bits, std::span<const Hash> hashes) const {
    detail::classic_add_many(bits, remainder_, k_, hashes);
  }

  // Warns through the log hook when the filter will miss its target by more than 10 %, as with very small n. Refuses
  // when it would miss because it exceeds 2^32 bits (spec/classic.md, Limits).
  static Result<Geometry> plan(std::uint64_t n, double fpr);
  // Refuses bits at or above m that are set.
  Status check_payload(std::span<const std::uint8_t> bits) const;
  // Exact for m <= 1024.
  double predicted_fpr(std::span<const std::uint8_t> bits, std::uint64_t bits_set) const;

 private:
  detail::Remainder remainder_;
  std::uint32_t k_;
};

using ClassicView = BasicView<ClassicLayout>;
using ClassicFilter = BasicFilter<ClassicLayout>;
using ClassicMutableView = BasicMutableView<ClassicLayout>;
static_assert(std::is_trivially_copyable_v<ClassicView>);

}  // namespace BLOOMERY_NAMESPACE
