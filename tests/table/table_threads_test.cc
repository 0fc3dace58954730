// Many threads at one table and one cache: gets, batches, walks, scans of prefixes and statistics at once. For
// ThreadSanitizer as much as for the answers.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "bloomery/table/table.h"
#include "support/scratch.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kKeys = 5000;

std::string shared_key(std::uint64_t i) { return std::to_string(1'000'000 + i); }

struct Way {
  const char* name;
  bool map = true, cache = false;
  std::uint64_t partition_bytes = 0;
};

class TableThreads : public ::testing::TestWithParam<Way> {};

TEST_P(TableThreads, get_the_right_answers_together) {
  const testing::Scratch scratch;
  TableOptions options;
  options.filter_partition_bytes = GetParam().partition_bytes;
  options.prefix = PrefixExtractor::fixed(4);
  options.compression = GetParam().cache ? Compression::lz4 : Compression::none;
  TableBuilder builder = *TableBuilder::create(scratch / "t.blt", options);
  for (std::uint64_t i = 0; i < kKeys; ++i) ASSERT_TRUE(builder.add({shared_key(2 * i), shared_key(i), i, false}).ok());
  ASSERT_TRUE(builder.finish().ok());

  TableReadOptions read;
  read.map = GetParam().map;
  if (GetParam().cache) read.cache = std::make_shared<BlockCache>(100'000);  // smaller than the table
  const std::shared_ptr<Table> table = *Table::open(scratch / "t.blt", read);
  std::atomic<std::uint64_t> wrong{0}, asked{0};
  const auto get = [&](std::uint64_t i) {
    const Result<Lookup> got = table->get(shared_key(i));
    wrong += got.ok() && got->found() == (i % 2 == 0) && (i % 2 != 0 || got->value == shared_key(i / 2)) ? 0 : 1;
    ++asked;
  };
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 2 * kKeys; ++i) get((i * 7919 + t * 1009) % (2 * kKeys));
      std::vector<std::string> names;
      for (std::uint64_t i = t; i < 2 * kKeys; i += 97) names.push_back(shared_key(i));
      const std::vector<std::string_view> keys(names.begin(), names.end());
      const auto results = table->multi_get(keys);
      for (std::size_t i = 0; i < keys.size(); ++i)
        wrong += (*results)[i].ok() && (*results)[i]->found() == ((t + 97 * i) % 2 == 0) ? 0 : 1;
      std::uint64_t visited = 0;
      TableIterator at = table->iterate();
      for (at.first(); at.valid(); at.next()) ++visited;
      wrong += at.status().ok() && visited == kKeys ? 0 : 1;
      at.seek_prefix("1009");
      wrong += at.valid() ? 0 : 1;
      (void)table->stats();
      if (t == 0) wrong += table->verify().ok() ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0u);
  EXPECT_EQ(asked.load(), 8 * kKeys);
  EXPECT_GE(table->stats().asked, asked.load());
}

INSTANTIATE_TEST_SUITE_P(Ways, TableThreads,
                         ::testing::Values(Way{"mapped"}, Way{"mapped_partitions", true, false, 1024},
                                           Way{"cache", true, true}, Way{"pread_cache_partitions", false, true, 1024},
                                           Way{"pread", false, false}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace bloomery
