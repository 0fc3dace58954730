// The buckets of a cuckoo filter as atomic words, which threads that share one read and change without a lock. Every
// change is one read-modify-write of the word that a slot lies in, so it leaves the neighbours as they are. A slot of
// 12 bits may lie in two words, "split": it takes two such steps, and the lock of its bucket. Used by cuckoo_writer.h
// and shared_cuckoo.cc.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "bloomery/detail/cuckoo_probe.h"
#include "bloomery/geometry/cuckoo.h"
#include "live/fetch.h"

namespace BLOOMERY_NAMESPACE::detail {

// Words of 8 bytes, or of 4 where buckets of 12 bits do not fill words of 8. Two of 16 slots of 12 bits lie in two
// words of 8, four in two words of 4.
template <class Plain, class Word = std::uint64_t>
struct AtomicBucket : Plain {
  static constexpr std::uint32_t kBits = 2 * Plain::kBytes;
  static constexpr std::uint64_t kWordBits = 8 * sizeof(Word);
  static_assert(std::is_same_v<Word, std::uint64_t> || (std::is_same_v<Word, std::uint32_t> && kBits == 12));

  // All loads are acquire, all changes release: what came before a change is seen with it. As in the plain bucket, bits
  // of others may stand above its own.
  static std::uint64_t load(const std::uint8_t* bytes, std::uint64_t bucket) {
    const std::uint64_t at = position(bucket, 0), low = word(bytes, at).load(std::memory_order_acquire);
    if constexpr (kBits != 12) return low >> at % 64;
    const std::uint64_t high = word(bytes, at + 47).load(std::memory_order_acquire);
    if constexpr (kWordBits == 32) return (low | high << 32) >> at % 32;
    return low >> at % 64 | high << 1 << (63 - at % 64);  // the second part is above the bucket where both are one word
  }

  // Returns what seems to lie in the bucket, for callers that look again before they change anything. Buckets of 12
  // bits take one load instead of two, where there is such a load.
  static std::uint64_t glance(const std::uint8_t* bytes, std::uint64_t bucket) {
    if constexpr (kBits == 12 && kCanGlance) return detail::glance(bytes + bucket * Plain::kBytes);
    else return load(bytes, bucket);
  }

  // The position of a slot is that of its lowest bit; the functions below name slots by it.
  static constexpr std::uint64_t position(std::uint64_t bucket, std::uint32_t slot) {
    return (kCuckooSlots * bucket + slot) * kBits;
  }
  // Returns the position of the first slot that a match in its bucket has found.
  static std::uint64_t first_position(std::uint64_t bucket, std::uint64_t matches) {
    return position(bucket, 0) + static_cast<std::uint64_t>(std::countr_zero(matches)) - (kBits - 1);
  }
  // Whether the slot lies in two words. Then it is read and changed under the lock of its bucket.
  static constexpr bool is_split(std::uint64_t at) { return kBits == 12 && at % kWordBits > kWordBits - kBits; }
  static constexpr bool has_split(std::uint64_t bucket) {
    bool has = false;
    for (std::uint32_t slot = 0; slot < kCuckooSlots; ++slot) has = has || is_split(position(bucket, slot));
    return has;
  }

  // Returns the slot alone. It is an acquire, as load is.
  static std::uint64_t get_at(const std::uint8_t* bytes, std::uint64_t at) {
    const std::uint64_t shift = at % kWordBits;
    std::uint64_t slot = std::uint64_t{word(bytes, at).load(std::memory_order_acquire)} >> shift;
    if (is_split(at))
      slot |= std::uint64_t{word(bytes, at + kWordBits).load(std::memory_order_acquire)} << (kWordBits - shift);
    return slot & Plain::kMask;
  }
  // Fills an empty slot. False when it is not empty, and nothing has changed.
  static bool fill(std::uint8_t* bytes, std::uint64_t at, std::uint64_t fingerprint) {
    if (is_split(at)) {
      if (get_at(bytes, at) != 0) return false;
      change(bytes, at, fingerprint);
      return true;
    }
    const std::uint64_t shift = at % kWordBits;
    const std::atomic_ref<Word> shared = word(bytes, at);
    Word seen = shared.load(std::memory_order_relaxed);
    while ((seen >> shift & Plain::kMask) == 0)
      if (shared.compare_exchange_weak(seen, static_cast<Word>(seen | fingerprint << shift), std::memory_order_release,
                                       std::memory_order_relaxed))
        return true;
    return false;
  }
  // Changes those bits of a slot that are set in `difference`, under its locks. A slot that is not split must not be
  // empty, for an add without locks might fill it at the same moment.
  static void change(std::uint8_t* bytes, std::uint64_t at, std::uint64_t difference) {
    const std::uint64_t shift = at % kWordBits;
    word(bytes, at).fetch_xor(static_cast<Word>(difference << shift), std::memory_order_release);
    if (is_split(at))
      word(bytes, at + kWordBits)
          .fetch_xor(static_cast<Word>(difference >> (kWordBits - shift)), std::memory_order_release);
  }
  // Asks for the line of a slot, to write to it.
  static void fetch_to_write(const std::uint8_t* bytes, std::uint64_t at) {
    detail::fetch_to_write(bytes + at / kWordBits * sizeof(Word));
  }

 private:
  // The word that the bit lies in.
  static std::atomic_ref<Word> word(const std::uint8_t* bytes, std::uint64_t bit) {
    static_assert(std::atomic_ref<Word>::is_always_lock_free &&
                  std::atomic_ref<Word>::required_alignment <= sizeof(Word));
    auto* at = const_cast<std::uint8_t*>(bytes) + bit / kWordBits * sizeof(Word);
    return std::atomic_ref<Word>(*reinterpret_cast<Word*>(at));
  }
};

// A bucket as a search for a path of moves looks at it.
template <class Bucket>
struct GlancedBucket : Bucket {
  static std::uint64_t load(const std::uint8_t* bytes, std::uint64_t bucket) { return Bucket::glance(bytes, bucket); }
};

// Returns whether the words of 8 bytes that buckets lie in end with the payload, whose last two bytes are padding. The
// number of buckets is even, so those of 8 bits always fill such words.
inline bool fills_words(const CuckooGeometry& geometry) {
  return geometry.fingerprint_bits != 12 || geometry.buckets % 4 == 0;
}

// Calls use(AtomicBucket<..>) for the bits of a checked geometry. Inline as with_cuckoo_bucket.
template <class Use>
[[gnu::always_inline]] inline decltype(auto) with_atomic_bucket(std::uint32_t bits, bool whole_words, Use use) {
  switch (bits) {
    case 8: return use(AtomicBucket<CuckooBucket<8>>());
    case 12:
      return whole_words ? use(AtomicBucket<CuckooBucket<12>>()) : use(AtomicBucket<CuckooBucket<12>, std::uint32_t>());
    default: return use(AtomicBucket<CuckooBucket<16>>());
  }
}

}  // namespace BLOOMERY_NAMESPACE::detail
