// The series of scalable filters: its golden rows, its proof in integers, what it takes, what it refuses.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bloomery/geometry/scalable.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using Words = std::array<std::uint64_t, 6>;

TEST(ScalableSizing, first_links_are_those_of_the_golden_data) {
  for (const auto& row : testing::vectors("scalable", "first")) {
    const auto made = ScalableGeometry::for_capacity(row["n"], row["fpr"], row["growth"].get<std::uint64_t>());
    ASSERT_TRUE(made.ok()) << row;
    EXPECT_EQ(made->values(), row["words"].get<Words>()) << row;
    EXPECT_EQ(*ScalableGeometry::from_values(made->values()), *made);
  }
}

TEST(ScalableSizing, further_links_are_those_of_the_golden_data) {
  for (const auto& row : testing::vectors("scalable", "chains")) {
    ScalableGeometry chain =
        *ScalableGeometry::for_capacity(row["first"], row["fpr"], row["growth"].get<std::uint64_t>());
    std::uint64_t blocks = 0;
    for (std::uint32_t i = 0; i < row["links"].size(); ++i) {
      const auto [of_link, k, capacity] = row["links"][i].get<std::array<std::uint64_t, 3>>();
      EXPECT_EQ(ScalableGeometry::share_of_link(chain.fpr_ppt, i), row["shares"][i].get<std::uint64_t>());
      if (i > 0) chain = chain.with_link(*chain.next_link());
      blocks += of_link;
      EXPECT_EQ(chain.links, i + 1);
      EXPECT_EQ(chain.blocks, blocks);
      EXPECT_EQ(chain.link_k, k);
      EXPECT_EQ(chain.link_capacity, capacity);
    }
  }
}

TEST(ScalableSizing, shares_of_all_links_never_exceed_the_target) {
  for (std::uint64_t ppt : {ScalableGeometry::kLowestPpt, std::uint64_t{10'000'007}, std::uint64_t{999'999'999},
                            std::uint64_t{10'000'000'000}, ScalableGeometry::kHighestPpt}) {
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < 1000; ++i) sum += ScalableGeometry::share_of_link(ppt, i);
    EXPECT_LE(sum, ppt);
  }
}

TEST(ScalableSizing, the_rate_stays_below_the_target_at_any_number_of_keys) {
  for (double fpr : {0.1, 0.01, 0.001, 1e-5})
    for (std::uint32_t growth : {1u, 2u, 8u}) {
      const ScalableGeometry chain = *ScalableGeometry::for_capacity(1000, fpr, growth);
      for (std::uint64_t n : {1u, 1000u, 1001u, 3000u, 20'000u}) {
        EXPECT_LE(chain.predicted_fpr_after(n), fpr) << n << " keys, growth " << growth;
        EXPECT_GT(chain.predicted_fpr_after(n), 0);
      }
    }
  const double rates[] = {0.5, 0.5, 0.5};
  EXPECT_DOUBLE_EQ(ScalableGeometry::compound_fpr(rates), 0.875);
  EXPECT_EQ(ScalableGeometry::compound_fpr({}), 0);
}

TEST(ScalableSizing, a_million_keys_grown_from_a_thousand_take_less_than_twice_one_block_filter) {
  ScalableGeometry chain = *ScalableGeometry::for_capacity(1000, 0.01);
  for (std::uint64_t room = 1000; room < 1'000'000; room += chain.link_capacity)
    chain = chain.with_link(*chain.next_link());
  EXPECT_EQ(chain.links, 10u);
  const auto one = static_cast<double>(BlockGeometry::for_capacity(1'000'000, 0.01)->payload_bytes());
  EXPECT_LE(static_cast<double>(chain.payload_bytes()) / one, 1.85);
}

TEST(ScalableSizing, what_it_cannot_reach_is_refused_with_a_kind_that_can) {
  EXPECT_NE(ScalableGeometry::for_capacity(1000, 1e-6).error().message.find("'quotient'"), std::string::npos);
  for (double bad : {0.0, 1.0, 2.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_FALSE(ScalableGeometry::for_capacity(10, bad).ok());
  EXPECT_FALSE(ScalableGeometry::for_capacity(0, 0.01).ok());
  EXPECT_FALSE(ScalableGeometry::for_capacity(10, 0.01, 0).ok());
  EXPECT_FALSE(ScalableGeometry::for_capacity(10, 0.01, 9).ok());
  EXPECT_FALSE(ScalableGeometry::for_capacity(std::uint64_t{1} << 60, 0.01).ok());
  EXPECT_FALSE(ScalableGeometry::for_bits_per_key(1000, 1).ok());
  EXPECT_FALSE(ScalableGeometry::for_bits_per_key(0, 10).ok());
  EXPECT_FALSE(ScalableGeometry::for_bits_per_key(10, -1).ok());
  const ScalableGeometry by_bits = *ScalableGeometry::for_bits_per_key(100'000, 16);
  EXPECT_NEAR(static_cast<double>(by_bits.bits()) / 100'000, 16, 0.01);
  EXPECT_LE(by_bits.predicted_fpr_after(100'000) * 1e13, static_cast<double>(by_bits.fpr_ppt));
}

TEST(ScalableSizing, words_that_fit_no_chain_are_refused) {
  const Words good = {3, 200, 6, 4000, 2, 10'000'000'000};
  EXPECT_TRUE(ScalableGeometry::from_values(good).ok());
  const std::pair<std::size_t, std::uint64_t> bad[] = {{0, 0},
                                                       {0, 65},
                                                       {0, 1'000'000},
                                                       {0, ~0ull},
                                                       {1, 2},
                                                       {1, 0},
                                                       {1, (1ull << 54) + 1},
                                                       {1, ~0ull},
                                                       {2, 0},
                                                       {2, 17},
                                                       {3, 0},
                                                       {3, 198 * 512 + 1},
                                                       {3, ~0ull},
                                                       {4, 0},
                                                       {4, 9},
                                                       {5, 0},
                                                       {5, 9'999'999},
                                                       {5, 1'000'000'000'000}};
  for (const auto& [at, value] : bad) {
    Words words = good;
    words[at] = value;
    EXPECT_FALSE(ScalableGeometry::from_values(words).ok()) << at << " = " << value;
  }
}

TEST(ScalableSizing, a_chain_ends_with_an_error_that_names_the_way_out) {
  const auto links_of = [](double fpr, std::uint64_t first, std::uint32_t growth) {
    ScalableGeometry chain = *ScalableGeometry::for_capacity(first, fpr, growth);
    for (auto next = chain.next_link(); next.ok(); next = chain.next_link()) chain = chain.with_link(*next);
    EXPECT_EQ(chain.next_link().error().code, ErrorCode::full);
    EXPECT_NE(chain.next_link().error().message.find("fold"), std::string::npos);
    EXPECT_TRUE(ScalableGeometry::from_values(chain.values()).ok());
    return chain.links;
  };
  EXPECT_EQ(links_of(0.01, 1, 1), 64u);
  EXPECT_EQ(links_of(1e-5, 1, 1), 29u);
  EXPECT_LT(links_of(0.01, 1000, 8), 20u);  // 2^54 blocks end it
}

}  // namespace
}  // namespace bloomery
