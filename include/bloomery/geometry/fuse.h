// The six numbers that fix a fuse filter, and how many slots n keys take (spec/fuse.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "bloomery/export.h"
#include "bloomery/kind.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

struct FuseGeometry {
  static constexpr Kind kKind = Kind::fuse;
  static constexpr std::array<const char*, 6> kFields = {"arity", "fingerprint_bits", "parts", "window", "slots",
                                                         "keys"};
  static constexpr const char* kChoice = "arity";     // the number that a rate leaves open
  static constexpr std::uint64_t kMaxWindow = 65536;  // a key has 16 bits for each step
  static constexpr std::uint64_t kMaxParts = std::uint64_t{1} << 32;
  static constexpr std::uint64_t kMaxCells = std::uint64_t{1} << 48;  // slots of all parts together
  static constexpr std::uint64_t kSeveralParts = 1'000'000;           // from so many keys on

  std::uint32_t arity = 3;  // slots of a key: 3, or 4
  std::uint32_t fingerprint_bits = 8;
  std::uint64_t parts = 1;
  std::uint64_t window = 1;  // a power of two: the most from one slot of a key to the next
  std::uint64_t slots = 3;   // of a part
  std::uint64_t keys = 0;    // distinct ones

  std::array<std::uint64_t, 6> values() const { return {arity, fingerprint_bits, parts, window, slots, keys}; }
  // Refuses what spec/fuse.md says, naming the number.
  BLOOMERY_API static Result<FuseGeometry> from_values(const std::array<std::uint64_t, 6>& values);
  // Returns the filter of n distinct keys. Refuses rates below 2^-16.
  BLOOMERY_API static Result<FuseGeometry> for_capacity(std::uint64_t n, double fpr, std::uint64_t arity = 3);
  // Returns the longest fingerprints with which n keys fit in so many bits. Refuses too few bits, and names how many it
  // takes.
  BLOOMERY_API static Result<FuseGeometry> for_bits_per_key(std::uint64_t n, double bits_per_key,
                                                            std::uint64_t arity = 3);

  // Returns into how many parts n random hashes are cut.
  BLOOMERY_API static std::uint64_t parts_for(std::uint64_t n);
  // Returns this geometry with the window and the slots that parts of at most n keys take.
  BLOOMERY_API FuseGeometry for_part_of(std::uint64_t n) const;
  // Returns the geometry that a build tries when 64 seeds have failed.
  FuseGeometry grown() const {
    FuseGeometry larger = *this;
    larger.slots += slots / 8 + 1;
    return larger;
  }

  // The slots at the end of the ring in which no key begins. Peeling begins there.
  std::uint64_t gap() const { return (arity == 3 ? 3 : 5) * window / 4; }
  std::uint64_t slot_bytes() const { return fingerprint_bits / 8; }
  std::uint64_t cells() const { return parts * slots; }
  std::uint64_t factors_at() const { return cells() * slot_bytes(); }  // eight bytes for each part, after the slots
  std::uint64_t payload_bytes() const { return factors_at() + 8 * parts; }
  std::uint64_t bits() const { return 8 * payload_bytes(); }

  BLOOMERY_API double expected_fill(std::uint64_t n) const;
  BLOOMERY_API double predicted_fpr_after(std::uint64_t n) const;
  double predicted_fpr_at(std::uint64_t keys_in) const { return predicted_fpr_after(keys_in); }
  std::optional<std::uint64_t> estimated_count(std::uint64_t keys_in) const { return keys_in; }

  friend bool operator==(const FuseGeometry&, const FuseGeometry&) = default;
};

}  // namespace BLOOMERY_NAMESPACE
