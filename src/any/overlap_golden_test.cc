// The pairs of filters of spec/vectors/overlap.json tell what the specification says.
#include <gtest/gtest.h>

#include <cmath>

#include "any/registry.h"
#include "bloomery/detail/fnv.h"
#include "bloomery/overlap.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::vectors;

AnyFilter empty_filter(const nlohmann::json& row) {
  const any::KindEntry& entry = *any::find_kind(*kind_from_name(row["kind"].get<std::string>()));
  any::GeometryWords words{};
  for (std::size_t i = 0; i < row["words"].size(); ++i) words[i] = row["words"][i];
  const any::CheckedGeometry geometry = *entry.parse(words);
  const std::vector<std::uint8_t> zeros(any::payload_bytes(geometry));
  return *AnyFilter::copy_of(*entry.view_over(zeros, geometry, Hasher::xxh3()), 0);
}

void add_range(AnyFilter& filter, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t i = first; i < first + count; ++i) ASSERT_TRUE(filter.add(Hash(detail::splitmix64(i))).ok());
}

void expect_near(const Estimate& found, const nlohmann::json& expected, double ends, const std::string& what) {
  const double value = expected[0];
  EXPECT_NEAR(found.value, value, 1e-9 * std::max(1.0, value)) << what;
  EXPECT_NEAR(found.low, expected[1].get<double>(), ends) << what;
  EXPECT_NEAR(found.high, expected[2].get<double>(), ends) << what;
}

TEST(OverlapVectors, pairs_of_filters_tell_what_the_vectors_have) {
  for (const auto& row : vectors("overlap", "pairs")) {
    const std::uint64_t both = row["both"], only_a = row["only_a"], only_b = row["only_b"];
    AnyFilter a = empty_filter(row), b = empty_filter(row);
    add_range(a, 0, both + only_a);
    add_range(b, 0, both);
    add_range(b, both + only_a, only_b);
    EXPECT_EQ(a.view().bits_set(), row["cells_a"]);
    EXPECT_EQ(b.view().bits_set(), row["cells_b"]);
    const Result<Overlap> found = overlap(a.view(), b.view());
    ASSERT_EQ(found.ok(), row["refused"].is_null()) << row;
    if (!found.ok()) {
      EXPECT_EQ(found.error().field, row["refused"]) << row;
      continue;
    }
    expect_near(found->a, row["a"], 0, row.dump());
    expect_near(found->b, row["b"], 0, row.dump());
    expect_near(found->all, row["all"], 0, row.dump());
    expect_near(found->common, row["common"], 0, row.dump());
    expect_near(found->jaccard, row["jaccard"], 1e-6, row.dump());
  }
}

}  // namespace
}  // namespace bloomery
