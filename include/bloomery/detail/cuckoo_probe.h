// The buckets of a cuckoo filter over raw bytes: where a key's fingerprint may lie, four slots compared at once in a
// register, and the search for a path of moves that makes room. spec/cuckoo.md is the definition. Used by CuckooLayout
// and by Shared<CuckooFilter>, which makes the same moves by atomic stores.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "bloomery/detail/bits.h"
#include "bloomery/hash.h"

namespace BLOOMERY_NAMESPACE::detail {

inline constexpr std::uint32_t kCuckooSlots = 4;  // of a bucket

// Hides a constant factor from the compiler, which would make four instructions of the product, shifts and additions.
// Where lookups wait for memory each instruction takes the room of another lookup: a sixth of the time at 10M
// (bench/results/2026-11-18-calls.md).
[[gnu::always_inline]] inline std::uint64_t opaque(std::uint64_t factor) {
  asm("" : "+r"(factor));
  return factor;
}

// Four fingerprints in one little-endian number: slot j is bits j * kBits and up; 0 is an empty slot. A bucket of
// 12-bit fingerprints has 6 bytes, and one load of 8 reads it: the upper 16 bits belong to the next bucket, or to the
// two bytes after the last one. Nothing here looks at those bits or changes them.
template <std::uint32_t kBits>
struct CuckooBucket {
  static_assert(kBits == 8 || kBits == 12 || kBits == 16);
  using Word = std::conditional_t<kBits == 8, std::uint32_t, std::uint64_t>;
  static constexpr std::size_t kBytes = kBits / 2;
  static constexpr std::uint64_t kMask = (std::uint64_t{1} << kBits) - 1;
  static constexpr std::uint64_t kOnes = 1 | std::uint64_t{1} << kBits | std::uint64_t{1} << 2 * kBits |
                                         std::uint64_t{1} << 3 * kBits;  // the lowest bit of each slot
  static constexpr std::uint64_t kHighs = kOnes << (kBits - 1);          // the highest

  BLOOMERY_PER_ISA static std::uint64_t load(const std::uint8_t* bytes, std::uint64_t bucket) {
    return load_le<Word>(bytes + bucket * kBytes);
  }
  BLOOMERY_PER_ISA static void store(std::uint8_t* bytes, std::uint64_t bucket, std::uint64_t slots) {
    store_le(bytes + bucket * kBytes, static_cast<Word>(slots));
  }

  // Not 0 when a slot holds the fingerprint (or, for 0, is empty). The lowest bit set is the highest of the first such
  // slot; those above it may be wrong.
  BLOOMERY_PER_ISA static std::uint64_t match(std::uint64_t slots, std::uint64_t fingerprint) {
    const std::uint64_t differ = slots ^ (fingerprint * kOnes);
    return (differ - kOnes) & ~differ & kHighs;
  }
  BLOOMERY_PER_ISA static std::uint32_t first(std::uint64_t matches) {
    return static_cast<std::uint32_t>(std::countr_zero(matches)) / kBits;
  }
  // How many slots do not hold the fingerprint; exact.
  BLOOMERY_PER_ISA static std::uint32_t others(std::uint64_t slots, std::uint64_t fingerprint) {
    const std::uint64_t differ = slots ^ (fingerprint * kOnes);
    return static_cast<std::uint32_t>(std::popcount((((differ & ~kHighs) + (kHighs - kOnes)) | differ) & kHighs));
  }
  BLOOMERY_PER_ISA static std::uint64_t get(std::uint64_t slots, std::uint32_t slot) {
    return slots >> (slot * kBits) & kMask;
  }
  BLOOMERY_PER_ISA static std::uint64_t with(std::uint64_t slots, std::uint32_t slot, std::uint64_t fingerprint) {
    return (slots & ~(kMask << (slot * kBits))) | fingerprint << (slot * kBits);
  }

  // 1 to 2^kBits - 1, of the low 16 bits of the hash: those that the number of the bucket does not use.
  BLOOMERY_PER_ISA static std::uint64_t fingerprint(Hash hash) {
    return 1 + ((hash.bits & 0xffff) * opaque(kMask) >> 16);
  }
};

// Calls use(CuckooBucket<bits>) for the bits of a checked geometry. Inline in any case: a call would pass `use` by the
// stack, written as vectors and read as words, and a processor cannot hand on such a store before all that is older has
// retired. Lookups that miss the caches then wait for each other (bench/results/2026-11-17-keys.md).
template <class Use>
[[gnu::always_inline]] inline decltype(auto) with_cuckoo_bucket(std::uint32_t bits, Use use) {
  switch (bits) {
    case 8: return use(CuckooBucket<8>());
    case 12: return use(CuckooBucket<12>());
    default: return use(CuckooBucket<16>());
  }
}

// The other bucket of a fingerprint. Both add up to an odd number made of the fingerprint, modulo the even number of
// buckets: so the partner of the partner is the first, and no bucket is its own. The two products and the shift (the
// constants are those of splitmix64) make the sums of different fingerprints unrelated. With one product they would be
// multiples of each other, paths of moves would meet again too soon, and large tables of 8-bit fingerprints would be
// full at a load of 95 to 96 % instead of 97 (tools/cuckoo_load.cc). Always inline, as what a lookup is made of below:
// no copy for another instruction set can be called (compiled_for.h).
[[gnu::always_inline]] inline std::uint64_t cuckoo_partner(std::uint64_t buckets, std::uint64_t bucket,
                                                           std::uint64_t fingerprint) {
  std::uint64_t mixed = fingerprint * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ mixed >> 32) * 0x94d049bb133111eb;
  const std::uint64_t other = (mulhi64(mixed, buckets) | 1) - bucket;
  return std::min(other, other + buckets);  // below 0 it has wrapped around and is the larger
}

// Where a key's fingerprint is or goes.
struct CuckooPlaces {
  std::uint64_t first, second, fingerprint;
};

template <class Bucket>
[[gnu::always_inline]] inline CuckooPlaces cuckoo_places(std::uint64_t buckets, Hash hash) {
  const std::uint64_t first = mulhi64(hash.bits, buckets), fingerprint = Bucket::fingerprint(hash);
  return {first, cuckoo_partner(buckets, first, fingerprint), fingerprint};
}

// Looks into both buckets without a branch between them, so that their lines come at the same time; and in one
// register, which takes a tenth less time where the lines are far (bench/results/2026-11-18-calls.md).
template <class Bucket>
[[gnu::always_inline]] inline bool cuckoo_contains(const std::uint8_t* bytes, const CuckooPlaces& places) {
  using Pair = std::uint64_t __attribute__((vector_size(16)));
  const Pair slots = {Bucket::load(bytes, places.first), Bucket::load(bytes, places.second)};
  const Pair differ = slots ^ (places.fingerprint * opaque(Bucket::kOnes));
  const Pair matches = (differ - Bucket::kOnes) & ~differ & Bucket::kHighs;  // as CuckooBucket::match
  return (matches[0] | matches[1]) != 0;
}

struct CuckooSeat {
  std::uint64_t bucket;
  std::uint32_t slot;
};

// Room for a fingerprint: the seat 0 is empty, what lies in the seat i + 1 may move to the seat i, and the new
// fingerprint goes to the last. No bucket occurs twice.
struct CuckooPath {
  static constexpr std::size_t kMost = 7;
  std::array<CuckooSeat, kMost> seats;
  std::size_t length = 0;  // 0: no room was found

  const CuckooSeat& last() const { return seats[length - 1]; }
};

// Returns the path from the empty seat back to one of the two buckets that the search below begins with. `slot` of
// `node` in that search led to the empty seat.
BLOOMERY_PER_ISA inline CuckooPath cuckoo_path(const CuckooSeat& empty, const std::uint64_t* bucket_of,
                                               std::uint32_t node, std::uint32_t slot) {
  CuckooPath path;
  path.seats[path.length++] = empty;
  for (;; slot = (node - 2) % kCuckooSlots, node = (node - 2) / kCuckooSlots) {
    path.seats[path.length++] = {bucket_of[node], slot};
    if (node < 2) return path;
  }
}

// Remembers the buckets that a search has met, in tables of up to 1024 buckets: there a search that finds nothing would
// meet the same ones again and again. In larger tables it remembers nothing.
class CuckooSeen {
 public:
  BLOOMERY_PER_ISA explicit CuckooSeen(std::uint64_t buckets) : remembers_(buckets <= 64 * kWords) {}

  BLOOMERY_PER_ISA bool again(std::uint64_t bucket) {
    if (!remembers_) return false;
    std::uint64_t& word = words_[bucket / 64];
    const std::uint64_t bit = std::uint64_t{1} << (bucket % 64);
    const bool seen = (word & bit) != 0;
    word |= bit;
    return seen;
  }

 private:
  static constexpr std::size_t kWords = 16;
  bool remembers_;
  std::array<std::uint64_t, kWords> words_{};
};

// Finds the nearest empty slot from a pair of full buckets, by breadth: it looks at the partners of what lies in the
// two, at the partners of what lies in those, and so on, six moves at most. Node i of the tree is the partner of slot
// (i - 2) mod 4 of node (i - 2) / 4. What is found first is the end of a shortest path, so no bucket is on it twice,
// and the moves, made from the empty end, do not disturb each other. A bucket that is met again may be left out,
// because the search goes on from its first occurrence anyway. The search changes nothing, and reads 2730 buckets at
// most.
template <class Bucket, unsigned kIsa = kCompiledFor>
CuckooPath find_cuckoo_path(const std::uint8_t* bytes, std::uint64_t buckets, std::uint64_t first,
                            std::uint64_t second) {
  constexpr std::uint32_t kNodes = 2 + 8 + 32 + 128 + 512;  // whose slots are looked into
  std::array<std::uint64_t, kNodes> bucket_of;
  std::array<std::uint16_t, kNodes> queue;  // the nodes that were not left out
  std::uint32_t queued = 0;
  CuckooSeen seen(buckets);
  const auto meet = [&](std::uint64_t bucket, std::uint32_t node) {
    if (node >= kNodes || seen.again(bucket)) return;
    bucket_of[node] = bucket;
    queue[queued++] = static_cast<std::uint16_t>(node);
  };
  meet(first, 0), meet(second, 1);
  for (std::uint32_t i = 0; i < queued; ++i) {
    const std::uint64_t bucket = bucket_of[queue[i]], slots = Bucket::load(bytes, bucket);
    for (std::uint32_t slot = 0; slot < kCuckooSlots; ++slot) {
      const std::uint64_t next = cuckoo_partner(buckets, bucket, Bucket::get(slots, slot));
      const std::uint64_t room = Bucket::match(Bucket::load(bytes, next), 0);
      if (room != 0) return cuckoo_path({next, Bucket::first(room)}, bucket_of.data(), queue[i], slot);
      meet(next, 2 + kCuckooSlots * queue[i] + slot);
    }
  }
  return {};
}

// Where the fingerprint goes: an empty slot of its first bucket, else of its second, else a path.
template <class Bucket, unsigned kIsa = kCompiledFor>
CuckooPath cuckoo_room(const std::uint8_t* bytes, std::uint64_t buckets, const CuckooPlaces& places) {
  for (const std::uint64_t bucket : {places.first, places.second}) {
    const std::uint64_t room = Bucket::match(Bucket::load(bytes, bucket), 0);
    if (room == 0) continue;
    CuckooPath path;
    path.seats[path.length++] = {bucket, Bucket::first(room)};
    return path;
  }
  return find_cuckoo_path<Bucket>(bytes, buckets, places.first, places.second);
}

}  // namespace BLOOMERY_NAMESPACE::detail
