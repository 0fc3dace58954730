// The batches of split and block filters: the kernel of the machine, with the prefetch distance that fits the filter.
#include <algorithm>

#include "bloomery/detail/batch.h"
#include "bloomery/detail/blocked_probe.h"
#include "bloomery/detail/bulk_add.h"
#include "bloomery/detail/shared_probe.h"
#include "kernel/caches.h"
#include "kernel/kernel.h"

namespace BLOOMERY_NAMESPACE::detail {
namespace {

static_assert(sizeof(Hash) == sizeof(std::uint64_t) && alignof(Hash) == alignof(std::uint64_t));

kernel::Batch batch_of(std::uint64_t blocks, std::uint32_t k, std::uint64_t bytes, std::span<const Hash> hashes) {
  // A Hash is its 64 bits and nothing else. There may be none, and then no first one either.
  const auto* bits = reinterpret_cast<const std::uint64_t*>(hashes.data());
  return {blocks, k, bits, hashes.size(), kernel::prefetch_ahead(bytes)};
}

}  // namespace

void split_contains_many(const std::uint8_t* bytes, std::uint64_t blocks, std::span<const Hash> hashes,
                         std::uint8_t* answers) {
  kernel::active().split_contains(bytes, batch_of(blocks, 0, 32 * blocks, hashes), answers);
}
void split_add_many(std::uint8_t* bytes, std::uint64_t blocks, std::span<const Hash> hashes) {
  if (worth_sorting(32 * blocks, hashes.size()) && split_bulk_add(bytes, blocks, key_run({}, hashes), 1).ok()) return;
  kernel::active().split_add(bytes, batch_of(blocks, 0, 32 * blocks, hashes));
}
void block_contains_many(const std::uint8_t* bytes, std::uint64_t blocks, std::uint32_t k, std::span<const Hash> hashes,
                         std::uint8_t* answers) {
  kernel::active().block_contains(bytes, batch_of(blocks, k, 64 * blocks, hashes), answers);
}
void block_add_many(std::uint8_t* bytes, std::uint64_t blocks, std::uint32_t k, std::span<const Hash> hashes) {
  if (worth_sorting(64 * blocks, hashes.size()) && block_bulk_add(bytes, blocks, k, key_run({}, hashes), 1).ok())
    return;
  kernel::active().block_add(bytes, batch_of(blocks, k, 64 * blocks, hashes));
}
// Fetches ahead even where the filter is in the near caches: no load gets past an atomic instruction.
void block_add_many_shared(std::uint8_t* bytes, std::uint64_t blocks, std::uint32_t k, std::span<const Hash> hashes) {
  constexpr unsigned kLeast = 16;
  kernel::Batch batch = batch_of(blocks, k, 64 * blocks, hashes);
  batch.ahead = std::max(batch.ahead, kLeast);
  kernel::active().block_add_shared(bytes, batch);
}

}  // namespace BLOOMERY_NAMESPACE::detail
