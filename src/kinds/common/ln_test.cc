#include "kinds/common/ln.h"

#include <gtest/gtest.h>

#include <bit>

#include "bloomery/geometry/classic.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::u64_from_hex;
using testing::vectors;

TEST(Ln, is_correctly_rounded_where_that_is_hardest) {
  for (const auto& row : vectors("ln", "ln")) {
    const double x = std::bit_cast<double>(u64_from_hex(row["x"]));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(sizing::ln(x)), u64_from_hex(row["ln"])) << x;
  }
}

TEST(Ln, decides_the_size_of_classic_filters) {
  for (const auto& row : vectors("ln", "classic")) {
    const Result<ClassicGeometry> g = ClassicGeometry::for_capacity(row["n"], row["fpr"]);
    ASSERT_TRUE(g.ok()) << row;
    EXPECT_EQ(g->m, row["m"]) << row;
    EXPECT_EQ(g->k, row["k"]) << row;
  }
}

}  // namespace
}  // namespace bloomery
