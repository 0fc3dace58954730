// The filter of a table delivers the rate it is designed for, on keys that broke other filters: numbers of fixed width,
// the even ones in, the odd ones asked. Nobody tells the builder how many keys there will be.
#include <gtest/gtest.h>

#include <cstdio>

#include "bloomery/table/table.h"
#include "support/scratch.h"

namespace bloomery {
namespace {

std::string decimal(std::uint64_t number) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llu", static_cast<unsigned long long>(number));
  return text;
}

TEST(TableFpr, decimal_keys_even_in_and_odd_asked) {
  constexpr std::uint64_t kKeys = 300'000;
  const testing::Scratch scratch;
  for (const Kind kind : {Kind::split, Kind::block, Kind::classic}) {
    TableOptions options;
    options.filter = kind;
    options.filter_size = {.fpr = 0.01, .bits_per_key = {}, .numbers = {}};
    const std::string path = scratch / to_string(kind);
    TableBuilder builder = *TableBuilder::create(path, options);
    for (std::uint64_t i = 0; i < kKeys; ++i) ASSERT_TRUE(builder.add({.key = decimal(2 * i), .value = "v"}).ok());
    ASSERT_TRUE(builder.finish().ok());
    const auto table = *Table::open(path);
    for (std::uint64_t i = 0; i < kKeys; ++i)
      ASSERT_EQ(table->get(decimal(2 * i + 1))->state, Found::absent) << decimal(2 * i + 1);
    const TableStats stats = table->stats();
    std::printf("%s: designed for 1 %%, measured %.3f %%\n", to_string(kind), 100 * stats.measured_fpr);
    EXPECT_EQ(stats.asked, kKeys);
    EXPECT_NEAR(stats.measured_fpr / 0.01, 1, 0.1);
    EXPECT_FALSE(stats.alarm);
  }
}

}  // namespace
}  // namespace bloomery
