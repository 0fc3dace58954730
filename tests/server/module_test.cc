// The module in a server that is none (fuzz/fake_server.h): what Debian's servers cannot be asked for.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "bloomery/detail/fnv.h"
#include "bloomery/scalable.h"
#include "fuzz/fake_server.h"
#include "server/bloom_chain.h"
#include "server/memory.h"
#include "server/scalable_growth.h"

namespace bloomery::server {
namespace {

class Module : public testing::Test {
 protected:
  Module() {
    fake::start();
    fake::always_aligned = true;
    fake::most_memory = std::size_t{64} << 20;
  }
  ~Module() override { fake::clear(); }

  static void call(const std::vector<std::string>& words) {
    fake::call(words);
    EXPECT_EQ(fake::reply.error, "") << words[0];
  }
  static bool exists(const std::string& command, int item) {
    call({command, "k", std::to_string(item)});
    return fake::reply.number == 1;
  }
};

// Creates the key "k" in so many pieces that can move, and how it is asked.
struct Case {
  std::vector<std::string> create;
  std::string add, exists;
  std::uint64_t pieces;
};

TEST_F(Module, values_move_where_the_server_wants_them_and_lose_no_key) {
  std::vector<Case> cases = {{{"BF.RESERVE", "k", "0.01", "300"}, "BF.ADD", "BF.EXISTS", 1},
                             {{"BF.ADD", "k", "0"}, "BF.ADD", "BF.EXISTS", 1},  // exact hashes
                             {{"CF.RESERVE", "k", "300"}, "CF.ADD", "CF.EXISTS", 1},
                             {{"BLM.WINDOW", "k", "WINDOWS", "3", "CAPACITY", "300"}, "BLM.ADD", "BLM.EXISTS", 3}};
  for (const char* kind :
       {"classic", "split", "block", "counting", "partitioned", "scalable", "stable", "cuckoo", "quotient"})
    cases.push_back({{"BLM.RESERVE", "k", "KIND", kind, "CAPACITY", "300"}, "BLM.ADD", "BLM.EXISTS", 1});
  for (const Case& one : cases) {
    fake::clear();
    call(one.create);
    for (int i = 0; i < 200; ++i) call({one.add, "k", std::to_string(i)});
    const std::uint64_t before = fake::moved;
    fake::defragment("k");
    EXPECT_EQ(fake::moved - before, one.pieces) << one.create[0] << " " << one.create[3];
    for (int i = 0; i < 200; ++i) EXPECT_TRUE(exists(one.exists, i)) << one.create[0] << " " << i;
    for (int i = 200; i < 300; ++i) call({one.add, "k", std::to_string(i)});  // it takes keys where it is now
    fake::defragment("k");
    for (int i = 0; i < 300; ++i) EXPECT_TRUE(exists(one.exists, i)) << one.create[0] << " " << i;
  }
}

TEST_F(Module, large_payloads_stay_where_they_are) {
  call({"BLM.RESERVE", "k", "KIND", "block", "CAPACITY", "100000"});
  const std::uint64_t before = fake::moved;
  fake::defragment("k");
  EXPECT_EQ(fake::moved, before);
}

// BF.EXISTS fetches a line of the chain that was asked before. Under ASan a read there would be found.
TEST_F(Module, questions_are_right_when_the_chain_that_was_asked_before_has_gone) {
  for (const char* capacity : {"5000", "300"}) {
    call({"BF.RESERVE", "k", "0.01", capacity});
    EXPECT_FALSE(exists("BF.EXISTS", 1)) << capacity;
    call({"BF.ADD", "k", "1"});
    EXPECT_TRUE(exists("BF.EXISTS", 1)) << capacity;
    fake::clear();
    EXPECT_FALSE(exists("BF.EXISTS", 1)) << capacity;
  }
}

TEST_F(Module, sliced_growth_makes_the_bytes_that_the_library_makes) {
  const FilterOptions options(Hasher::xxh3(), &server_memory);
  ScalableFilter sliced = *ScalableFilter::with_capacity(1000, 0.01, options);
  ScalableFilter whole = *sliced.clone();
  ScalableGrowth growth(0);
  std::uint64_t prepared = 0, grown = 0;
  constexpr std::uint64_t kAll = std::uint64_t{1} << 40;
  for (std::uint64_t i = 0; i < 60'000; ++i) {
    const Hash hash(detail::splitmix64(i / 2));  // each twice: one that is there makes no chain grow
    const std::uint32_t links = sliced.geometry().links;
    ASSERT_TRUE(growth.before_add(sliced, hash, kAll).ok());
    ASSERT_TRUE(sliced.add(hash).ok());
    growth.after_add(sliced, hash);
    ASSERT_TRUE(whole.add(hash).ok());
    prepared += growth.prepares() ? 1 : 0;
    if (sliced.geometry().links == links) continue;
    ++grown;
    ASSERT_EQ(sliced, whole) << i;
  }
  EXPECT_EQ(sliced, whole);
  EXPECT_EQ(sliced.key_count(), whole.key_count());
  EXPECT_GE(grown, 4u);
  EXPECT_GT(prepared, 1000u) << "nothing was prepared";
}

TEST_F(Module, a_chain_that_changes_otherwise_is_prepared_again) {
  const FilterOptions options(Hasher::xxh3(), &server_memory);
  ScalableFilter chain = *ScalableFilter::with_capacity(1000, 0.01, options);
  ScalableGrowth growth(0);
  std::uint64_t next = 0;
  const auto add = [&](std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const Hash hash(detail::splitmix64(next++));
      ASSERT_TRUE(growth.before_add(chain, hash, std::uint64_t{1} << 40).ok() && chain.add(hash).ok());
      growth.after_add(chain, hash);
    }
  };
  add(950);
  EXPECT_TRUE(growth.prepares());
  chain = *ScalableFilter::with_capacity(500, 0.01, options);  // what was prepared is of the old one
  ScalableFilter whole = *chain.clone();
  const std::uint64_t first = next;
  add(5000);
  for (std::uint64_t i = first; i < next; ++i) ASSERT_TRUE(whole.add(Hash(detail::splitmix64(i))).ok());
  EXPECT_EQ(chain, whole);
}

// What jemalloc takes for so many bytes: it has four sizes for each doubling.
std::uint64_t size_class(std::uint64_t bytes) {
  const std::uint64_t step = std::bit_floor(bytes - 1) / 4;
  return (bytes + step - 1) / step * step;
}

TEST(BloomChainShares, keep_the_rate_and_the_memory_after_growth) {
  double sum = 0;
  for (std::size_t i = 0; i < BloomChain::kMaxLinks; ++i) sum += BloomChain::share_of_link(i);
  EXPECT_LE(sum, 1);
  EXPECT_GT(sum, 0.999);
  constexpr std::uint64_t kLimit = std::uint64_t{128} << 20;  // of bytes of a filter
  std::uint64_t bytes = 0, keys = 0, capacity = BloomChain::kFirstLink;
  const auto times = [&](std::uint64_t n) {
    return static_cast<double>(bytes) / static_cast<double>(BlockGeometry::for_capacity(n, 0.01)->payload_bytes());
  };
  for (std::size_t i = 0;; ++i, capacity *= 2) {
    bytes += size_class(BlockGeometry::for_capacity(capacity, 0.01 * BloomChain::share_of_link(i))->payload_bytes());
    if (bytes > kLimit) break;
    // A large link is taken when the one before has 31/32 of its keys.
    const std::uint64_t grown = keys > 4'000'000 ? keys - keys / 63 : keys + 1;
    EXPECT_LE(times(std::max<std::uint64_t>(grown, 10'001)), 4.5) << i;
    EXPECT_TRUE(keys < 50'000 || times(grown) <= 3.6) << i << ": " << times(grown);
    keys += capacity;
    EXPECT_TRUE(keys < 10'000 || times(keys) <= 1.8) << i << ": " << times(keys);
  }
  EXPECT_GT(keys, 30'000'000u);
}

}  // namespace
}  // namespace bloomery::server
