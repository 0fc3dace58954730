// The pointers behind split_probe and block_probe. They start at a function that asks the CPU, puts the right one in
// its place and answers, so that a probe works from the first instruction of a program on, before any constructor has
// run.
#include "bloomery/detail/blocked_probe.h"
#include "kernel/kernel.h"

namespace bloomery::detail {
namespace {

bool first_split_probe(const std::uint8_t* block, std::uint64_t hash) {
  const SplitProbe probe = kernel::active().split_contains_one;
  g_split_probe.store(probe, std::memory_order_relaxed);
  return probe(block, hash);
}

bool first_block_probe(const std::uint8_t* block, std::uint32_t k, std::uint64_t hash) {
  const BlockProbe probe = kernel::active().block_contains_one;
  g_block_probe.store(probe, std::memory_order_relaxed);
  return probe(block, k, hash);
}

}  // namespace

constinit std::atomic<SplitProbe> g_split_probe = first_split_probe;
constinit std::atomic<BlockProbe> g_block_probe = first_block_probe;

}  // namespace bloomery::detail
