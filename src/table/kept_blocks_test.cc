// What a lookup behind the filter costs: no copy of a block that lies in memory already, no second hash of the key.
#include <gtest/gtest.h>

#include "bloomery/table/table.h"
#include "support/scratch.h"

namespace bloomery {
namespace {

constexpr int kKeys = 5000;

std::string kept_key(int i) { return "key" + std::to_string(100'000 + i); }

std::uint64_t blocks_of(const std::string& path, const TableOptions& options) {
  TableBuilder builder = *TableBuilder::create(path, options);
  for (int i = 0; i < kKeys; i += 2) EXPECT_TRUE(builder.add({kept_key(i), kept_key(i) + "v", 1, false}).ok());
  return builder.finish()->blocks;
}

void expect_all(const Table& table) {
  for (int i = 0; i < kKeys; ++i) {
    const Result<Lookup> found = table.get(kept_key(i));
    ASSERT_TRUE(found.ok());
    ASSERT_EQ(found->found(), i % 2 == 0) << i;
    if (found->found()) {
      ASSERT_EQ(found->value, kept_key(i) + "v");
    }
  }
}

TEST(KeptBlocks, a_mapped_table_with_a_cache_copies_none) {
  testing::Scratch scratch;
  TableOptions options;
  options.compression = Compression::none;
  const std::uint64_t blocks = blocks_of(scratch / "t", options);
  ASSERT_GE(blocks, 10u);
  for (const bool map : {true, false}) {
    TableReadOptions read;
    read.map = map;
    read.cache = std::make_shared<BlockCache>(64 << 20);
    const std::shared_ptr<Table> table = *Table::open(scratch / "t", read);
    for (int round = 0; round < 2; ++round) expect_all(*table);
    const BlockCache::Stats stats = read.cache->stats();
    EXPECT_GE(stats.hits, blocks);
    if (map) {
      EXPECT_LT(stats.bytes, blocks * 1024);  // that they were verified, and where they lie
    } else {
      EXPECT_GT(stats.bytes, blocks * 2048);
    }
    EXPECT_LT(table->stats().blocks_read, 2 * blocks);  // verified once, index blocks beside them
  }
}

TEST(KeptBlocks, a_packed_block_is_kept_as_it_was_unpacked) {
  testing::Scratch scratch;
  TableOptions options;
  options.compression = Compression::lz4;
  const std::uint64_t blocks = blocks_of(scratch / "t", options);
  for (const bool map : {true, false}) {
    TableReadOptions read;
    read.map = map;
    read.cache = std::make_shared<BlockCache>(64 << 20);
    const std::shared_ptr<Table> table = *Table::open(scratch / "t", read);
    for (int round = 0; round < 2; ++round) expect_all(*table);
    EXPECT_GT(read.cache->stats().bytes, blocks * 2048);
  }
}

TEST(KeptBlocks, filters_of_every_hash_and_what_a_block_leaves_behind_agree) {
  testing::Scratch scratch;
  const Secret secret(std::array<std::uint8_t, 16>{1, 2, 3});
  for (const Hasher& hasher : {Hasher::fnv_splitmix(), Hasher::xxh3(), Hasher::xxh3(7), Hasher::xxh64(),
                               Hasher::siphash13(secret), Hasher::siphash24(secret)}) {
    for (const std::uint64_t partition : {std::uint64_t{0}, std::uint64_t{1024}}) {
      TableOptions options;
      options.hasher = hasher;
      options.filter_size = {.fpr = {}, .bits_per_key = 3, .numbers = {}};  // many absent keys pass
      options.filter_partition_bytes = partition;
      blocks_of(scratch / "t", options);
      TableReadOptions read;
      read.secret = secret;
      const std::shared_ptr<Table> table = *Table::open(scratch / "t", read);
      for (int round = 0; round < 2; ++round) expect_all(*table);
      std::vector<std::string> keys;
      for (int i = 0; i < kKeys; ++i) keys.push_back(kept_key(i));
      const std::vector<std::string_view> views(keys.begin(), keys.end());
      const auto found = *table->multi_get(views);
      for (int i = 0; i < kKeys; ++i) ASSERT_EQ(found[static_cast<std::size_t>(i)]->found(), i % 2 == 0) << i;
    }
  }
}

}  // namespace
}  // namespace bloomery
