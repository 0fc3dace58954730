// The block filter: one 64-byte cache line per key, k bits anywhere in it (spec/block.md). Pick it unless something
// speaks for another kind: a lookup is one memory access, and it takes fewer bits than split for the same rate.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "bloomery/detail/blocked_probe.h"
#include "bloomery/detail/bulk_add.h"
#include "bloomery/filter.h"
#include "bloomery/geometry/block.h"
#include "bloomery/mutable_view.h"

namespace BLOOMERY_NAMESPACE {

class BLOOMERY_API BlockLayout : public BitCells<BlockLayout> {
 public:
  using Geometry = BlockGeometry;
  static constexpr const char* kPickFor = "everything else: one cache line per lookup, fewest bits of the fast kinds";

  BLOOMERY_PER_ISA explicit BlockLayout(const Geometry& geometry) : blocks_(geometry.blocks), k_(geometry.k) {}
  BLOOMERY_PER_ISA Geometry geometry() const { return {blocks_, k_}; }
  static constexpr Hasher default_hasher() { return Hasher::xxh3(); }

  template <unsigned kIsa = detail::kCompiledFor>
  bool contains(const std::uint8_t* bytes, const Hash& hash) const {
    return detail::block_probe<kIsa>(bytes + detail::block_offset(blocks_, hash), k_, hash);
  }
  [[gnu::always_inline]] bool add(std::uint8_t* bytes, Hash hash) const {
    return detail::block_set(bytes + detail::block_offset(blocks_, hash), k_, hash);
  }
  BLOOMERY_PER_ISA void contains_many(const std::uint8_t* bytes, std::span<const Hash> hashes,
                                      std::uint8_t* answers) const {
    detail::block_contains_many(bytes, blocks_, k_, hashes, answers);
  }
  BLOOMERY_PER_ISA void add_many(std::uint8_t* bytes, std::span<const Hash> hashes) const {
    detail::block_add_many(bytes, blocks_, k_, hashes);
  }

  Status add_bulk(std::uint8_t* bytes, const KeyRun& keys, unsigned threads) const {
    return detail::block_bulk_add(bytes, blocks_, k_, keys, threads);
  }

  static Result<Geometry> plan(std::uint64_t n, double fpr) { return Geometry::for_capacity(n, fpr); }
  Status check_payload(std::span<const std::uint8_t>) const { return {}; }
  // Counts the bits of each block.
  double predicted_fpr(std::span<const std::uint8_t> bytes) const;

 private:
  std::uint64_t blocks_;
  std::uint32_t k_;
};

using BlockView = BasicView<BlockLayout>;
using BlockFilter = BasicFilter<BlockLayout>;
using BlockMutableView = BasicMutableView<BlockLayout>;
static_assert(std::is_trivially_copyable_v<BlockView>);

}  // namespace BLOOMERY_NAMESPACE
