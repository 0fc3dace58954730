// Compiled twice: for the machine that every x86-64 is, and for AVX-512. ASK and ADD name the functions, whose filters
// main.cc made.
#include <cstdint>

#include "bloomery/block.h"
#include "bloomery/cuckoo.h"
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

// Each key by one call to one of the filters, and in a batch to the other. False: a filter refused it.
bool ADD(bloomery::BlockFilter& block, bloomery::SplitFilter& split, bloomery::CuckooFilter& cuckoo,
         std::uint64_t number, const char* text, std::uint64_t size) {
  const std::string_view keys[] = {{text, size}};
  const std::uint64_t numbers[] = {number};
  block.add(number), split.add(keys[0]);
  return block.add_many(keys).ok() && split.add_many(numbers).ok() && cuckoo.add(number).ok() &&
         cuckoo.add_many(keys).ok() && cuckoo.contains(number) && cuckoo.contains(keys[0]) && cuckoo.remove(number);
}
