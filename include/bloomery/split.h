// The split filter: 32-byte blocks of eight words, one bit in each word per key. With XXH64 it is the split-block Bloom
// filter of the Parquet format, bit for bit (spec/split.md). A lookup reads one cache line, and its probe is the
// cheapest of all kinds.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "bloomery/detail/blocked_probe.h"
#include "bloomery/detail/bulk_add.h"
#include "bloomery/filter.h"
#include "bloomery/geometry/split.h"
#include "bloomery/mutable_view.h"

namespace BLOOMERY_NAMESPACE {

class BLOOMERY_API SplitLayout : public BitCells<SplitLayout> {
 public:
  using Geometry = SplitGeometry;
  static constexpr const char* kPickFor = "Parquet, and the cheapest probe for one key at a time";

  BLOOMERY_PER_ISA explicit SplitLayout(const Geometry& geometry) : blocks_(geometry.blocks) {}
  BLOOMERY_PER_ISA Geometry geometry() const { return {blocks_}; }
  static constexpr Hasher default_hasher() { return Hasher::xxh64(); }

  template <unsigned kIsa = detail::kCompiledFor>
  bool contains(const std::uint8_t* bytes, const Hash& hash) const {
    return detail::split_probe<kIsa>(bytes, blocks_, hash);
  }
  [[gnu::always_inline]] bool add(std::uint8_t* bytes, Hash hash) const {
    return detail::split_set(bytes + detail::split_offset(blocks_, hash), hash);
  }
  BLOOMERY_PER_ISA void contains_many(const std::uint8_t* bytes, std::span<const Hash> hashes,
                                      std::uint8_t* answers) const {
    detail::split_contains_many(bytes, blocks_, hashes, answers);
  }
  BLOOMERY_PER_ISA void add_many(std::uint8_t* bytes, std::span<const Hash> hashes) const {
    detail::split_add_many(bytes, blocks_, hashes);
  }

  Status add_bulk(std::uint8_t* bytes, const KeyRun& keys, unsigned threads) const {
    return detail::split_bulk_add(bytes, blocks_, keys, threads);
  }

  static Result<Geometry> plan(std::uint64_t n, double fpr) { return Geometry::for_capacity(n, fpr); }
  Status check_payload(std::span<const std::uint8_t>) const { return {}; }
  // Counts the bits of each block.
  double predicted_fpr(std::span<const std::uint8_t> bytes) const;

 private:
  std::uint64_t blocks_;
};

using SplitView = BasicView<SplitLayout>;
using SplitFilter = BasicFilter<SplitLayout>;
using SplitMutableView = BasicMutableView<SplitLayout>;
static_assert(std::is_trivially_copyable_v<SplitView>);

}  // namespace BLOOMERY_NAMESPACE
