// The numbers that fix a scalable filter, a chain of block filters (spec/scalable.md), and the series by which its
// links are sized.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "bloomery/export.h"
#include "bloomery/geometry/block.h"
#include "bloomery/kind.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

// The numbers of the chain and of its newest link. The directory at the head of the payload has those of all links.
struct ScalableGeometry {
  static constexpr Kind kKind = Kind::scalable;
  static constexpr std::array<const char*, 6> kFields = {"links",         "blocks", "link_k",
                                                         "link_capacity", "growth", "fpr_ppt"};
  static constexpr const char* kChoice = "growth";  // the number that n and fpr leave open
  static constexpr std::uint32_t kMaxLinks = 64;
  static constexpr std::uint32_t kMaxGrowth = 8, kDefaultGrowth = 2;
  static constexpr std::uint64_t kMaxBlocks = std::uint64_t{1} << 54;                     // their bits fit in 64 bits
  static constexpr std::uint64_t kLowestPpt = 10'000'000, kHighestPpt = 999'999'999'999;  // 10^-5, and below 1
  // A link has a bit per key at least, so that bytes from outside cannot make a small chain grow into a huge one.
  static constexpr std::uint64_t kMaxKeysPerBlock = 512;
  static constexpr std::uint64_t kEntryBytes = 32;  // of the directory: blocks, k, capacity, count

  std::uint32_t links = 1;
  std::uint64_t blocks = 1;  // of all links together
  std::uint32_t link_k = 1;
  std::uint64_t link_capacity = 1;
  std::uint32_t growth = kDefaultGrowth;   // a new link has that many times the capacity of the one before
  std::uint64_t fpr_ppt = 10'000'000'000;  // the rate that all links together stay below, in parts per 10^12

  std::array<std::uint64_t, 6> values() const { return {links, blocks, link_k, link_capacity, growth, fpr_ppt}; }
  BLOOMERY_API static Result<ScalableGeometry> from_values(const std::array<std::uint64_t, 6>& values);
  // Returns a chain of one link for n keys. However many more keys come, its rate stays below fpr.
  static Result<ScalableGeometry> for_capacity(std::uint64_t n, double fpr) {
    return for_capacity(n, fpr, kDefaultGrowth);
  }
  BLOOMERY_API static Result<ScalableGeometry> for_capacity(std::uint64_t n, double fpr, std::uint64_t growth);
  // Returns a chain whose first link has so many bits per key. Its target is ten times the rate of that link.
  BLOOMERY_API static Result<ScalableGeometry> for_bits_per_key(std::uint64_t n, double bits_per_key);

  // Returns a chain of one link for n keys, with the target and the growth of this one.
  BLOOMERY_API Result<ScalableGeometry> folded(std::uint64_t n) const;

  // Returns the share of the target that link i may take; the sum over all i is at most fpr_ppt. It computes with
  // integers alone, so that it is the same everywhere.
  BLOOMERY_API static std::uint64_t share_of_link(std::uint64_t fpr_ppt, std::uint32_t i);
  // One link: a block filter and the number of keys it takes.
  struct Link {
    BlockGeometry block;
    std::uint64_t capacity = 1;
  };
  // Returns the link that comes after the newest one. The error is ErrorCode::full: there can be no further link.
  BLOOMERY_API Result<Link> next_link() const;
  // Returns this geometry with one more link.
  BLOOMERY_API ScalableGeometry with_link(const Link& link) const;
  // Returns 1 - product of (1 - rate): the rate of a lookup that asks all links.
  BLOOMERY_API static double compound_fpr(std::span<const double> rates);

  std::uint64_t directory_bytes() const { return (links * kEntryBytes + 63) / 64 * 64; }
  std::uint64_t bits() const { return 8 * BlockGeometry::kBlockBytes * blocks; }
  std::uint64_t cells() const { return bits(); }
  std::uint64_t payload_bytes() const { return directory_bytes() + BlockGeometry::kBlockBytes * blocks; }

  // These two are for a chain that grows by the series until it holds n keys.
  BLOOMERY_API double expected_fill(std::uint64_t n) const;
  BLOOMERY_API double predicted_fpr_after(std::uint64_t n) const;
  // These two are for a chain that was filled in order. A View looks at each link and is more exact.
  BLOOMERY_API double predicted_fpr_at(std::uint64_t bits_set) const;
  BLOOMERY_API std::optional<std::uint64_t> estimated_count(std::uint64_t bits_set) const;

  friend bool operator==(const ScalableGeometry&, const ScalableGeometry&) = default;
};

}  // namespace BLOOMERY_NAMESPACE
