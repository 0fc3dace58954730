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
      : at_(remainder.of(static_cast<std::uint32_t>(hash.bits))),
        stride_(remainder.of(static_cast<std::uint32_t>(hash.bits >> 32))) {}

  std::uint64_t at() const { return at_; }
  // Below m the difference wraps around and is the larger. Written as a comparison with m, clang makes it a branch that
  // is mispredicted half of the time and more than doubles the cost of a lookup.
  void next(std::uint64_t m) {
    const std::uint64_t sum = at_ + stride_;
    at_ = std::min(sum, sum - m);
  }

 private:
  std::uint64_t at_ = 0, stride_ = 0;
};

inline unsigned classic_bit(const std::uint8_t* bits, std::uint64_t index) {
  return (static_cast<unsigned>(bits[index >> 3]) >> (index & 7)) & 1u;
}

// Whether the next `count` bits of a key are all set, found without a branch; the indexes move past them.
inline unsigned classic_bits(const std::uint8_t* bits, std::uint64_t m, std::uint32_t count, ClassicIndexes& indexes) {
  unsigned set = 1;
  for (std::uint32_t i = 0; i < count; ++i, indexes.next(m)) set &= classic_bit(bits, indexes.at());
  return set;
}

// A bit of a filter in use is a coin toss, which no branch predictor learns. Three tosses at once end seven of eight
// lookups of absent keys behind one branch that is mostly right: 16 ns instead of 30 at n = 100k, and the two lines more
// that this reads still pay at n = 100M (94 instead of 106 ns). Four were no better, and leave out k = 3.
inline constexpr std::uint32_t kClassicTogether = 3;

inline bool classic_contains(const std::uint8_t* bits, const Remainder& remainder, std::uint32_t k, Hash hash) {
  const std::uint64_t m = remainder.divisor();
  ClassicIndexes indexes(remainder, hash);
  std::uint32_t left = k;
  if (left >= kClassicTogether) {
    if (classic_bits(bits, m, kClassicTogether, indexes) == 0) return false;
    left -= kClassicTogether;
  }
  for (; left > 0; --left, indexes.next(m))
    if (classic_bit(bits, indexes.at()) == 0) return false;
  return true;
}

// Returns whether any bit changed.
inline bool classic_add(std::uint8_t* bits, const Remainder& remainder, std::uint32_t k, Hash hash) {
  const std::uint64_t m = remainder.divisor();
  ClassicIndexes indexes(remainder, hash);
  unsigned changed = 0;
  for (std::uint32_t left = k; left > 0; --left, indexes.next(m)) {
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
