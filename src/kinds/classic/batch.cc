// The batches of the classic filter: lookups in rounds (batch.h), and adds in the same way.
#include "kinds/classic/batch.h"

namespace BLOOMERY_NAMESPACE::detail {
namespace {

// Rounds for adding, where every key stays to the end: faster than fetching all lines of a key at once, because fewer
// lines are on their way together.
void add_far(std::uint8_t* bits, Remainder remainder, std::uint32_t k, std::span<const Hash> hashes) {
  const std::uint64_t m = remainder.divisor();
  ClassicIndexes pending[rounds::kGroup];
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    pending[i] = ClassicIndexes(remainder, hashes[i]);
    __builtin_prefetch(bits + (pending[i].at() >> 3), 1);
  }
  for (std::uint32_t bit = 1; bit <= k; ++bit) {
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      ClassicIndexes indexes = pending[i];
      classic_set_bit(bits, indexes.at());
      indexes.next(m);
      if (bit < k) __builtin_prefetch(bits + (indexes.at() >> 3), 1);
      pending[i] = indexes;
    }
  }
}

void add_near(std::uint8_t* bits, Remainder remainder, std::uint32_t k, std::span<const Hash> hashes) {
  for (Hash hash : hashes) classic_add(bits, remainder, k, hash);
}

}  // namespace

void classic_contains_many(const std::uint8_t* bits, const Remainder& remainder, std::uint32_t k,
                           std::span<const Hash> hashes, std::uint8_t* answers) {
  rounds::cells_contain_many<ClassicCell>(bits, remainder, k, hashes, answers);
}

void classic_add_many(std::uint8_t* bits, const Remainder& remainder, std::uint32_t k, std::span<const Hash> hashes) {
  const auto add = rounds::is_far<ClassicCell>(remainder.divisor()) ? add_far : add_near;
  rounds::for_groups(hashes, [&](std::span<const Hash> group, std::size_t) { add(bits, remainder, k, group); });
}

}  // namespace BLOOMERY_NAMESPACE::detail
