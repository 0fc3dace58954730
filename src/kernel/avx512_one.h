// Looks for one key by AVX-512, in the registers from 16 on. The lower registers would have to be cleared before the
// return (vzeroupper), because SSE code runs slowly while their upper halves are in use
// (bench/results/2026-11-18-one-call.md). No compiler can be told to use the others alone, so the instructions are
// written out. They are 256 bits wide: with 512 bits fewer ports would take them. Everything here is internal to each
// file that includes it (see kernel.h), so nothing may leave it.
#pragma once

#include <cstdint>

#include "bloomery/detail/salts.h"

namespace {

struct [[gnu::may_alias]] Words {  // eight of 32 bits
  std::uint8_t bytes[32];
};
inline const Words& words_at(const void* from) { return *static_cast<const Words*>(from); }
constexpr std::uint32_t kOneBit = 1;

// Bit i of k1 tells of word i whether its bit is set; the carry, whether all eight are. `hash` is an operand: a
// register, or memory.
#define BLOOMERY_SPLIT_PROBE(hash)         \
  "vpbroadcastd " hash                     \
  ", %%ymm16\n\t"                          \
  "vpmulld %[salts], %%ymm16, %%ymm16\n\t" \
  "vpbroadcastd %[one], %%ymm17\n\t"       \
  "vpsrld $27, %%ymm16, %%ymm16\n\t"       \
  "vpsllvd %%ymm16, %%ymm17, %%ymm16\n\t"  \
  "vptestmd %[block], %%ymm16, %%k1\n\t"   \
  "kortestb %%k1, %%k1"

bool split_contains_one(const std::uint8_t* block, std::uint64_t hash) {
  bool all = false;
  asm(BLOOMERY_SPLIT_PROBE("%k[hash]")
      : "=@ccc"(all)
      : [hash] "r"(hash), [salts] "m"(words_at(bloomery::detail::kSalts.of_k[8])), [one] "m"(kOneBit),
        [block] "m"(words_at(block))
      : "xmm16", "xmm17", "k1");
  return all;
}
bool split_contains_stored(const std::uint8_t* block, const std::uint64_t& hash) {
  bool all = false;
  asm(BLOOMERY_SPLIT_PROBE("%[hash]")
      : "=@ccc"(all)
      : [hash] "m"(hash), [salts] "m"(words_at(bloomery::detail::kSalts.of_k[8])), [one] "m"(kOneBit),
        [block] "m"(words_at(block))
      : "xmm16", "xmm17", "k1");
  return all;
}
#undef BLOOMERY_SPLIT_PROBE

// Looks up a key with k <= 8. A permutation of two registers picks the words of eight positions from all sixteen of the
// block; a rotation looks at the low five bits of its count only.
bool block_contains_eight(const std::uint8_t* block, std::uint32_t k, std::uint64_t hash) {
  bool all = false;
  asm("vpbroadcastd %k[hash], %%ymm16\n\t"
      "vpmulld %[salts], %%ymm16, %%ymm16\n\t"
      "vmovdqu32 %[first], %%ymm18\n\t"
      "vpsrld $28, %%ymm16, %%ymm17\n\t"
      "vpermt2d %[second], %%ymm17, %%ymm18\n\t"
      "vpbroadcastd %[one], %%ymm17\n\t"
      "vpsrld $23, %%ymm16, %%ymm16\n\t"
      "vprolvd %%ymm16, %%ymm17, %%ymm16\n\t"
      "vptestmd %%ymm18, %%ymm16, %%k1\n\t"
      "kortestb %%k1, %%k1"
      : "=@ccc"(all)
      : [hash] "r"(hash), [salts] "m"(words_at(bloomery::detail::kSalts.of_k[k])), [one] "m"(kOneBit),
        [first] "m"(words_at(block)), [second] "m"(words_at(block + 32))
      : "xmm16", "xmm17", "xmm18", "k1");
  return all;
}

// Looks up a key with any k: eight positions, twice. A register of 512 bits would take them at once, but a program that
// used one every microsecond was slower as a whole, probably by a lower clock
// (bench/results/2026-11-18-server-exists.md).
bool block_contains_sixteen(const std::uint8_t* block, std::uint32_t k, std::uint64_t hash) {
  const std::uint32_t* const salts = bloomery::detail::kSalts.of_k[k];
  bool all = false;
  asm("vpbroadcastd %k[hash], %%ymm16\n\t"
      "vpmulld %[salts], %%ymm16, %%ymm17\n\t"
      "vpmulld %[more_salts], %%ymm16, %%ymm16\n\t"
      "vmovdqu32 %[first], %%ymm18\n\t"
      "vmovdqu32 %[second], %%ymm19\n\t"
      "vpsrld $28, %%ymm17, %%ymm20\n\t"
      "vpsrld $28, %%ymm16, %%ymm21\n\t"
      "vpermi2d %%ymm19, %%ymm18, %%ymm20\n\t"
      "vpermi2d %%ymm19, %%ymm18, %%ymm21\n\t"
      "vpbroadcastd %[one], %%ymm22\n\t"
      "vpsrld $23, %%ymm17, %%ymm17\n\t"
      "vpsrld $23, %%ymm16, %%ymm16\n\t"
      "vprolvd %%ymm17, %%ymm22, %%ymm17\n\t"
      "vprolvd %%ymm16, %%ymm22, %%ymm16\n\t"
      "vptestmd %%ymm20, %%ymm17, %%k1\n\t"
      "vptestmd %%ymm21, %%ymm16, %%k2\n\t"
      "kandb %%k2, %%k1, %%k1\n\t"
      "kortestb %%k1, %%k1"
      : "=@ccc"(all)
      : [hash] "r"(hash), [salts] "m"(words_at(salts)), [more_salts] "m"(words_at(salts + 8)), [one] "m"(kOneBit),
        [first] "m"(words_at(block)), [second] "m"(words_at(block + 32))
      : "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "k1", "k2");
  return all;
}

}  // namespace
