// The batch probes of the split, block, ribbon and cuckoo filters and the work on whole ranges, once per instruction
// set. `scalar` is the definition; the others are held to its bits by test and fuzzer. Each lives in a file of its own,
// compiled with its own flags, that shares no inline function with anybody: a copy compiled for AVX2 must never win at
// link time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::kernel {

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

// Windows of a ribbon filter: where they begin, and the coefficients of their keys. A window has `most` columns, at
// most 16, or one less, or none. The 8 bytes after its end can be read, and the 16 bytes from its beginning, even where
// it is shorter. `soon` holds where as many windows of a later run begin: of each, the first byte and the byte `reach`
// further on are fetched meanwhile, window by window, because a processor has room for few fetches at once.
struct RibbonRun {
  const std::uint8_t* const* from;
  const std::uint64_t* coefficients;
  const std::uint32_t* columns;
  std::size_t count;
  const std::uint8_t* const* soon;
  std::size_t reach;
  std::uint32_t most;
};

// A layer of a ribbon filter: its first byte, and what detail::RibbonLayer says of it. Less than 2^31 starts, and more
// than none.
struct RibbonPlan {
  const std::uint8_t* layer;
  std::uint64_t starts, cut, low, high;  // low, high: where the groups below the cut begin, and those from it on
  std::uint32_t columns;
};
// Where windows are written to, with the meanings of RibbonRun.
struct RibbonWindows {
  const std::uint8_t** from;
  std::uint64_t* coefficients;
  std::uint32_t* columns;
};

// Finds the windows of at most 64 keys by their places in the layer; a key that the layer has bumped gets 0 columns.
// Returns the bumped keys, a bit each.
std::uint64_t ribbon_windows_scalar(const RibbonPlan& plan, const std::uint64_t* places, std::size_t count,
                                    const RibbonWindows& into);
// Sets answers[i] to 1 where all equations of window i hold, as they do in one without columns; else to 0.
void ribbon_matches_scalar(const RibbonRun& run, std::uint8_t* answers);

// Add to a block filter that other threads add to and ask meanwhile: bits are set by atomic instructions, unless they
// are set already. The first returns whether it saw a bit unset.
bool block_add_shared_one_scalar(std::uint8_t* block, std::uint32_t k, std::uint64_t hash);
void block_add_shared_scalar(std::uint8_t* bytes, const Batch& batch);

// A run of hashes against the buckets of a cuckoo filter with fingerprints of `bits` bits and less than 2^32 buckets.
// `fetch` says that the lines are far away, and to be fetched some keys ahead.
struct CuckooBatch {
  std::uint64_t buckets;
  std::uint32_t bits;
  const std::uint64_t* hashes;
  std::size_t count;
  bool fetch;
};
using CuckooLookup = void (*)(const std::uint8_t* bytes, const CuckooBatch& batch, std::uint8_t* answers);

// Hashes of integer keys (spec/hash.md). `start` is Hasher::integer_start(). `out` may be `keys`.
using IntegerHashes = void (*)(const std::uint64_t* keys, std::size_t count, std::uint64_t start, std::uint64_t* out);
struct IntegerHashing {
  IntegerHashes xxh3, xxh64, fnv_splitmix;
};

using BatchLookup = void (*)(const std::uint8_t* bytes, const Batch& batch, std::uint8_t* answers);

struct Kernel {
  const char* name;
  // Whether its batches have so many keys in flight that blocks in the second-level cache need no prefetch.
  bool covers_l2;
  // Takes a hash that lies in memory: a load fills all lanes of a vector, where one from a register needs a shuffle.
  bool (*split_contains_stored)(const std::uint8_t* block, const std::uint64_t& hash);
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
  IntegerHashing hashing;
  decltype(&ribbon_windows_scalar) ribbon_windows = ribbon_windows_scalar;
  decltype(&ribbon_matches_scalar) ribbon_matches = ribbon_matches_scalar;
  decltype(&block_add_shared_one_scalar) block_add_shared_one = block_add_shared_one_scalar;
  decltype(&block_add_shared_scalar) block_add_shared = block_add_shared_scalar;
  CuckooLookup cuckoo_contains = nullptr;  // nullptr: one key after the other is as good
};

extern const Kernel kScalar;
// nullptr where this build has no such code.
const Kernel* neon();
const Kernel* avx2();
const Kernel* avx512();
const Kernel* avx512vbmi();  // with GFNI
// Parts of avx2() and avx512(), which exist only where those do. avx512() has the shared adds of avx2(), which are
// faster than any by wider registers.
std::uint64_t avx2_ribbon_windows(const RibbonPlan& plan, const std::uint64_t* places, std::size_t count,
                                  const RibbonWindows& into);
void avx2_ribbon_matches(const RibbonRun& run, std::uint8_t* answers);
std::uint64_t avx512_ribbon_windows(const RibbonPlan& plan, const std::uint64_t* places, std::size_t count,
                                    const RibbonWindows& into);
void avx512_ribbon_matches(const RibbonRun& run, std::uint8_t* answers);
bool avx2_block_add_shared_one(std::uint8_t* block, std::uint32_t k, std::uint64_t hash);
void avx2_block_add_shared(std::uint8_t* bytes, const Batch& batch);
void avx2_cuckoo_contains(const std::uint8_t* bytes, const CuckooBatch& batch, std::uint8_t* answers);
void avx512_cuckoo_contains(const std::uint8_t* bytes, const CuckooBatch& batch, std::uint8_t* answers);

// The kernels that this machine can run, scalar first and the best last.
std::vector<const Kernel*> available();

// The one in use: the best, or the one BLOOMERY_ISA names. An unknown or impossible name there means scalar, the one
// that is always right; forced_isa_problem() then says what is wrong.
const Kernel& active();
const char* forced_isa_problem();

}  // namespace BLOOMERY_NAMESPACE::kernel
