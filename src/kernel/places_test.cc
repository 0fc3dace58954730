// Batches at the edges of blocks, by every instruction set of this machine: keys whose hash is the first or the last of
// a block, where a carry out of the low half decides which block it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "bloomery/detail/blocked_probe.h"
#include "kernel/kernel.h"

namespace bloomery::kernel {
namespace {

class EveryIsaAtEdges : public ::testing::TestWithParam<const Kernel*> {};
INSTANTIATE_TEST_SUITE_P(Kernel, EveryIsaAtEdges, ::testing::ValuesIn(available()),
                         [](const auto& instance) { return std::string(instance.param->name); });

// The least hash that falls into a block: the number times 2^64 / blocks, rounded up.
std::uint64_t first_hash_of(std::uint64_t number, std::uint64_t blocks) {
  std::uint64_t hash = 0, rest = number;
  for (int bit = 0; bit < 64; ++bit) {
    rest *= 2;
    hash = 2 * hash + (rest >= blocks ? 1 : 0);
    if (rest >= blocks) rest -= blocks;
  }
  return rest == 0 ? hash : hash + 1;
}

// Every other block is full, so that an answer tells which of two neighbours was asked.
TEST_P(EveryIsaAtEdges, a_batch_asks_the_block_that_the_whole_hash_falls_into) {
  std::size_t carried = 0;
  for (const std::uint64_t blocks : {2ull, 3ull, 7ull, 1000ull, 70'001ull}) {
    std::vector<std::uint8_t> bytes(64 * blocks);
    for (std::uint64_t i = 1; i < blocks; i += 2)
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(64 * i), 64, std::uint8_t{0xff});
    std::vector<std::uint64_t> hashes;
    for (std::uint64_t number = 1; number < blocks; number += 1 + blocks / 400) {
      const std::uint64_t first = first_hash_of(number, blocks);
      ASSERT_EQ(detail::block_offset(blocks, Hash(first)), 64 * number);
      ASSERT_EQ(detail::block_offset(blocks, Hash(first - 1)), 64 * (number - 1));
      if (((first >> 32) * blocks) >> 32 != number) ++carried;
      // Sometimes alone in its group of keys, whatever the length of that is.
      for (std::uint64_t i = 0; i < number % 100; ++i) hashes.push_back(detail::splitmix64(hashes.size()));
      hashes.insert(hashes.end(), {first, first - 1});
    }
    for (const unsigned ahead : {0u, 16u, 32u}) {
      for (const std::uint32_t k : {6u, 9u}) {
        std::vector<std::uint8_t> answers(hashes.size());
        GetParam()->block_contains(bytes.data(), {blocks, k, hashes.data(), hashes.size(), ahead}, answers.data());
        for (std::size_t i = 0; i < hashes.size(); ++i)
          ASSERT_EQ(answers[i], detail::block_offset(blocks, Hash(hashes[i])) / 64 % 2) << i << " of " << blocks;
      }
    }
  }
  EXPECT_GT(carried, 500u);
}

}  // namespace
}  // namespace bloomery::kernel
