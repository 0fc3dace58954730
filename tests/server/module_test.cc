// The module in a server that is none (fuzz/fake_server.h): what Debian's servers cannot be asked for.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bloomery/detail/fnv.h"
#include "bloomery/scalable.h"
#include "fuzz/fake_server.h"
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

}  // namespace
}  // namespace bloomery::server
