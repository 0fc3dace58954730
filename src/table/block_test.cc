#include "table/block.h"

#include <gtest/gtest.h>

#include <map>

#include "bloomery/detail/fnv.h"

namespace bloomery::table {
namespace {

// Keys with long common beginnings, of all lengths, some empty.
std::string block_key(std::uint64_t i) {
  const std::uint64_t random = detail::splitmix64(i);
  return std::string(random % 7, 'a') + std::to_string(random % 1000) + std::string(random % 3, '\xff');
}

std::map<std::string, std::string> block_entries(std::size_t count) {
  std::map<std::string, std::string> entries = {{"", "the empty key"}};
  for (std::uint64_t i = 0; entries.size() < count; ++i) entries[block_key(i)] = std::string(i % 200, 'v');
  return entries;
}

std::string block_of(const std::map<std::string, std::string>& entries, unsigned per_restart) {
  BlockBuilder builder(per_restart);
  for (const auto& [key, value] : entries) builder.add(key, value, 2 * value.size());
  return std::string(builder.finish());
}

TEST(Block, gives_back_what_was_put_in_forward_and_back) {
  for (const unsigned per_restart : {1u, 2u, 16u, 1000u}) {
    for (const std::size_t count : {1u, 2u, 15u, 16u, 17u, 300u}) {
      const auto entries = block_entries(count);
      const std::string contents = block_of(entries, per_restart);
      BlockCursor cursor(contents);
      cursor.first();
      for (const auto& [key, value] : entries) {
        ASSERT_TRUE(cursor.valid());
        EXPECT_EQ(cursor.key(), key);
        EXPECT_EQ(cursor.value(), value);
        EXPECT_EQ(cursor.tag(), 2 * value.size());
        cursor.next();
      }
      EXPECT_FALSE(cursor.valid());
      cursor.last();
      for (auto at = entries.rbegin(); at != entries.rend(); ++at, cursor.previous()) {
        ASSERT_TRUE(cursor.valid());
        EXPECT_EQ(cursor.key(), at->first);
      }
      EXPECT_FALSE(cursor.valid());
      EXPECT_FALSE(cursor.damaged());
    }
  }
}

TEST(Block, finds_what_is_there_and_nothing_else) {
  const auto entries = block_entries(300);
  for (const unsigned per_restart : {1u, 3u, 16u, 1000u}) {
    const std::string contents = block_of(entries, per_restart);
    BlockCursor cursor(contents);
    for (std::uint64_t i = 0; i < 5000; ++i) {
      const std::string key = block_key(i) + std::string(i % 2, '0');
      const auto expected = entries.lower_bound(key);
      cursor.seek(key);
      ASSERT_EQ(cursor.valid(), expected != entries.end()) << key;
      if (cursor.valid()) {
        EXPECT_EQ(cursor.key(), expected->first) << key;
      }
      const Searched found = find_newest(contents, key);
      ASSERT_FALSE(found.damaged);
      ASSERT_EQ(found.found, entries.contains(key)) << key;
      if (found.found) {
        EXPECT_EQ(found.value, entries.at(key));
      }
    }
  }
}

TEST(Block, of_several_entries_of_a_key_the_first_is_found) {
  for (const unsigned per_restart : {1u, 2u, 16u}) {
    BlockBuilder builder(per_restart);
    builder.add("a", "1", 0);
    for (int i = 0; i < 40; ++i) builder.add("key", std::to_string(i), 0);
    builder.add("key2", "x", 0);
    const std::string contents(builder.finish());
    EXPECT_EQ(find_newest(contents, "key").value, "0");
    EXPECT_EQ(find_newest(contents, "key2").value, "x");
    BlockCursor cursor(contents);
    cursor.seek("key");
    EXPECT_EQ(cursor.value(), "0");
  }
}

TEST(Block, holds_together_with_its_own_restarts_and_no_others) {
  for (const unsigned per_restart : {1u, 2u, 16u, 1000u})
    EXPECT_TRUE(holds_together(block_of(block_entries(300), per_restart))) << per_restart;
  const std::string good = block_of(block_entries(50), 4);
  const std::size_t restarts = BlockFrame(good).entries.size();
  for (std::size_t bit = 8 * restarts; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(holds_together(bad)) << "bit " << bit - 8 * restarts << " of the restarts";
  }
  // "ab" and "ac", whose common letter is not shared: a writer may do so.
  const std::string_view sparing("\0\2\0\0ab\0\2\0\0ac\0\0\0\0\1\0\0\0", 20);
  EXPECT_TRUE(holds_together(sparing));
  // "a" and "b", with a restart in the middle of the second.
  const std::string_view astray("\0\1\0\0a\0\1\0\0b\0\0\0\0\7\0\0\0\2\0\0\0", 22);
  EXPECT_FALSE(holds_together(astray));
  EXPECT_FALSE(holds_together(""));
}

// Any bytes at all: answers may be wrong, but nothing outside the bytes is read (AddressSanitizer watches), and every
// walk ends.
TEST(Block, survives_every_flipped_bit_and_every_cut) {
  const std::string good = block_of(block_entries(20), 4);
  const auto walk = [](const std::string& bytes) {
    BlockCursor cursor(bytes);
    std::size_t steps = 0;
    for (cursor.first(); cursor.valid() && steps < 10'000; cursor.next()) ++steps;
    EXPECT_LT(steps, 10'000u);
    for (cursor.last(); cursor.valid() && steps < 20'000; cursor.previous()) ++steps;
    EXPECT_LT(steps, 20'000u);
    for (const char* key : {"", "aaa", "aaaa500", "zzz"}) {
      cursor.seek(key);
      (void)find_newest(bytes, key);
    }
    (void)sketch_of(bytes, Hasher::xxh3());
  };
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    walk(bad);
  }
  for (std::size_t length = 0; length < good.size(); ++length) walk(good.substr(0, length));
}

}  // namespace
}  // namespace bloomery::table
