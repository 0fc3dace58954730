// The quotient filter keeps the fingerprints of its keys sorted, in a table of 2^q home slots (spec/quotient.md). Pick
// it to remove keys, to count how often a key was added, to merge and to grow without the keys, or to read the
// fingerprints in order. A key that was added c times takes c slots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "bloomery/detail/quotient_slots.h"
#include "bloomery/detail/quotient_walk.h"
#include "bloomery/filter.h"
#include "bloomery/geometry/quotient.h"
#include "bloomery/mutable_view.h"

namespace BLOOMERY_NAMESPACE {

class BLOOMERY_API QuotientLayout {
 public:
  using Geometry = QuotientGeometry;
  static constexpr const char* kPickFor = "keys that are removed and counted; merges and grows without the keys";
  static constexpr const char* kCells = "slots";

  BLOOMERY_PER_ISA explicit QuotientLayout(const Geometry& geometry) : slots_(geometry) {}
  BLOOMERY_PER_ISA Geometry geometry() const { return slots_.geometry(); }
  static constexpr Hasher default_hasher() { return Hasher::xxh3(); }

  BLOOMERY_PER_ISA bool contains(const std::uint8_t* bytes, Hash hash) const { return slots_.contains(bytes, hash); }
  void contains_many(const std::uint8_t* bytes, std::span<const Hash> hashes, std::uint8_t* answers) const;
  void contains_run(const std::uint8_t* bytes, const KeyRun& keys, std::uint8_t* answers) const;
  bool place(std::uint8_t* bytes, Hash hash) const;
  std::size_t place_many(std::uint8_t* bytes, std::span<const Hash> hashes) const;
  static Error full(const Geometry& geometry);

  bool remove(std::uint8_t* bytes, Hash hash) const;
  std::uint64_t count(const std::uint8_t* bytes, Hash hash) const;
  // Returns a filter of everything in both, whose fingerprints must have the same length. It has enough quotient bits
  // for all keys of both, and at least as many as either.
  static Result<BasicFilter<QuotientLayout>> merged(const BasicFilter<QuotientLayout>& a,
                                                    const BasicFilter<QuotientLayout>& b);
  // Returns a filter of the same fingerprints, with one bit more of each in the quotient.
  static Result<BasicFilter<QuotientLayout>> resized(const BasicFilter<QuotientLayout>& filter);
  // Calls use(fingerprint, times), by ascending fingerprint.
  template <class Use>
  void for_each(const std::uint8_t* bytes, Use use) const {
    for (detail::QuotientCursor at(slots_, bytes); !at.done();) {
      const std::uint64_t fingerprint = at.fingerprint();
      std::uint64_t times = 0;
      for (; !at.done() && at.fingerprint() == fingerprint; at.next()) ++times;
      use(fingerprint, times);
    }
  }

  BLOOMERY_PER_ISA std::uint64_t cells_set(std::span<const std::uint8_t> bytes) const {
    return slots_.taken(bytes.data());
  }
  static Result<Geometry> plan(std::uint64_t n, double fpr) { return Geometry::for_capacity(n, fpr); }
  Status check_payload(std::span<const std::uint8_t> bytes) const;
  Status check_structure(std::span<const std::uint8_t> bytes) const;
  // Exact: counts the different fingerprints.
  double predicted_fpr(std::span<const std::uint8_t> bytes, std::uint64_t slots_taken) const;

 private:
  detail::QuotientSlots slots_;
};

using QuotientView = BasicView<QuotientLayout>;
using QuotientFilter = BasicFilter<QuotientLayout>;
using QuotientMutableView = BasicMutableView<QuotientLayout>;
static_assert(std::is_trivially_copyable_v<QuotientView>);

}  // namespace BLOOMERY_NAMESPACE
