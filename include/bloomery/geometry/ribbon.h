// The numbers that fix a ribbon filter, and how they follow from n keys and a rate (spec/ribbon.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "bloomery/export.h"
#include "bloomery/kind.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

struct RibbonGeometry {
  static constexpr Kind kKind = Kind::ribbon;
  static constexpr std::array<const char*, 8> kFields = {"keys",     "columns",  "low_share", "seed",
                                                         "bumped_1", "bumped_2", "bumped_3",  "listed"};
  static constexpr std::uint64_t kMaxKeys = std::uint64_t{1} << 48;
  static constexpr std::uint16_t kMaxColumns = 32;
  static constexpr std::uint32_t kShares = 65536;
  static constexpr std::uint16_t kMaxSeed = 3;  // a build has four attempts, from seed 0 on
  static constexpr std::size_t kLayers = 4;
  static constexpr std::uint64_t kFewKeys = 6;  // up to this many get no layer of their own

  std::uint64_t keys = 0;                          // distinct ones
  std::array<std::uint64_t, kLayers> bumped = {};  // by each layer, to the next; by the last one, to the list
  std::uint16_t columns = 1;                       // bits of a fingerprint
  std::uint16_t low_share = 0;                     // the share of keys, in 65536ths, with one bit less
  std::uint16_t seed = 0;                          // 0: hashes are places; else they are mixed with it

  std::array<std::uint64_t, 8> values() const {
    return {keys, columns, low_share, seed, bumped[0], bumped[1], bumped[2], bumped[3]};
  }
  BLOOMERY_API static Result<RibbonGeometry> from_values(const std::array<std::uint64_t, 8>& values);
  // Returns the fewest bits that meet fpr. An fpr from 0.5 up is one column; one below 2^-32 is refused. How many keys
  // are bumped depends on the keys; this plans for the mean.
  BLOOMERY_API static Result<RibbonGeometry> for_capacity(std::uint64_t n, double fpr);
  // Returns the lowest rate with which n keys fit in so many bits. Refuses too few bits, and names how many it takes.
  BLOOMERY_API static Result<RibbonGeometry> for_bits_per_key(std::uint64_t n, double bits_per_key);

  // How many keys come to a layer.
  std::uint64_t keys_of(std::size_t layer) const { return layer == 0 ? keys : bumped[layer - 1]; }
  // In how many groups a key of the layer can start. 0 means that the layer does not exist, and bumps every key.
  BLOOMERY_API std::uint64_t starts_of(std::size_t layer) const;

  std::uint64_t bits() const { return 8 * payload_bytes(); }
  BLOOMERY_API std::uint64_t payload_bytes() const;
  // The slots of all layers, and the listed keys.
  BLOOMERY_API std::uint64_t cells() const;

  BLOOMERY_API double expected_fill(std::uint64_t n) const;
  // n does not matter: the filter holds the keys that it was built of.
  BLOOMERY_API double predicted_fpr_after(std::uint64_t n) const;
  double predicted_fpr_at(std::uint64_t cells_set) const { return predicted_fpr_after(cells_set); }
  std::optional<std::uint64_t> estimated_count(std::uint64_t cells_set) const { return cells_set; }

  friend bool operator==(const RibbonGeometry&, const RibbonGeometry&) = default;
};

}  // namespace BLOOMERY_NAMESPACE
