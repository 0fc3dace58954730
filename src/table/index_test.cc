#include "table/index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace bloomery::table {
namespace {

// The handle of each tells its number.
std::string index_of(const std::vector<std::string>& keys) {
  BlockBuilder builder(1);
  for (std::size_t i = 0; i < keys.size(); ++i) builder.add(keys[i], encode_handle({i, 1}), 0);
  return std::string(builder.finish());
}

// Against std::lower_bound, for the keys, what lies next to them, and others.
void compare(const std::vector<std::string>& keys, const std::vector<std::string>& others) {
  const std::string contents = index_of(keys);
  const Result<IndexBlock> index = IndexBlock::make({contents, {}});
  ASSERT_TRUE(index.ok()) << index.error().to_string();
  ASSERT_EQ(index->size(), keys.size());
  std::vector<std::string> asked = others;
  for (const std::string& key : keys) {
    asked.insert(asked.end(), {key, key + '\0', key + "~", key.substr(0, key.size() / 2)});
    if (!key.empty()) asked.push_back(key.substr(0, key.size() - 1));
  }
  for (const std::string& key : asked) {
    const auto expected = static_cast<std::size_t>(std::lower_bound(keys.begin(), keys.end(), key) - keys.begin());
    ASSERT_EQ(index->find(key), expected) << key;
    if (expected < keys.size()) {
      ASSERT_EQ(index->handle(expected).offset, expected);
    }
  }
}

TEST(Index, leads_to_the_first_block_that_may_hold_a_key) {
  compare({"b", "d", "f"}, {"", "a", "c", "e", "g", "\xff"});
  compare({""}, {"", "a"});
  // Versions of a key fill several blocks, and all end with it.
  compare({"a", "key", "key", "key", "z"}, {"key", "kez", "kex"});
  // What differs lies behind the first eight bytes that are not common; and bytes that are no letters.
  compare({"p/aaaaaaaaaaaa1", "p/aaaaaaaaaaaa2", "p/aaaaaaaaaaaa3", "p/b"}, {"p/aaaaaaaaaaaa", "p", "p/", "q", "o"});
  compare({std::string("\0", 1), std::string("\0\0", 2), "\x7f", "\x80", "\xff\xff"}, {"", "\x80\x80"});
}

TEST(Index, leads_right_whatever_the_keys) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    std::set<std::string> keys;
    std::vector<std::string> others;
    const std::size_t count = 1 + random() % 200;
    const std::string start(random() % 20, 'x');
    const auto some_key = [&] {
      std::string key = start;
      for (std::size_t i = random() % 14; i > 0; --i) key += static_cast<char>(random() % (round % 2 == 0 ? 3 : 256));
      return key;
    };
    for (std::size_t i = 0; i < count; ++i) {
      keys.insert(some_key());
      others.push_back(some_key());
    }
    compare({keys.begin(), keys.end()}, others);
  }
}

TEST(Index, learns_which_keys_a_block_does_not_have) {
  const Hasher hash = Hasher::xxh3();
  const std::string contents = index_of({"a", "b"});
  const Result<IndexBlock> without = IndexBlock::make({contents, {}});
  EXPECT_FALSE(without->wants_sketch(0));
  EXPECT_FALSE(without->denies(0, hash("key")));
  for (const int keys : {1, 35, 100}) {
    const Result<IndexBlock> index = IndexBlock::make({contents, {}}, true);
    ASSERT_TRUE(index->wants_sketch(1));
    EXPECT_FALSE(index->denies(1, hash("key")));
    BlockBuilder data(16);
    for (int i = 0; i < keys; ++i) data.add(std::to_string(1000 + i), "", 0);
    index->learn(1, *sketch_of(data.finish(), hash));
    EXPECT_FALSE(index->wants_sketch(1));
    EXPECT_TRUE(index->wants_sketch(0));
    for (int i = 0; i < keys; ++i) ASSERT_FALSE(index->denies(1, hash(std::to_string(1000 + i))));
    int passed = 0;
    for (int i = 0; i < 10'000; ++i) passed += index->denies(1, hash(std::to_string(20'000 + i))) ? 0 : 1;
    EXPECT_LT(passed, keys == 1 ? 50 : keys == 35 ? 500 : 5000);  // about 0, 320 and 3,900
  }
  BlockBuilder many(16);
  for (int i = 0; i < 101; ++i) many.add(std::to_string(1000 + i), "", 0);
  EXPECT_FALSE(sketch_of(many.finish(), hash));
  EXPECT_FALSE(sketch_of("no block", hash));
}

TEST(Index, refuses_what_does_not_hold_together) {
  const std::string good = index_of({"a", "b", "c"});
  ASSERT_TRUE(IndexBlock::make({good, {}}).ok());
  EXPECT_FALSE(IndexBlock::make({"", {}}).ok());
  EXPECT_FALSE(IndexBlock::make({index_of({"b", "a"}), {}}).ok());
  BlockBuilder no_handle(1);
  no_handle.add("a", "\xff", 0);
  EXPECT_FALSE(IndexBlock::make({no_handle.finish(), {}}).ok());
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    if (const Result<IndexBlock> index = IndexBlock::make({bad, {}}); index.ok()) (void)index->find("b");
  }
}

}  // namespace
}  // namespace bloomery::table
