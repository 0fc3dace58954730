// NEON, which every arm64 machine has: products and bits of a key in two or four registers, the bytes of a whole cache
// line picked by one table lookup.
#include "kernel/kernel.h"

#ifdef __aarch64__
#include <arm_neon.h>

#include "bloomery/detail/salts.h"
#include "kernel/hash_loop.h"
#include "kernel/loop.h"
#include "kernel/ranges.h"

namespace BLOOMERY_NAMESPACE::kernel {
namespace {

class Split {
 public:
  bool contains(const std::uint8_t* block, std::uint64_t hash) const {
    const uint32x4_t low = vld1q_u32(reinterpret_cast<const std::uint32_t*>(block));
    const uint32x4_t high = vld1q_u32(reinterpret_cast<const std::uint32_t*>(block + 16));
    // What the key needs and the block lacks.
    const uint32x4_t lacking = vorrq_u32(vbicq_u32(mask(hash, low_), low), vbicq_u32(mask(hash, high_), high));
    return vmaxvq_u32(lacking) == 0;
  }
  // Whether the block changed: the compiler leaves that out where nobody asks, as in a batch.
  bool add(std::uint8_t* block, std::uint64_t hash) const {
    const bool changed = !contains(block, hash);
    auto* words = reinterpret_cast<std::uint32_t*>(block);
    vst1q_u32(words, vorrq_u32(vld1q_u32(words), mask(hash, low_)));
    vst1q_u32(words + 4, vorrq_u32(vld1q_u32(words + 4), mask(hash, high_)));
    return changed;
  }

 private:
  static uint32x4_t mask(std::uint64_t hash, uint32x4_t salts) {
    const uint32x4_t bit = vshrq_n_u32(vmulq_n_u32(salts, static_cast<std::uint32_t>(hash)), 27);
    return vshlq_u32(vdupq_n_u32(1), vreinterpretq_s32_u32(bit));
  }

  uint32x4_t low_ = vld1q_u32(detail::kSalts.of_k[8]), high_ = vld1q_u32(detail::kSalts.of_k[8] + 4);
};

// With k <= 8 only eight lanes are looked at.
class Block {
 public:
  explicit Block(std::uint32_t k) : two_(k > 8) {
    for (int i = 0; i < 4; ++i) salts_[i] = vld1q_u32(detail::kSalts.of_k[k] + 4 * i);
  }

  bool contains(const std::uint8_t* block, std::uint64_t hash) const {
    const uint8x16x4_t line = {{vld1q_u8(block), vld1q_u8(block + 16), vld1q_u8(block + 32), vld1q_u8(block + 48)}};
    const bool low = holds(line, hash, salts_[0], salts_[1]);
    return two_ ? low & holds(line, hash, salts_[2], salts_[3]) : low;
  }

  bool add(std::uint8_t* block, std::uint64_t hash) const {
    const bool changed = !contains(block, hash);
    std::uint32_t at[16];
    for (int i = 0; i < (two_ ? 4 : 2); ++i)
      vst1q_u32(at + 4 * i, vshrq_n_u32(vmulq_n_u32(salts_[i], static_cast<std::uint32_t>(hash)), 23));
    for (int i = 0; i < (two_ ? 16 : 8); ++i)
      block[at[i] >> 3] = static_cast<std::uint8_t>(block[at[i] >> 3] | (1u << (at[i] & 7)));
    return changed;
  }

 private:
  // Position p is bit p & 7 of byte p >> 3: eight byte numbers, eight bytes of the line, eight bits.
  static bool holds(const uint8x16x4_t& line, std::uint64_t hash, uint32x4_t salts0, uint32x4_t salts1) {
    const uint32x4_t p0 = vmulq_n_u32(salts0, static_cast<std::uint32_t>(hash));
    const uint32x4_t p1 = vmulq_n_u32(salts1, static_cast<std::uint32_t>(hash));
    const uint16x8_t p =
        vcombine_u16(vshrn_n_u32(p0, 16), vshrn_n_u32(p1, 16));  // positions are the top 9 of these 16 bits
    const uint8x8_t byte = vshrn_n_u16(vshrq_n_u16(p, 2), 8);
    const uint8x8_t bit = vand_u8(vmovn_u16(vshrq_n_u16(p, 7)), vdup_n_u8(7));
    const uint8x8_t picked = vqtbl4_u8(line, byte);
    return vminv_u8(vtst_u8(picked, vshl_u8(vdup_n_u8(1), vreinterpret_s8_u8(bit)))) != 0;
  }

  uint32x4_t salts_[4];
  bool two_;
};

bool split_contains_one(const std::uint8_t* block, std::uint64_t hash) { return Split().contains(block, hash); }
bool split_contains_stored(const std::uint8_t* block, const std::uint64_t& hash) {
  return split_contains_one(block, hash);
}
bool block_contains_one(const std::uint8_t* block, std::uint32_t k, std::uint64_t hash) {
  return Block(k).contains(block, hash);
}
bool split_add_one(std::uint8_t* block, std::uint64_t hash) { return Split().add(block, hash); }
bool block_add_one(std::uint8_t* block, std::uint32_t k, std::uint64_t hash) { return Block(k).add(block, hash); }
void split_contains(const std::uint8_t* bytes, const Batch& batch, std::uint8_t* answers) {
  contains_all<SplitOffset>(bytes, batch, Split(), answers);
}
void split_add(std::uint8_t* bytes, const Batch& batch) { add_all<SplitOffset>(bytes, batch, Split()); }
void block_contains(const std::uint8_t* bytes, const Batch& batch, std::uint8_t* answers) {
  contains_all<BlockOffset>(bytes, batch, Block(batch.k), answers);
}
void block_add(std::uint8_t* bytes, const Batch& batch) { add_all<BlockOffset>(bytes, batch, Block(batch.k)); }

const Kernel kNeon = {"neon",
                      false,
                      split_contains_stored,
                      block_contains_one,
                      split_add_one,
                      block_add_one,
                      split_contains,
                      split_add,
                      block_contains,
                      block_add,
                      bits_set_in,
                      or_into,
                      and_into,
                      kIntegerHashing<std::uint64_t>};

}  // namespace

const Kernel* neon() { return &kNeon; }

}  // namespace BLOOMERY_NAMESPACE::kernel
#else
const bloomery::kernel::Kernel* bloomery::kernel::neon() { return nullptr; }
#endif
