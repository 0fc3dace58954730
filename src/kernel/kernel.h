// The batch probes of the split and block filters and the work on whole ranges, once per instruction set. `scalar` is
// the definition; the others are held to its bits by test and fuzzer. Each lives in a file of its own, compiled with
// its own flags, that shares no inline function with anybody: a copy compiled for AVX2 must never win at link time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bloomery::kernel {

// A run of hashes against the blocks of one filter. `ahead`: how many keys ahead the block is prefetched, at most
// kMostAhead; 0 for a filter that is in the near caches anyway.
struct Batch {
  std::uint64_t blocks;
  std::uint32_t k;  // block only
  const std::uint64_t* hashes;
  std::size_t count;
  unsigned ahead;
};
inline constexpr unsigned kMostAhead = 127;

using BatchLookup = void (*)(const std::uint8_t* bytes, const Batch& batch, std::uint8_t* answers);

struct Kernel {
  const char* name;
  // Whether its batches have so many keys in flight that blocks in the second-level cache need no prefetch.
  bool covers_l2;
  bool (*split_contains_one)(const std::uint8_t* block, std::uint64_t hash);
  bool (*block_contains_one)(const std::uint8_t* block, std::uint32_t k, std::uint64_t hash);
  // Whether the block changed.
  bool (*split_add_one)(std::uint8_t* block, std::uint64_t hash);
  bool (*block_add_one)(std::uint8_t* block, std::uint32_t k, std::uint64_t hash);
  BatchLookup split_contains;
  void (*split_add)(std::uint8_t* bytes, const Batch& batch);
  BatchLookup block_contains;
  void (*block_add)(std::uint8_t* bytes, const Batch& batch);
  // Any bytes, of any kind: their set bits; into |= from; into &= from.
  std::uint64_t (*bits_set)(const std::uint8_t* bytes, std::size_t size);
  void (*unite)(std::uint8_t* into, const std::uint8_t* from, std::size_t size);
  void (*intersect)(std::uint8_t* into, const std::uint8_t* from, std::size_t size);
};

extern const Kernel kScalar;
// nullptr where this build has no such code.
const Kernel* neon();
const Kernel* avx2();
const Kernel* avx512();
BatchLookup avx512vbmi_block_contains();  // the one function in which avx512vbmi differs from avx512

// Those this machine can run, scalar first and the best last.
std::vector<const Kernel*> available();

// The one in use: the best, or the one BLOOMERY_ISA names. An unknown or impossible name there means scalar, the one
// that is always right; forced_isa_problem() then says what is wrong.
const Kernel& active();
const char* forced_isa_problem();

}  // namespace bloomery::kernel
