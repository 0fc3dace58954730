// The probes of the classic filter over raw bits: one key at a time inline, batches in src/filter/classic_batch.cc.
// spec/classic.md is the definition of the indexes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "bloomery/detail/remainder.h"
#include "bloomery/export.h"
#include "bloomery/hash.h"

namespace bloomery::detail {

// The indexes of one key: (h1 + i*h2) mod m, as r1, r1+r2, r1+2*r2, .. with m subtracted whenever it is reached. Both
// residues are below m, so one subtraction is enough, and the sums are exact.
class ClassicIndexes {
 public:
  ClassicIndexes() = default;  // of no key: to be assigned
  ClassicIndexes(const Remainder& remainder, Hash hash)
      : m_(remainder.divisor()),
        at_(remainder.of(static_cast<std::uint32_t>(hash.bits))),
        stride_(remainder.of(static_cast<std::uint32_t>(hash.bits >> 32))) {}

  std::uint64_t at() const { return at_; }
  void next() {
    const std::uint64_t sum = at_ + stride_;
    at_ = std::min(sum, sum - m_);  // below m the difference wraps around and is the larger
  }

 private:
  std::uint64_t m_ = 1, at_ = 0, stride_ = 0;
};

inline unsigned classic_bit(const std::uint8_t* bits, std::uint64_t index) {
  return (static_cast<unsigned>(bits[index >> 3]) >> (index & 7)) & 1u;
}

inline bool classic_contains(const std::uint8_t* bits, const Remainder& remainder, std::uint32_t k, Hash hash) {
  ClassicIndexes indexes(remainder, hash);
  for (std::uint32_t left = k;;) {
    if (classic_bit(bits, indexes.at()) == 0) return false;
    if (--left == 0) return true;
    indexes.next();
  }
}

// Returns whether any bit changed.
inline bool classic_add(std::uint8_t* bits, const Remainder& remainder, std::uint32_t k, Hash hash) {
  ClassicIndexes indexes(remainder, hash);
  unsigned changed = 0;
  for (std::uint32_t left = k; left > 0; --left, indexes.next()) {
    std::uint8_t& byte = bits[indexes.at() >> 3];
    const unsigned set = byte | (1u << (indexes.at() & 7));
    changed |= set ^ byte;
    byte = static_cast<std::uint8_t>(set);
  }
  return changed != 0;
}

// answers[i] = 1 when hashes[i] may be present, else 0; several keys are in flight at once.
BLOOMERY_API void classic_contains_many(const std::uint8_t* bits, const Remainder& remainder, std::uint32_t k,
                                        std::span<const Hash> hashes, std::uint8_t* answers);
BLOOMERY_API void classic_add_many(std::uint8_t* bits, const Remainder& remainder, std::uint32_t k,
                                   std::span<const Hash> hashes);

}  // namespace bloomery::detail
