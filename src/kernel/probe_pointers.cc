// The pointers behind split_probe, block_probe, split_set, block_set and its shared twin, and those of integer keys.
// They start at a function that asks the CPU, puts the right one in its place and answers, so that a probe works from
// the first instruction of a program on, before any constructor has run.
#include "bloomery/detail/blocked_probe.h"
#include "bloomery/detail/shared_probe.h"
#include "kernel/kernel.h"

namespace BLOOMERY_NAMESPACE::detail {
namespace {

bool first_split_probe(const std::uint8_t* block, const std::uint64_t& hash) {
  const SplitProbe probe = kernel::active().split_contains_stored;
  g_split_probe.store(probe);
  return probe(block, hash);
}

bool first_block_probe(const std::uint8_t* block, std::uint32_t k, std::uint64_t hash) {
  const BlockProbe probe = kernel::active().block_contains_one;
  g_block_probe.store(probe);
  return probe(block, k, hash);
}

bool first_split_add(std::uint8_t* block, std::uint64_t hash) {
  const SplitAdd add = kernel::active().split_add_one;
  g_split_add.store(add);
  return add(block, hash);
}

bool first_block_add(std::uint8_t* block, std::uint32_t k, std::uint64_t hash) {
  const BlockAdd add = kernel::active().block_add_one;
  g_block_add.store(add);
  return add(block, k, hash);
}

bool first_block_add_shared(std::uint8_t* block, std::uint32_t k, std::uint64_t hash) {
  const BlockAdd add = kernel::active().block_add_shared_one;
  g_block_add_shared.store(add);
  return add(block, k, hash);
}

}  // namespace

constinit RelaxedPointer<SplitProbe> g_split_probe = first_split_probe;
constinit RelaxedPointer<BlockProbe> g_block_probe = first_block_probe;
constinit RelaxedPointer<SplitAdd> g_split_add = first_split_add;
constinit RelaxedPointer<BlockAdd> g_block_add = first_block_add;
constinit RelaxedPointer<BlockAdd> g_block_add_shared = first_block_add_shared;

// By the number of the hash: the functions of the kernel begin with that of fnv_splitmix.
static_assert(static_cast<std::size_t>(HashId::fnv_splitmix) == 1 && static_cast<std::size_t>(HashId::xxh3) == 2 &&
              static_cast<std::size_t>(HashId::xxh64) == 3);

bool split_contains_integer(const std::uint8_t* bytes, std::uint64_t blocks, const Hasher& hasher, std::uint64_t key) {
  const kernel::SplitIntegerLookups& lookups = kernel::active().split_contains_integer;
  const auto number = static_cast<std::size_t>(hasher.id()) - 1;
  if (number < lookups.size()) return lookups[number](bytes, blocks, hasher.integer_start(), key);
  const Hash hash = hasher(key);
  return g_split_probe.load()(bytes + split_offset(blocks, hash), hash.bits);
}

bool block_contains_integer(const std::uint8_t* bytes, std::uint64_t blocks, std::uint32_t k, const Hasher& hasher,
                            std::uint64_t key) {
  const kernel::BlockIntegerLookups& lookups = kernel::active().block_contains_integer;
  const auto number = static_cast<std::size_t>(hasher.id()) - 1;
  if (number < lookups.size()) return lookups[number](bytes, blocks, k, hasher.integer_start(), key);
  const Hash hash = hasher(key);
  return g_block_probe.load()(bytes + block_offset(blocks, hash), k, hash.bits);
}

}  // namespace BLOOMERY_NAMESPACE::detail
