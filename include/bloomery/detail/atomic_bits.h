// The bits of a filter as atomics: what threads that share one do instead of the plain probes. Same positions, same
// bytes. A bit that is set already is not written again, so that the cache line of a hot key stays with every reader;
// and nobody looks at what fetch_or returns, because a result that is used turns one instruction into a loop on x86-64.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/block.h"
#include "bloomery/classic.h"
#include "bloomery/detail/compiled_for.h"
#include "bloomery/detail/shared_probe.h"
#include "bloomery/split.h"

namespace BLOOMERY_NAMESPACE::detail {

// Relaxed is enough: whoever knows that an add has returned knows it through something that orders the two.
template <class Word, unsigned kIsa = kCompiledFor>
Word load_shared(const Word* word) {
  return std::atomic_ref<Word>(*const_cast<Word*>(word)).load(std::memory_order_relaxed);
}

// Sets the bits, and returns whether it saw one unset. When several threads set a bit for the first time, the first of
// them saw it unset.
template <class Word, unsigned kIsa = kCompiledFor>
bool set_shared(Word* word, Word bits) {
  if ((load_shared(word) & bits) == bits) return false;
  std::atomic_ref<Word>(*word).fetch_or(bits, std::memory_order_relaxed);
  return true;
}

// Words of eight bytes; blocks are aligned to more.
inline std::uint64_t* words_at(std::uint8_t* bytes) { return reinterpret_cast<std::uint64_t*>(bytes); }
inline const std::uint64_t* words_at(const std::uint8_t* bytes) {
  return reinterpret_cast<const std::uint64_t*>(bytes);
}

// The bits that a key sets in its block, word by word.
template <std::size_t kWords>
struct BlockBits {
  std::uint64_t words[kWords] = {};

  // Looks at all words before it sets the first: no load gets past an atomic instruction.
  BLOOMERY_PER_ISA bool set_in(std::uint8_t* block) const {
    unsigned left = 0;
    for (std::size_t i = 0; i < kWords; ++i)
      left |= static_cast<unsigned>((words[i] & ~load_shared(words_at(block) + i)) != 0) << i;
    for (unsigned rest = left; rest != 0; rest &= rest - 1) {
      const int i = std::countr_zero(rest);
      std::atomic_ref(words_at(block)[i]).fetch_or(words[i], std::memory_order_relaxed);
    }
    return left != 0;
  }
  BLOOMERY_PER_ISA bool are_in(const std::uint8_t* block) const {
    std::uint64_t missing = 0;
    for (std::size_t i = 0; i < kWords; ++i) missing |= words[i] & ~load_shared(words_at(block) + i);
    return missing == 0;
  }
};

// AtomicBits<Layout>: add and contains of one key on shared bytes. `fetch` asks for the line that an add begins with.
template <class Layout>
class AtomicBits;

template <>
class AtomicBits<ClassicLayout> {
 public:
  BLOOMERY_PER_ISA explicit AtomicBits(const ClassicGeometry& geometry) : remainder_(geometry.m), k_(geometry.k) {}

  BLOOMERY_PER_ISA void fetch(const std::uint8_t* bytes, Hash hash) const {
    __builtin_prefetch(bytes + (ClassicIndexes(remainder_, hash).at() >> 3), 1);
  }

  BLOOMERY_PER_ISA bool add(std::uint8_t* bytes, Hash hash) const {
    bool changed = false;
    for_each_bit(hash, [&](std::uint64_t byte, std::uint8_t bit) {
      changed |= set_shared(bytes + byte, bit);
      return true;
    });
    return changed;
  }
  BLOOMERY_PER_ISA bool contains(const std::uint8_t* bytes, Hash hash) const {
    return for_each_bit(hash,
                        [&](std::uint64_t byte, std::uint8_t bit) { return (load_shared(bytes + byte) & bit) != 0; });
  }

 private:
  // Calls use(byte, bit) for each bit of the key until it returns false, and returns whether it never did. It goes by
  // single bytes, because m bits need not fill whole words.
  template <class Use, unsigned kIsa = kCompiledFor>
  bool for_each_bit(Hash hash, Use use) const {
    ClassicIndexes indexes(remainder_, hash);
    for (std::uint32_t left = k_; left > 0; --left, indexes.next(remainder_.divisor()))
      if (!use(indexes.at() >> 3, static_cast<std::uint8_t>(1u << (indexes.at() & 7)))) return false;
    return true;
  }

  Remainder remainder_;
  std::uint32_t k_;
};

template <>
class AtomicBits<SplitLayout> {
 public:
  BLOOMERY_PER_ISA explicit AtomicBits(const SplitGeometry& geometry) : blocks_(geometry.blocks) {}

  BLOOMERY_PER_ISA void fetch(const std::uint8_t* bytes, Hash hash) const {
    __builtin_prefetch(bytes + split_offset(blocks_, hash), 1);
  }
  BLOOMERY_PER_ISA bool add(std::uint8_t* bytes, Hash hash) const {
    return bits_of(hash).set_in(bytes + split_offset(blocks_, hash));
  }
  BLOOMERY_PER_ISA bool contains(const std::uint8_t* bytes, Hash hash) const {
    return bits_of(hash).are_in(bytes + split_offset(blocks_, hash));
  }

 private:
  BLOOMERY_PER_ISA static BlockBits<4> bits_of(Hash hash) {
    BlockBits<4> bits;
    for (std::size_t i = 0; i < 8; ++i) {
      const std::uint32_t at = (static_cast<std::uint32_t>(hash.bits) * kSalt[i]) >> 27;
      bits.words[i / 2] |= std::uint64_t{1} << (at + 32 * (i % 2));
    }
    return bits;
  }

  std::uint64_t blocks_;
};

template <>
class AtomicBits<BlockLayout> {
 public:
  BLOOMERY_PER_ISA explicit AtomicBits(const BlockGeometry& geometry) : blocks_(geometry.blocks), k_(geometry.k) {}

  BLOOMERY_PER_ISA void fetch(const std::uint8_t* bytes, Hash hash) const {
    __builtin_prefetch(bytes + block_offset(blocks_, hash), 1);
  }
  BLOOMERY_PER_ISA bool add(std::uint8_t* bytes, Hash hash) const {
    return bits_of(hash).set_in(bytes + block_offset(blocks_, hash));
  }
  // Adds as `add` does, by the kernel of this machine, which reads the block by vectors.
  BLOOMERY_PER_ISA bool add_by_vectors(std::uint8_t* bytes, Hash hash) const {
    return block_set_shared(bytes + block_offset(blocks_, hash), k_, hash);
  }
  BLOOMERY_PER_ISA void add_many_by_vectors(std::uint8_t* bytes, std::span<const Hash> hashes) const {
    block_add_many_shared(bytes, blocks_, k_, hashes);
  }
  BLOOMERY_PER_ISA bool contains(const std::uint8_t* bytes, Hash hash) const {
    return bits_of(hash).are_in(bytes + block_offset(blocks_, hash));
  }

 private:
  BLOOMERY_PER_ISA BlockBits<8> bits_of(Hash hash) const {
    BlockBits<8> bits;
    for (std::uint32_t i = 0; i < k_; ++i) {
      const std::uint32_t at = (static_cast<std::uint32_t>(hash.bits) * kSalt[i]) >> 23;
      bits.words[at >> 6] |= std::uint64_t{1} << (at & 63);
    }
    return bits;
  }

  std::uint64_t blocks_;
  std::uint32_t k_;
};

}  // namespace BLOOMERY_NAMESPACE::detail
