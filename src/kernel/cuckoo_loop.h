// Batches of cuckoo filters by vectors: the two buckets of several keys are worked out at once, a group ahead, and
// their slots compared side by side. detail/cuckoo_probe.h does the same for one key and explains it. Internal to each
// file that includes it (see kernel.h), so nothing here may leave it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernel/kernel.h"

namespace {

// Lanes: a vector `Word` of 64-bit numbers, the products of their low halves, and which of them are 0, a bit each.
template <class Lanes, std::uint32_t kBits>
class CuckooLoop {
 public:
  CuckooLoop(const std::uint8_t* bytes, const bloomery::kernel::CuckooBatch& batch) : bytes_(bytes), batch_(batch) {}

  void run(std::uint8_t* answers) const {
    Group groups[2];
    std::size_t count = prepare(0, groups[0]);
    for (std::size_t first = 0, turn = 0; first < batch_.count; turn = 1 - turn) {
      const std::size_t next = prepare(first + count, groups[1 - turn]);
      answer(groups[turn], answers + first, count);
      first += count;
      count = next;
    }
  }

 private:
  using Word = typename Lanes::Word;
  using Signed = typename Lanes::Signed;
  static constexpr std::size_t kLanes = sizeof(Word) / sizeof(std::uint64_t), kGroup = 32;
  static constexpr std::uint64_t kMask = (std::uint64_t{1} << kBits) - 1;

  // For each key the offsets of its buckets, and its fingerprint in all four slots.
  struct Group {
    alignas(64) std::uint64_t first[kGroup], second[kGroup], pattern[kGroup];
  };

  static Word each(std::uint64_t value) { return Word{} + value; }
  static Word high_product(Word x, Word below_2_32) {
    return (Lanes::products(x >> 32, below_2_32) + (Lanes::products(x, below_2_32) >> 32)) >> 32;
  }
  static Word product(Word x, std::uint64_t factor) {
    const Word crossed = Lanes::products(x >> 32, each(factor)) + Lanes::products(x, each(factor >> 32));
    return Lanes::products(x, each(factor)) + (crossed << 32);
  }

  // Returns how many keys the group has: all of its places are filled, with the hash 0 after the last key.
  std::size_t prepare(std::size_t from, Group& group) const {
    if (from >= batch_.count) return 0;
    const std::size_t left = batch_.count - from, count = left < kGroup ? left : kGroup;
    const std::uint64_t* hashes = batch_.hashes + from;
    std::uint64_t last[kGroup];
    if (count < kGroup) {
      std::memset(last, 0, sizeof last);
      std::memcpy(last, hashes, count * sizeof *hashes);
      hashes = last;
    }
    for (std::size_t i = 0; i < kGroup; i += kLanes) prepare_lanes(hashes + i, i, group);
    for (std::size_t i = 0; i < kGroup && batch_.fetch; ++i) {
      __builtin_prefetch(bytes_ + group.first[i]);
      __builtin_prefetch(bytes_ + group.second[i]);
    }
    return count;
  }

  [[gnu::always_inline]] void prepare_lanes(const std::uint64_t* hashes, std::size_t i, Group& group) const {
    Word hash;
    std::memcpy(&hash, hashes, sizeof hash);
    const Word buckets = each(batch_.buckets), first = high_product(hash, buckets);
    const Word fingerprint = (Lanes::products(hash & 0xffff, each(kMask)) >> 16) + 1;
    Word mixed = Lanes::products(fingerprint, each(0xbf58476d1ce4e5b9)) +
                 (Lanes::products(fingerprint, each(0xbf58476d1ce4e5b9 >> 32)) << 32);
    mixed = product(mixed ^ (mixed >> 32), 0x94d049bb133111eb);
    const Word other = (high_product(mixed, buckets) | 1) - first;
    const Word second = other + (buckets & reinterpret_cast<Word>(reinterpret_cast<Signed>(other) < 0));
    const Word pair = fingerprint | (fingerprint << kBits), pattern = pair | (pair << (2 * kBits));
    const Word at_first = Lanes::products(first, each(kBits / 2)), at_second = Lanes::products(second, each(kBits / 2));
    std::memcpy(group.first + i, &at_first, sizeof at_first);
    std::memcpy(group.second + i, &at_second, sizeof at_second);
    std::memcpy(group.pattern + i, &pattern, sizeof pattern);
  }

  std::uint64_t slots(std::uint64_t at) const {
    std::uint64_t slots = 0;
    std::memcpy(&slots, bytes_ + at, kBits == 8 ? 4 : 8);
    return slots;
  }

  // Returns a number other than 0 in lanes whose slots hold the fingerprint.
  Word matches(const std::uint64_t* at, Word pattern) const {
    constexpr std::uint64_t kOnes =
        1 | std::uint64_t{1} << kBits | std::uint64_t{1} << 2 * kBits | std::uint64_t{1} << 3 * kBits;
    Word found;
    if constexpr (kLanes == 4) found = Word{slots(at[0]), slots(at[1]), slots(at[2]), slots(at[3])};
    else
      found = Word{slots(at[0]), slots(at[1]), slots(at[2]), slots(at[3]),
                   slots(at[4]), slots(at[5]), slots(at[6]), slots(at[7])};
    const Word differ = found ^ pattern;
    return (differ - kOnes) & ~differ & (kOnes << (kBits - 1));
  }

  void answer(const Group& group, std::uint8_t* answers, std::size_t count) const {
    std::uint8_t some[kGroup];
    std::uint8_t* out = count < kGroup ? some : answers;
    for (std::size_t i = 0; i < kGroup; i += kLanes) {
      Word pattern;
      std::memcpy(&pattern, group.pattern + i, sizeof pattern);
      const unsigned absent = Lanes::zeros(matches(group.first + i, pattern) | matches(group.second + i, pattern));
      for (std::size_t j = 0; j < kLanes; j += 4) {
        // Bit n of four goes to bit 8 n: a byte each.
        const std::uint32_t bytes = ((~absent >> j & 0xf) * 0x00204081) & 0x01010101;
        std::memcpy(out + i + j, &bytes, sizeof bytes);
      }
    }
    if (out == some) std::memcpy(answers, some, count);
  }

  const std::uint8_t* bytes_;
  bloomery::kernel::CuckooBatch batch_;
};

template <class Lanes>
void cuckoo_contains_by(const std::uint8_t* bytes, const bloomery::kernel::CuckooBatch& batch, std::uint8_t* answers) {
  switch (batch.bits) {
    case 8: return CuckooLoop<Lanes, 8>(bytes, batch).run(answers);
    case 12: return CuckooLoop<Lanes, 12>(bytes, batch).run(answers);
    default: return CuckooLoop<Lanes, 16>(bytes, batch).run(answers);
  }
}

}  // namespace
