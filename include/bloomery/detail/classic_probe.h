// The probes of the classic filter over raw bits: one key at a time inline, batches in src/kinds/classic/batch.cc.
// spec/classic.md is the definition of the indexes. Other kinds with these indexes have other cells than bits; what
// only asks whether cells are set is a template over them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "bloomery/detail/remainder.h"
#include "bloomery/export.h"
#include "bloomery/hash.h"

namespace BLOOMERY_NAMESPACE::detail {

// The indexes of one key: (h1 + i*h2) mod m, as r1, r1+r2, r1+2*r2, .. with m subtracted whenever it is reached. Both
// residues are below m, so one subtraction is enough, and the sums are exact.
class ClassicIndexes {
 public:
  ClassicIndexes() = default;  // of no key, unset: a batch has arrays of them to assign
  BLOOMERY_PER_ISA ClassicIndexes(const Remainder& remainder, Hash hash)
      : at_(remainder.of(static_cast<std::uint32_t>(hash.bits))),
        stride_(remainder.of(static_cast<std::uint32_t>(hash.bits >> 32))) {}

  BLOOMERY_PER_ISA std::uint64_t at() const { return at_; }
  // Moves to the next index. While the sum is below m, the difference wraps around and is the larger of the two. The
  // code takes the minimum because clang 14 turns a comparison with m into a branch, which no predictor learns.
  BLOOMERY_PER_ISA void next(std::uint64_t m) {
    const std::uint64_t sum = at_ + stride_;
    at_ = std::min(sum, sum - m);
  }

 private:
  std::uint64_t at_, stride_;
};

BLOOMERY_PER_ISA inline unsigned classic_bit(const std::uint8_t* bits, std::uint64_t index) {
  return (static_cast<unsigned>(bits[index >> 3]) >> (index & 7)) & 1u;
}

// The cells of the classic filter.
struct ClassicCell {
  static constexpr std::uint64_t byte(std::uint64_t index) { return index >> 3; }
  // 1 or 0.
  BLOOMERY_PER_ISA static unsigned is_set(const std::uint8_t* bits, std::uint64_t index) {
    return classic_bit(bits, index);
  }
};

// Returns whether the bit changed, as a number other than 0.
BLOOMERY_PER_ISA inline unsigned classic_set_bit(std::uint8_t* bits, std::uint64_t index) {
  std::uint8_t& byte = bits[index >> 3];
  const unsigned set = byte | (1u << (index & 7));
  const unsigned changed = set ^ byte;
  byte = static_cast<std::uint8_t>(set);
  return changed;
}

// Whether the `count` cells after the one the indexes are at are all set, found without a branch; moves to the last
// one.
template <class Cell, unsigned kIsa = kCompiledFor>
inline unsigned cells_after(const std::uint8_t* bytes, std::uint64_t m, std::uint32_t count, ClassicIndexes& indexes) {
  unsigned set = 1;
  const auto take = [&] {
    indexes.next(m);
    set &= Cell::is_set(bytes, indexes.at());
  };
  for (; count >= 4; count -= 4) take(), take(), take(), take();  // g++ does not unroll the loop itself
  for (; count > 0; --count) take();
  return set;
}

// How many cells a lookup tests before its first branch. One bit of a filter in use is a coin toss, which no branch
// predictor learns. Three bits together are zero somewhere for seven of eight absent keys, so one branch ends those
// lookups and is mostly predicted right. Four would leave out filters with k = 3.
inline constexpr std::uint32_t kClassicTogether = 3;

// Whether the first kClassicTogether cells are all set; moves to the last of them.
template <class Cell, unsigned kIsa = kCompiledFor>
inline unsigned first_cells(const std::uint8_t* bytes, std::uint64_t m, ClassicIndexes& indexes) {
  const unsigned first = Cell::is_set(bytes, indexes.at());
  return first & cells_after<Cell>(bytes, m, kClassicTogether - 1, indexes);
}

// Whether all k cells of a key are set.
template <class Cell, unsigned kIsa = kCompiledFor>
inline bool cells_contain(const std::uint8_t* bytes, const Remainder& remainder, std::uint32_t k, Hash hash) {
  const std::uint64_t m = remainder.divisor();
  ClassicIndexes indexes(remainder, hash);
  std::uint32_t left = k;
  if (k >= kClassicTogether) {
    if (first_cells<Cell>(bytes, m, indexes) == 0) return false;
    left -= kClassicTogether;
    if (left == 0) return true;
    indexes.next(m);
  }
  for (;; indexes.next(m)) {
    if (Cell::is_set(bytes, indexes.at()) == 0) return false;
    if (--left == 0) return true;
  }
}

BLOOMERY_PER_ISA inline bool classic_contains(const std::uint8_t* bits, const Remainder& remainder, std::uint32_t k,
                                              Hash hash) {
  return cells_contain<ClassicCell>(bits, remainder, k, hash);
}

// Returns whether any bit changed.
BLOOMERY_PER_ISA inline bool classic_add(std::uint8_t* bits, const Remainder& remainder, std::uint32_t k, Hash hash) {
  const std::uint64_t m = remainder.divisor();
  ClassicIndexes indexes(remainder, hash);
  unsigned changed = 0;
  for (std::uint32_t left = k; left > 0; --left, indexes.next(m)) changed |= classic_set_bit(bits, indexes.at());
  return changed != 0;
}

// answers[i] = 1 when hashes[i] may be present, else 0; several keys are in flight at once.
BLOOMERY_API void classic_contains_many(const std::uint8_t* bits, const Remainder& remainder, std::uint32_t k,
                                        std::span<const Hash> hashes, std::uint8_t* answers);
BLOOMERY_API void classic_add_many(std::uint8_t* bits, const Remainder& remainder, std::uint32_t k,
                                   std::span<const Hash> hashes);

}  // namespace BLOOMERY_NAMESPACE::detail
