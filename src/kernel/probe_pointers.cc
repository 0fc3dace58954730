// The pointers behind split_probe, block_probe, split_set, block_set and its shared twin. They start at a function that
// asks the CPU, puts the right one in its place and answers, so that a probe works from the first instruction of a
// program on, before any constructor has run.
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

}  // namespace BLOOMERY_NAMESPACE::detail
