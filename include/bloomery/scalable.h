// The scalable filter: a chain of block filters that grows with its keys. Its rate stays below its target however many
// keys there are (spec/scalable.md). Pick it when nobody can say how many keys will come; a lookup asks every link.
//
//   auto filter = bloomery::ScalableFilter::with_capacity(1'000, 0.01);   // the first link; more come by themselves
//   for (const auto& key : endless) if (!filter->add(key).ok()) ...       // out of memory, or 64 links are full
//   auto folded = bloomery::fold(*filter, all_keys_again);                // one link again
//   if (folded.ok()) *filter = *std::move(folded);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "bloomery/detail/bits.h"
#include "bloomery/detail/blocked_probe.h"
#include "bloomery/filter.h"
#include "bloomery/geometry/scalable.h"

namespace BLOOMERY_NAMESPACE {

class BLOOMERY_API ScalableLayout {
 public:
  using Geometry = ScalableGeometry;
  static constexpr const char* kPickFor =
      "keys whose number nobody knows: it grows below its rate (here: the first link); lookups ask every link";
  static constexpr const char* kCells = "bits";

  BLOOMERY_PER_ISA explicit ScalableLayout(const Geometry& geometry) : geometry_(geometry) {}
  BLOOMERY_PER_ISA Geometry geometry() const { return geometry_; }
  static constexpr Hasher default_hasher() { return Hasher::xxh3(); }

  // Asks the newest link first, because it holds the most keys.
  template <unsigned kIsa = detail::kCompiledFor>
  bool contains(const std::uint8_t* bytes, Hash hash) const {
    Walk walk(*this, bytes);
    while (walk.next())
      if (detail::block_probe<kIsa>(bytes + walk.offset + detail::block_offset(walk.blocks, hash), walk.k, hash))
        return true;
    return walk.damaged;
  }
  void contains_many(const std::uint8_t* bytes, std::span<const Hash> hashes, std::uint8_t* answers) const;

  // Returns false when the newest link is full. A key that the chain contains already, or seems to, changes nothing and
  // returns true.
  bool place(std::uint8_t* bytes, Hash hash) const;
  std::size_t place_many(std::uint8_t* bytes, std::span<const Hash> hashes) const;
  static Error full(const Geometry& geometry);
  static Result<BasicFilter<ScalableLayout>> grown(const BasicFilter<ScalableLayout>& chain);

  void prepare(std::uint8_t* bytes) const;
  // Returns the directory of one link: one block, k = 1, room for one key, no key taken.
  static constexpr EmptyBytes empty_bytes() {
    EmptyBytes bytes = {};
    bytes[0] = bytes[8] = bytes[16] = 1;
    return bytes;
  }

  static Result<Geometry> plan(std::uint64_t n, double fpr) { return Geometry::for_capacity(n, fpr); }
  // Refuses a directory that contradicts the geometry or the length.
  Status check_payload(std::span<const std::uint8_t> bytes) const;
  std::uint64_t cells_set(std::span<const std::uint8_t> bytes) const;
  // Counts the bits of each block of each link.
  double predicted_fpr(std::span<const std::uint8_t> bytes) const;
  std::optional<std::uint64_t> estimated_count(std::span<const std::uint8_t> bytes) const;

 private:
  // Walks from the newest link to the oldest. Whatever the directory holds, no link reaches out of the payload: one
  // that would ends the walk as damaged. A link without blocks, as in bytes that are all zero, ends it as an empty
  // filter.
  struct Walk {
    BLOOMERY_PER_ISA Walk(const ScalableLayout& layout, const std::uint8_t* bytes)
        : entry(bytes + layout.geometry_.links * Geometry::kEntryBytes),
          left(layout.geometry_.links),
          room(layout.geometry_.blocks),
          offset(layout.geometry_.payload_bytes()) {}

    BLOOMERY_PER_ISA bool next() {
      if (left == 0) return false;
      --left;
      entry -= Geometry::kEntryBytes;
      blocks = detail::load_le<std::uint64_t>(entry);
      if (blocks - 1 >= room) {
        damaged = blocks != 0;
        return false;
      }
      room -= blocks;
      offset -= BlockGeometry::kBlockBytes * blocks;
      const auto stored = detail::load_le<std::uint32_t>(entry + 8);
      k = stored < 1 ? 1 : stored > BlockGeometry::kMaxK ? BlockGeometry::kMaxK : stored;
      return true;
    }

    const std::uint8_t* entry;  // of the directory
    std::uint32_t left;
    std::uint32_t k = 1;
    std::uint64_t room;    // blocks of this link and those before it
    std::uint64_t offset;  // of its first block
    std::uint64_t blocks = 0;
    bool damaged = false;
  };

  void contains_group(const std::uint8_t* bytes, std::span<const Hash> hashes, std::uint8_t* answers) const;
  // Places hashes that were looked up before (`there`), and returns how many found a place, from the front.
  std::size_t place_group(std::uint8_t* bytes, std::span<const Hash> hashes, const std::uint8_t* there) const;
  std::uint8_t* newest_entry(std::uint8_t* bytes) const {
    return bytes + (geometry_.links - 1) * Geometry::kEntryBytes;
  }

  Geometry geometry_;
};

using ScalableView = BasicView<ScalableLayout>;
using ScalableFilter = BasicFilter<ScalableLayout>;
static_assert(std::is_trivially_copyable_v<ScalableView> && sizeof(ScalableView) <= 112);

namespace detail {
// Refuses a number of keys that cannot be all keys of the chain.
BLOOMERY_API Status check_fold(const ScalableView& chain, std::uint64_t offered);
}  // namespace detail

// Returns a chain of one link for these keys, with the target, the growth and the hash of `chain`. The caller offers
// all keys of a chain that has grown long, and gets one that is fast again. Refuses fewer keys than the links hold.
// Nobody can tell whether the keys are all of them: a key that is left out is lost.
template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
Result<ScalableFilter> fold(const ScalableFilter& chain, const Keys& keys) {
  const std::uint64_t n = std::size(keys);
  BLOOMERY_TRY(detail::check_fold(chain.view(), n));
  Result<ScalableGeometry> one = chain.geometry().folded(n > 0 ? n : 1);
  BLOOMERY_TRY(one);
  Result<ScalableFilter> filter = ScalableFilter::with_geometry(*one, chain.options());
  BLOOMERY_TRY(filter);
  BLOOMERY_TRY(filter->add_many(keys));
  return filter;
}

}  // namespace BLOOMERY_NAMESPACE
