// The loop of every kernel: walks over the hashes, prefetches the blocks of keys to come, and hands each key with its
// block to `body`. Internal to each file that includes it (see kernel.h), so nothing here may leave it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/kernel.h"

namespace {

constexpr std::size_t kRing = bloomery::kernel::kMostAhead + 1;

struct SplitOffset {
  std::uint64_t blocks;
  std::uint64_t operator()(std::uint64_t hash) const { return (((hash >> 32) * blocks) >> 32) * 32; }
};

struct BlockOffset {
  std::uint64_t blocks;
  std::uint64_t operator()(std::uint64_t hash) const {
#ifdef __SIZEOF_INT128__
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(hash) * blocks) >> 64) * 64;
#else  // 32 bits: the product of halves, as in detail/wide.h
    const std::uint64_t h0 = hash & 0xffffffff, h1 = hash >> 32, b0 = blocks & 0xffffffff, b1 = blocks >> 32;
    const std::uint64_t middle = h1 * b0 + (h0 * b0 >> 32), other = h0 * b1 + (middle & 0xffffffff);
    return (h1 * b1 + (middle >> 32) + (other >> 32)) * 64;
#endif
  }
};

// kWrite: whether the block will be written to. An offset is computed once, when its block is prefetched, and waits in
// a ring until its turn.
template <bool kWrite, class Offset, class Body>
inline void for_each_block(const std::uint8_t* bytes, const bloomery::kernel::Batch& batch, Offset offset, Body body) {
  const std::uint64_t* hashes = batch.hashes;
  if (batch.ahead == 0) {
    for (std::size_t i = 0; i < batch.count; ++i) body(i, offset(hashes[i]), hashes[i]);
    return;
  }
  std::uint64_t ring[kRing];
  const std::size_t lead = batch.ahead < batch.count ? batch.ahead : batch.count;
  for (std::size_t i = 0; i < lead; ++i) {
    ring[i] = offset(hashes[i]);
    __builtin_prefetch(bytes + ring[i], kWrite ? 1 : 0);
  }
  std::size_t i = 0;
  for (; i + lead < batch.count; ++i) {
    const std::uint64_t coming = offset(hashes[i + lead]);
    __builtin_prefetch(bytes + coming, kWrite ? 1 : 0);
    body(i, ring[i % kRing], hashes[i]);
    ring[(i + lead) % kRing] = coming;
  }
  for (; i < batch.count; ++i) body(i, ring[i % kRing], hashes[i]);
}

// A Probe has contains(block, hash) and add(block, hash); these turn it into the functions of a Kernel.
template <class Offset, class Probe>
inline void contains_all(const std::uint8_t* bytes, const bloomery::kernel::Batch& batch, Probe probe,
                         std::uint8_t* answers) {
  for_each_block<false>(bytes, batch, Offset{batch.blocks}, [&](std::size_t i, std::uint64_t at, std::uint64_t hash) {
    answers[i] = probe.contains(bytes + at, hash) ? 1 : 0;
  });
}

template <class Offset, class Probe>
inline void add_all(std::uint8_t* bytes, const bloomery::kernel::Batch& batch, Probe probe) {
  for_each_block<true>(bytes, batch, Offset{batch.blocks},
                       [&](std::size_t, std::uint64_t at, std::uint64_t hash) { probe.add(bytes + at, hash); });
}

}  // namespace
