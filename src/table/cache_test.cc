#include "table/cache.h"

#include <gtest/gtest.h>

#include <thread>

namespace bloomery::table {
namespace {

BlockRef block_of(std::uint64_t number, std::size_t bytes = 1000) {
  BlockRef block = *BlockRef::make(bytes);
  std::fill_n(block->contents(), bytes, static_cast<char>(number));
  return block;
}

bool is_block_of(const BlockRef& block, std::uint64_t number) {
  return block->view().find_first_not_of(static_cast<char>(number)) == std::string_view::npos;
}

TEST(Cache, gives_back_what_was_put_in) {
  BlockCache cache(64 << 20);
  for (std::uint64_t i = 0; i < 10'000; ++i) impl_of(cache).insert({i % 7, i}, block_of(i));
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const BlockRef block = impl_of(cache).find({i % 7, i});
    ASSERT_TRUE(block) << i;
    ASSERT_TRUE(is_block_of(block, i));
    ASSERT_FALSE(impl_of(cache).find({i % 7 + 1, i}));
  }
  EXPECT_EQ(cache.stats().hits, 10'000u);
  EXPECT_EQ(cache.stats().misses, 10'000u);
  EXPECT_EQ(cache.stats().evicted, 0u);
}

TEST(Cache, keeps_within_its_bytes_and_drops_the_least_recently_used) {
  BlockCache cache(1 << 20);
  // One that is used again and again stays, while hundreds of others come and go.
  impl_of(cache).insert({1, 0}, block_of(0));
  for (std::uint64_t i = 1; i < 10'000; ++i) {
    ASSERT_TRUE(impl_of(cache).find({1, 0})) << i;
    impl_of(cache).insert({1, i}, block_of(i));
    ASSERT_LE(cache.stats().bytes, cache.stats().capacity);
  }
  EXPECT_GT(cache.stats().bytes, cache.stats().capacity * 9 / 10);
  EXPECT_GT(cache.stats().evicted, 8000u);
  std::uint64_t kept = 0;
  for (std::uint64_t i = 9'800; i < 10'000; ++i) kept += impl_of(cache).find({1, i}) ? 1 : 0;
  EXPECT_EQ(kept, 200u);  // the last ones; there is room for about 900
  EXPECT_FALSE(impl_of(cache).find({1, 5}));
}

TEST(Cache, what_is_held_outlives_it) {
  BlockRef held;
  {
    BlockCache cache(1 << 20);
    impl_of(cache).insert({1, 7}, block_of(7));
    held = impl_of(cache).find({1, 7});
    for (std::uint64_t i = 100; i < 5000; ++i) impl_of(cache).insert({1, i}, block_of(i));
    EXPECT_FALSE(impl_of(cache).find({1, 7}));
    ASSERT_TRUE(is_block_of(held, 7));
  }
  EXPECT_TRUE(is_block_of(held, 7));
}

TEST(Cache, what_tables_hold_leaves_less_for_blocks) {
  BlockCache cache(1 << 20);
  impl_of(cache).pin(512 << 10);
  for (std::uint64_t i = 0; i < 5000; ++i) impl_of(cache).insert({1, i}, block_of(i));
  EXPECT_LE(cache.stats().bytes + cache.stats().pinned, cache.stats().capacity);
  impl_of(cache).pin(1 << 20);  // more than there is
  impl_of(cache).insert({2, 0}, block_of(0));
  EXPECT_FALSE(impl_of(cache).find({2, 0}));
  impl_of(cache).unpin(1536 << 10);
  impl_of(cache).insert({2, 0}, block_of(0));
  EXPECT_TRUE(impl_of(cache).find({2, 0}));
}

TEST(Cache, takes_nothing_larger_than_a_shard) {
  BlockCache cache(160'000), none(0);
  impl_of(cache).insert({1, 1}, block_of(1, 20'000));
  EXPECT_FALSE(impl_of(cache).find({1, 1}));
  impl_of(none).insert({1, 1}, block_of(1, 1));
  EXPECT_FALSE(impl_of(none).find({1, 1}));
}

TEST(Cache, serves_several_threads) {
  BlockCache cache(200'000);
  std::atomic<std::uint64_t> found{0}, wrong{0};
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 50'000; ++i) {
        const std::uint64_t number = (i * (t + 1) * 7) % 400;
        if (const BlockRef block = impl_of(cache).find({1, number})) {
          found.fetch_add(1);
          wrong.fetch_add(is_block_of(block, number) ? 0 : 1);
        } else {
          impl_of(cache).insert({1, number}, block_of(number));
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(found.load(), 0u);
  EXPECT_EQ(wrong.load(), 0u);
  EXPECT_LE(cache.stats().bytes, cache.stats().capacity);
}

}  // namespace
}  // namespace bloomery::table
