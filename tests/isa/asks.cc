// Compiled twice: for the machine that every x86-64 is, and for AVX-512. ASK names the function, and its answers are
// those of filters that main.cc built.
#include <cstdint>

#include "bloomery/block.h"
#include "bloomery/split.h"

unsigned ASK(const bloomery::BlockView& block, const bloomery::SplitView& split, std::uint64_t number, const char* text,
             std::uint64_t size) {
  const std::string_view key(text, size);
  const std::string_view keys[] = {key, key};
  std::uint8_t answers[4] = {};
  block.contains_many(keys, std::span(answers).first(2));
  split.contains_many(keys, std::span(answers).last(2));
  if (answers[0] + answers[1] + answers[2] + answers[3] != 4) return 0;
  return (block.contains(number) ? 1U : 0U) | (split.contains(number) ? 2U : 0U) | (block.contains(key) ? 4U : 0U) |
         (split.contains(key) ? 8U : 0U);
}
