// The numbers that fix a ribbon filter, and how many of each n keys at a rate take (spec/ribbon.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "bloomery/export.h"
#include "bloomery/kind.h"
#include "bloomery/result.h"

namespace bloomery {

struct RibbonGeometry {
  static constexpr Kind kKind = Kind::ribbon;
  static constexpr std::array<const char*, 5> kFields = {"keys", "columns", "low_share", "seed", "listed"};
  static constexpr std::uint64_t kMaxKeys = std::uint64_t{1} << 48;
  static constexpr std::uint32_t kMaxColumns = 32;
  static constexpr std::uint32_t kShares = 65536;
  static constexpr std::uint32_t kMaxSeed = 3;  // of four attempts to build it, all but the first need one
  static constexpr std::uint32_t kMaxLayers = 4;
  static constexpr std::uint64_t kFewKeys = 6;  // that many are listed instead of solved for

  std::uint64_t keys = 0;       // distinct ones
  std::uint32_t columns = 1;    // bits of a fingerprint,
  std::uint32_t low_share = 0;  // of which so many 65536ths of all keys have one less
  std::uint32_t seed = 0;       // 0: hashes give the places; else hashes mixed with it
  std::uint64_t listed = 0;     // keys that found no place, kept whole

  std::array<std::uint64_t, 5> values() const { return {keys, columns, low_share, seed, listed}; }
  BLOOMERY_API static Result<RibbonGeometry> from_values(const std::array<std::uint64_t, 5>& values);
  // The fewest bits that meet fpr. From 0.5 up it is one column; refuses what is below 2^-32.
  BLOOMERY_API static Result<RibbonGeometry> for_capacity(std::uint64_t n, double fpr);
  // The lowest rate with which n keys fit in so many bits. Refuses too few, naming how many it takes.
  BLOOMERY_API static Result<RibbonGeometry> for_bits_per_key(std::uint64_t n, double bits_per_key);

  // The keys that each layer is made for, and the places where a key of it can start. Layers that are not there have 0.
  struct Layers {
    std::array<std::uint64_t, kMaxLayers> keys{}, starts{};
  };
  BLOOMERY_API static Layers layers_for(std::uint64_t keys);

  std::uint64_t bits() const { return 8 * payload_bytes(); }
  BLOOMERY_API std::uint64_t payload_bytes() const;
  // Slots of all layers, and the keys listed.
  BLOOMERY_API std::uint64_t cells() const;

  BLOOMERY_API double expected_fill(std::uint64_t n) const;
  // Whatever n is: it holds the keys it was made of.
  BLOOMERY_API double predicted_fpr_after(std::uint64_t n) const;
  double predicted_fpr_at(std::uint64_t cells_set) const { return predicted_fpr_after(cells_set); }
  std::optional<std::uint64_t> estimated_count(std::uint64_t cells_set) const { return cells_set; }

  friend bool operator==(const RibbonGeometry&, const RibbonGeometry&) = default;
};

}  // namespace bloomery
