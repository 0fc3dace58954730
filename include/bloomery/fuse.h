// The fuse filter: small and fast for keys that are all known and do not change. A lookup reads three slots of 8 or 16
// bits (four with arity 4) and compares their xor with the fingerprint of the key. Slots of 8 bits give a rate of 0.39
// % in 9.1 bits per key (8.7 with arity 4), slots of 16 bits 0.0015 % in 18.1 (17.3). The kind follows Graf and
// Lemire's binary fuse filters; spec/fuse.md explains it.
//
//   auto filter = bloomery::FuseFilter::build(keys, 0.01, threads);  // equal keys are fine
//   filter->contains("a key");
//
// A build takes memory for the filter, 8 bytes per key for the sorted hashes (16 where keys have to be hashed), and in
// each thread 13 bytes per key of the part it works on. Parts have at most 1.6 million keys (21 MB). Hashes that are
// not random form one part, and a part that needs another seed takes 8 bytes per key more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "bloomery/detail/fuse_probe.h"
#include "bloomery/filter.h"
#include "bloomery/geometry/fuse.h"

namespace BLOOMERY_NAMESPACE {

class BLOOMERY_API FuseLayout {
 public:
  using Geometry = FuseGeometry;
  static constexpr const char* kPickFor = "keys that are all known and do not change, at 0.4 % in 9 bits per key";
  static constexpr const char* kCells = "slots";

  BLOOMERY_PER_ISA explicit FuseLayout(const Geometry& geometry)
      : ring_(geometry),
        parts_(geometry.parts),
        factors_at_(geometry.factors_at()),
        keys_(geometry.keys),
        arity_(geometry.arity),
        bits_(geometry.fingerprint_bits),
        usual_end_(usual_end_of(geometry, 8)),
        wide_end_(usual_end_of(geometry, 16)) {}
  BLOOMERY_PER_ISA Geometry geometry() const { return {arity_, bits_, parts_, ring_.mask + 1, ring_.slots, keys_}; }
  static constexpr Hasher default_hasher() { return Hasher::xxh3(); }

  // The inline code handles the usual case alone: three slots, none of them beyond the end of the ring.
  BLOOMERY_PER_ISA bool contains(const std::uint8_t* bytes, Hash hash) const {
    const std::uint64_t part = detail::mulhi64(hash.bits, parts_);
    const detail::FuseSteps<3> steps(ring_, hash, hash.bits * factor(bytes, part));
    if (steps.last < end_of<std::uint8_t>()) [[likely]]
      return usual_holds<std::uint8_t>(bytes, part, steps);
    if (steps.last < end_of<std::uint16_t>()) return usual_holds<std::uint16_t>(bytes, part, steps);
    return contains_unusual(bytes, hash);
  }
  void contains_many(const std::uint8_t* bytes, std::span<const Hash> hashes, std::uint8_t* answers) const;

  // Builds the filter of sorted, distinct hashes with the arity and the fingerprints of `target`. The bytes are the
  // same for any number of threads.
  static Result<BasicFilter<FuseLayout>> build(std::span<const Hash> keys, const Geometry& target,
                                               const FilterOptions& options, unsigned threads);
  // Returns how many attempts failed. Each part takes the first seed that does not fail. If all 64 seeds fail, the
  // filter grows, and the count starts again.
  std::uint64_t retries(const std::uint8_t* bytes) const;

  std::uint64_t cells_set(std::span<const std::uint8_t>) const { return keys_; }
  BLOOMERY_PER_ISA static Result<Geometry> plan(std::uint64_t n, double fpr) { return Geometry::for_capacity(n, fpr); }
  // Refuses nothing: any bytes are a filter.
  Status check_payload(std::span<const std::uint8_t>) const { return {}; }
  double predicted_fpr(std::span<const std::uint8_t>, std::uint64_t keys_in) const {
    return geometry().predicted_fpr_at(keys_in);
  }

 private:
  BLOOMERY_PER_ISA static std::uint64_t usual_end_of(const Geometry& geometry, std::uint32_t bits) {
    return geometry.keys > 0 && geometry.arity == 3 && geometry.fingerprint_bits == bits ? geometry.slots : 0;
  }
  template <class Slot, unsigned kIsa = detail::kCompiledFor>
  std::uint64_t end_of() const {
    return sizeof(Slot) == 1 ? usual_end_ : wide_end_;
  }
  template <class Slot, unsigned kIsa = detail::kCompiledFor>
  bool usual_holds(const std::uint8_t* bytes, std::uint64_t part, const detail::FuseSteps<3>& steps) const {
    const std::uint8_t* slots = bytes + part * end_of<Slot>() * sizeof(Slot);
    const auto slot = [slots](std::uint64_t i) { return detail::load_le<Slot>(slots + i * sizeof(Slot)); };
    const auto fingerprint = static_cast<Slot>(steps.spread >> (64 - 8 * sizeof(Slot)));
    return static_cast<Slot>(fingerprint ^ slot(steps.first) ^ slot(steps.second)) == slot(steps.last);
  }
  template <class Probe>
  struct Located {
    Probe probe;
    const std::uint8_t* slots;  // of its part
  };

  // The addition is one of numbers, because g++ does not take `bytes + factors_at_` out of a loop.
  BLOOMERY_PER_ISA std::uint64_t factor(const std::uint8_t* bytes, std::uint64_t part) const {
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(bytes) + factors_at_ + sizeof(std::uint64_t) * part;
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return detail::load_le<std::uint64_t>(reinterpret_cast<const std::uint8_t*>(at));
  }
  template <class Probe, unsigned kIsa = detail::kCompiledFor>
  Located<Probe> locate(const std::uint8_t* bytes, Hash hash) const {
    const std::uint64_t part = detail::mulhi64(hash.bits, parts_);
    return {Probe(ring_, hash, hash.bits * factor(bytes, part)),
            bytes + part * ring_.slots * sizeof(typename Probe::Slot)};
  }
  // It is pure, so that a loop of lookups keeps the numbers of the layout in registers.
  [[gnu::pure]] bool contains_unusual(const std::uint8_t* bytes, Hash hash) const;
  template <class Probe, bool kOnePart>
  void ask_one_by_one(const std::uint8_t* bytes, std::span<const Hash> hashes, std::uint8_t* answers) const;
  template <class Probe, unsigned kIsa = detail::kCompiledFor>
  bool holds(const std::uint8_t* bytes, Hash hash) const {
    const Located<Probe> key = locate<Probe>(bytes, hash);
    return key.probe.difference(key.slots) == 0;
  }

  detail::FuseRing ring_;
  std::uint64_t parts_, factors_at_, keys_;
  std::uint32_t arity_, bits_;
  // The slots of a part where keys have three slots each, of 8 or of 16 bits; else 0. A lookup that compares with one
  // of them knows the width as well.
  std::uint64_t usual_end_, wide_end_;
};

using FuseView = BasicView<FuseLayout>;
using FuseFilter = BasicFilter<FuseLayout>;
static_assert(std::is_trivially_copyable_v<FuseView>);

}  // namespace BLOOMERY_NAMESPACE
