// The stable filter answers "was this key added lately?" for endless streams in bounded memory (spec/stable.md). Each
// add makes some cells older, so old keys fade and the rate settles on a plateau. It finds every key of the last n adds
// for certain, has false positives like any filter, and forgets by design what is older.
//
//   auto filter = bloomery::StableFilter::with_capacity(1'000'000, 0.01);   // remembers the last million adds
//   for (const auto& event : endless) if (filter->test_and_add(event)) ...  // seen before, lately
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "bloomery/detail/bits.h"
#include "bloomery/detail/blocked_probe.h"
#include "bloomery/filter.h"
#include "bloomery/geometry/stable.h"
#include "bloomery/mutable_view.h"

namespace BLOOMERY_NAMESPACE {

class BLOOMERY_API StableLayout {
 public:
  using Geometry = StableGeometry;
  static constexpr const char* kPickFor = "endless streams in bounded memory: it forgets what is older than n adds";
  static constexpr const char* kCells = "cells";
  static constexpr bool kForgets = true;

  BLOOMERY_PER_ISA explicit StableLayout(const Geometry& geometry) : geometry_(geometry) {}
  BLOOMERY_PER_ISA Geometry geometry() const { return geometry_; }
  static constexpr Hasher default_hasher() { return Hasher::xxh3(); }

  // It has no branch, for the same reason as block_contains.
  BLOOMERY_PER_ISA bool contains(const std::uint8_t* bytes, Hash hash) const {
    const std::uint8_t* line = bytes + offset_of(hash);
    bool missing = false;
    for (std::uint32_t i = 0; i < geometry_.k; ++i) {
      const Cell cell(hash, i);
      missing |= (line[cell.byte] & cell.mask) == 0;
    }
    return !missing;
  }
  void contains_many(const std::uint8_t* bytes, std::span<const Hash> hashes, std::uint8_t* answers) const;

  // Returns true when the key was not there before, which means that it was not added lately.
  BLOOMERY_PER_ISA bool add(std::uint8_t* bytes, Hash hash) const {
    const bool seen = contains(bytes, hash);
    age(bytes);
    std::uint8_t* line = bytes + offset_of(hash);
    for (std::uint32_t i = 0; i < geometry_.k; ++i) {
      const Cell cell(hash, i);
      line[cell.byte] = static_cast<std::uint8_t>(line[cell.byte] | cell.mask);
    }
    return !seen;
  }
  void add_many(std::uint8_t* bytes, std::span<const Hash> hashes) const;

  static Result<Geometry> plan(std::uint64_t n, double fpr) { return Geometry::for_capacity(n, fpr); }
  // Refuses a hand that points to no cell, and a header whose other bytes are not zero.
  Status check_payload(std::span<const std::uint8_t> bytes) const;
  std::uint64_t cells_set(std::span<const std::uint8_t> bytes) const;
  // Returns the exact rate, from the cells of each line.
  double predicted_fpr(std::span<const std::uint8_t> bytes, std::uint64_t cells_set) const;

 private:
  // Cell i of a key, in its line.
  struct Cell {
    BLOOMERY_PER_ISA Cell(Hash hash, std::uint32_t i) {
      const std::uint32_t number = (static_cast<std::uint32_t>(hash.bits) * detail::kSalt[i]) >> 24;
      byte = number >> 2;
      mask = kMasks[number & 3];
    }
    static constexpr std::uint8_t kMasks[4] = {0x03, 0x0c, 0x30, 0xc0};  // cheaper than a shift by a variable
    std::uint32_t byte;
    std::uint8_t mask;
  };

  BLOOMERY_PER_ISA std::uint64_t offset_of(Hash hash) const {
    return Geometry::kHeaderBytes + detail::mulhi64(hash.bits, geometry_.lines) * Geometry::kLineBytes;
  }
  // Makes the next cells older, and moves the hand behind them.
  void age(std::uint8_t* bytes) const;

  Geometry geometry_;
};

using StableView = BasicView<StableLayout>;
using StableFilter = BasicFilter<StableLayout>;
using StableMutableView = BasicMutableView<StableLayout>;
static_assert(std::is_trivially_copyable_v<StableView> && sizeof(StableView) <= 112);

}  // namespace BLOOMERY_NAMESPACE
