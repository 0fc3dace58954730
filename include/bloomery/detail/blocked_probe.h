// The probes of the split and block filters over raw blocks: spec/split.md and spec/block.md as plain C++, and the
// doors to the layer kernel, which does the same by the best instructions of the machine at hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/detail/bits.h"
#include "bloomery/detail/compiled_for.h"
#include "bloomery/detail/salts.h"
#include "bloomery/export.h"
#include "bloomery/hash.h"
#ifdef __AVX2__
#include "bloomery/detail/avx2_probe.h"
#endif

namespace BLOOMERY_NAMESPACE::detail {

// Always inline: no copy of them for another instruction set can be called (compiled_for.h).
[[gnu::always_inline]] inline std::uint64_t split_offset(std::uint64_t blocks, Hash hash) {
  return (((hash.bits >> 32) * blocks) >> 32) * 32;
}
[[gnu::always_inline]] inline std::uint64_t block_offset(std::uint64_t blocks, Hash hash) {
  return mulhi64(hash.bits, blocks) * 64;
}

// Without a branch: the bits of an absent key are coin tosses, and a mispredicted one costs more than all of them.
BLOOMERY_PER_ISA inline bool split_contains(const std::uint8_t* block, Hash hash) {
  std::uint32_t all = 1;
  for (std::size_t i = 0; i < 8; ++i)
    all &= load_le<std::uint32_t>(block + 4 * i) >> ((static_cast<std::uint32_t>(hash.bits) * kSalt[i]) >> 27);
  return (all & 1) != 0;
}

BLOOMERY_PER_ISA inline bool split_add(std::uint8_t* block, Hash hash) {
  std::uint32_t changed = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    const std::uint32_t word = load_le<std::uint32_t>(block + 4 * i);
    const std::uint32_t bit = std::uint32_t{1} << ((static_cast<std::uint32_t>(hash.bits) * kSalt[i]) >> 27);
    changed |= bit & ~word;
    store_le(block + 4 * i, word | bit);
  }
  return changed != 0;
}

BLOOMERY_PER_ISA inline bool block_contains(const std::uint8_t* block, std::uint32_t k, Hash hash) {
  std::uint32_t all = 1;
  for (std::uint32_t i = 0; i < k; ++i) {
    const std::uint32_t p = (static_cast<std::uint32_t>(hash.bits) * kSalt[i]) >> 23;
    all &= static_cast<std::uint32_t>(block[p >> 3]) >> (p & 7);
  }
  return (all & 1) != 0;
}

BLOOMERY_PER_ISA inline bool block_add(std::uint8_t* block, std::uint32_t k, Hash hash) {
  unsigned changed = 0;
  for (std::uint32_t i = 0; i < k; ++i) {
    const std::uint32_t p = (static_cast<std::uint32_t>(hash.bits) * kSalt[i]) >> 23;
    const unsigned byte = block[p >> 3], set = byte | (1u << (p & 7));
    changed |= byte ^ set;
    block[p >> 3] = static_cast<std::uint8_t>(set);
  }
  return changed != 0;
}

// Probes of one key by the kernel of this machine, through a pointer. The call costs less than it saves: the x86-64
// that every machine has cannot shift the parts of a vector by different numbers. `bloomery_bench --only keys` shows
// both beside the ceiling of one random line. The probe of split is so short that it takes the hash where it lies
// (kernel.h says why).
using SplitProbe = bool (*)(const std::uint8_t* block, const std::uint64_t& hash);
using BlockProbe = bool (*)(const std::uint8_t* block, std::uint32_t k, std::uint64_t hash);
using SplitAdd = bool (*)(std::uint8_t* block, std::uint64_t hash);
using BlockAdd = bool (*)(std::uint8_t* block, std::uint32_t k, std::uint64_t hash);

// A pointer to a function that any thread may read and replace: a relaxed std::atomic, without <atomic>, which is a
// large header for every program that includes <bloomery/block.h>.
template <class Function>
class RelaxedPointer {
 public:
  constexpr RelaxedPointer(Function function) : function_(function) {}
  Function load() const { return __atomic_load_n(&function_, __ATOMIC_RELAXED); }
  void store(Function function) { __atomic_store_n(&function_, function, __ATOMIC_RELAXED); }

 private:
  Function function_;
};
extern BLOOMERY_API RelaxedPointer<SplitProbe> g_split_probe;
extern BLOOMERY_API RelaxedPointer<BlockProbe> g_block_probe;
extern BLOOMERY_API RelaxedPointer<SplitAdd> g_split_add;
extern BLOOMERY_API RelaxedPointer<BlockAdd> g_block_add;

// In a program that is compiled for AVX2 the probe is inline; elsewhere it is the call.
template <unsigned kIsa>
inline bool split_probe(const std::uint8_t* bytes, std::uint64_t blocks, const Hash& hash) {
#ifdef __AVX2__
  return split_contains_avx2<kIsa>(bytes, blocks, hash.bits);
#else
  return g_split_probe.load()(bytes + split_offset(blocks, hash), hash.bits);
#endif
}
template <unsigned kIsa>
inline bool block_probe(const std::uint8_t* block, std::uint32_t k, const Hash& hash) {
#ifdef __AVX2__
  return block_contains_avx2<kIsa>(block, k, hash.bits);
#else
  return g_block_probe.load()(block, k, hash.bits);
#endif
}
// Return whether the block changed.
BLOOMERY_PER_ISA inline bool split_set(std::uint8_t* block, Hash hash) { return g_split_add.load()(block, hash.bits); }
BLOOMERY_PER_ISA inline bool block_set(std::uint8_t* block, std::uint32_t k, Hash hash) {
  return g_block_add.load()(block, k, hash.bits);
}

// answers[i] = 1 when hashes[i] may be present, else 0.
BLOOMERY_API void split_contains_many(const std::uint8_t* bytes, std::uint64_t blocks, std::span<const Hash> hashes,
                                      std::uint8_t* answers);
BLOOMERY_API void split_add_many(std::uint8_t* bytes, std::uint64_t blocks, std::span<const Hash> hashes);
BLOOMERY_API void block_contains_many(const std::uint8_t* bytes, std::uint64_t blocks, std::uint32_t k,
                                      std::span<const Hash> hashes, std::uint8_t* answers);
BLOOMERY_API void block_add_many(std::uint8_t* bytes, std::uint64_t blocks, std::uint32_t k,
                                 std::span<const Hash> hashes);

}  // namespace BLOOMERY_NAMESPACE::detail
