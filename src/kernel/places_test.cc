// Batches at the edges of blocks, by every instruction set of this machine: keys whose hash is the first or the last of
// a block, where a carry out of the low half decides which block it is.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <span>
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

// Blocks that are all empty, of which only those that are written, and the pages around them, take memory.
class EmptyBlocks {
 public:
  explicit EmptyBlocks(std::uint64_t blocks)
      : size_(static_cast<std::size_t>(64 * blocks)),
        memory_(::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (there()) ::madvise(memory_, size_, MADV_NOHUGEPAGE);
  }
  ~EmptyBlocks() {
    if (there()) ::munmap(memory_, size_);
  }
  EmptyBlocks(const EmptyBlocks&) = delete;

  bool there() const { return memory_ != MAP_FAILED; }
  std::span<std::uint8_t> bytes() const { return {static_cast<std::uint8_t*>(memory_), size_}; }

 private:
  std::size_t size_;
  void* memory_;
};

std::uint64_t block_of(std::uint64_t hash, std::uint64_t blocks) {
  return detail::block_offset(blocks, Hash(hash)) / 64;
}

// The last hash of one block and the first of the next, for some 400 pairs of neighbours. Adds to `carried` for how
// many of them the low half of the hash decides.
std::vector<std::uint64_t> hashes_at_edges(std::uint64_t blocks, std::size_t& carried) {
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t number = 1; number < blocks; number += 1 + blocks / 400) {
    const std::uint64_t first = first_hash_of(number, blocks);
    EXPECT_EQ(block_of(first, blocks), number);
    EXPECT_EQ(block_of(first - 1, blocks), number - 1);
    if (((first >> 32) * blocks) >> 32 != number) ++carried;
    // Sometimes alone in its group of keys, whatever the length of that is.
    for (std::uint64_t i = 0; i < number % 100; ++i) hashes.push_back(detail::splitmix64(hashes.size()));
    hashes.insert(hashes.end(), {first, first - 1});
  }
  return hashes;
}

// Of the block of each hash and the one before, the odd one is full and the other empty, so that an answer tells which
// of the two was asked.
void ask_at_edges(const Kernel& isa, std::uint64_t blocks, std::size_t& carried) {
  const std::vector<std::uint64_t> hashes = hashes_at_edges(blocks, carried);
  const EmptyBlocks filter(blocks);
  ASSERT_TRUE(filter.there());
  const std::span<std::uint8_t> bytes = filter.bytes();
  for (const std::uint64_t hash : hashes)
    if (const std::uint64_t block = block_of(hash, blocks); block > 0)
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(64 * (block % 2 == 1 ? block : block - 1)), 64,
                  std::uint8_t{0xff});
  for (const unsigned ahead : {0u, 16u, 32u}) {
    for (const std::uint32_t k : {6u, 9u}) {
      std::vector<std::uint8_t> answers(hashes.size());
      isa.block_contains(bytes.data(), {blocks, k, hashes.data(), hashes.size(), ahead}, answers.data());
      for (std::size_t i = 0; i < hashes.size(); ++i)
        ASSERT_EQ(answers[i], block_of(hashes[i], blocks) % 2) << i << " of " << blocks;
    }
  }
}

TEST_P(EveryIsaAtEdges, a_batch_asks_the_block_that_the_whole_hash_falls_into) {
  std::size_t carried = 0;
  for (const std::uint64_t blocks : {2ull, 3ull, 7ull, 1000ull, 70'001ull})
    ASSERT_NO_FATAL_FAILURE(ask_at_edges(*GetParam(), blocks, carried));
  EXPECT_GT(carried, 500u);
}

// The kernel of AVX2 works out places in another way above 2^24 blocks (kFew in avx2_steps.h).
TEST_P(EveryIsaAtEdges, so_does_a_batch_on_a_gigabyte_of_blocks) {
  if (sizeof(std::size_t) < 8) GTEST_SKIP() << "a gigabyte of addresses";
  std::size_t carried = 0;
  for (const std::uint64_t blocks : {(1ull << 24) - 1, 1ull << 24, (1ull << 24) + 1, (1ull << 24) + 70'001})
    ASSERT_NO_FATAL_FAILURE(ask_at_edges(*GetParam(), blocks, carried));
  EXPECT_GT(carried, 500u);
}

}  // namespace
}  // namespace bloomery::kernel
