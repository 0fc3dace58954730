// What split and block add to the promises of tests/properties: their golden bytes, their sizes, their limits.
#include <gtest/gtest.h>

#include <cstdio>

#include "bloomery/bloomery.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

double bits_per_key(std::uint64_t bytes, std::uint64_t n) {
  return 8 * static_cast<double>(bytes) / static_cast<double>(n);
}

TEST(Sizing, block_and_split_need_the_promised_bits_per_key) {
  const std::uint64_t n = 1'000'000;
  EXPECT_LE(bits_per_key(BlockGeometry::for_capacity(n, 0.01)->payload_bytes(), n), 9.95);
  EXPECT_LE(bits_per_key(SplitGeometry::for_capacity(n, 0.01)->payload_bytes(), n), 10.6);
  EXPECT_LE(bits_per_key(BlockGeometry::for_capacity(n, 0.001)->payload_bytes(), n), 15.7);
  EXPECT_LE(bits_per_key(SplitGeometry::for_capacity(n, 0.001)->payload_bytes(), n), 17.0);
}

TEST(Sizing, best_k_of_block_follows_the_bits_per_key) {
  const std::pair<double, std::uint32_t> table[] = {{5, 3},   {6, 4},   {7, 5},   {8, 5},   {9, 6},
                                                    {10, 6},  {11, 7},  {12, 8},  {14, 9},  {16, 9},
                                                    {18, 10}, {20, 11}, {24, 12}, {28, 14}, {32, 15}};
  for (const auto& [bits, k] : table) EXPECT_EQ(BlockGeometry::for_bits_per_key(10'000'000, bits)->k, k) << bits;
}

TEST(Sizing, the_fewest_blocks_that_meet_the_target_are_found) {
  for (std::uint64_t n : {std::uint64_t{1}, std::uint64_t{10}, std::uint64_t{1000}, std::uint64_t{1'000'000}}) {
    for (double fpr : {0.1, 0.01, 0.001, 1e-5}) {
      const SplitGeometry split = *SplitGeometry::for_capacity(n, fpr);
      EXPECT_LE(split.predicted_fpr_after(n), fpr);
      if (split.blocks > 1) {
        EXPECT_GT(SplitGeometry{split.blocks - 1}.predicted_fpr_after(n), fpr);
      }
      const BlockGeometry block = *BlockGeometry::for_capacity(n, fpr);
      EXPECT_LE(block.predicted_fpr_after(n), fpr);
      for (std::uint32_t k = 1; block.blocks > 1 && k <= 16; ++k)
        EXPECT_GT((BlockGeometry{block.blocks - 1, k}.predicted_fpr_after(n)), fpr);
    }
  }
}

TEST(Sizing, what_a_blocked_kind_cannot_reach_is_refused_with_a_kind_that_can) {
  EXPECT_NE(SplitGeometry::for_capacity(1000, 1e-6).error().message.find("'block'"), std::string::npos);
  EXPECT_FALSE(BlockGeometry::for_capacity(1000, 1e-8).ok());
  EXPECT_NE(SplitGeometry::for_capacity(100'000'000'000, 0.01).error().message.find("'block'"), std::string::npos);
  for (double bad : {0.0, 1.0, 2.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_FALSE(SplitGeometry::for_capacity(10, bad).ok());
    EXPECT_FALSE(BlockGeometry::for_capacity(10, bad).ok());
  }
  EXPECT_FALSE(BlockGeometry::for_capacity(0, 0.01).ok());
  EXPECT_FALSE(BlockGeometry::make(0, 6).ok());
  EXPECT_FALSE(BlockGeometry::make(1ull << 60, 6).ok());
  EXPECT_FALSE(BlockGeometry::make(1, 0).ok());
  EXPECT_FALSE(BlockGeometry::make(1, 17).ok());
  EXPECT_FALSE(SplitGeometry::make(0).ok());
  EXPECT_FALSE(SplitGeometry::make((1ull << 28) + 1).ok());
  EXPECT_FALSE(SplitFilter::with_geometry({0}).ok());
  EXPECT_EQ(BlockFilter::with_geometry({1ull << 50, 6}).error().code, ErrorCode::out_of_memory);
}

TEST(Blocked, rates_of_filters_at_hand_are_those_of_the_golden_data) {
  const auto check = [](auto filter, const nlohmann::json& row) {
    for (std::uint64_t i = 0; i < row["stream"][1]; ++i)
      filter.add(Hash(detail::splitmix64(row["stream"][0].get<std::uint64_t>() + i)));
    char rate[32];
    std::snprintf(rate, sizeof rate, "%.4g", filter.predicted_fpr());
    EXPECT_EQ(std::string(rate), row["predicted_fpr"].get<std::string>()) << row;
    filter.clear();
    EXPECT_EQ(filter.predicted_fpr(), 0);
  };
  for (const auto& row : testing::vectors("blocked", "split_payloads"))
    check(*SplitFilter::with_geometry({row["nblocks"]}), row);
  for (const auto& row : testing::vectors("blocked", "block_payloads"))
    check(*BlockFilter::with_geometry({row["nblocks"], row["k"]}), row);
}

TEST(Blocked, a_payload_of_another_length_is_refused) {
  const std::vector<std::uint8_t> bytes(128);
  EXPECT_TRUE(SplitView::from_payload(bytes, {4}).ok());
  EXPECT_TRUE(BlockView::from_payload(bytes, {2, 6}).ok());
  EXPECT_FALSE(BlockView::from_payload(bytes, {3, 6}).ok());
  EXPECT_FALSE(BlockView::from_payload(std::span(bytes).first(127), {2, 6}).ok());
  EXPECT_FALSE(SplitView::from_payload(std::span(bytes).first(100), {4}).ok());
  EXPECT_FALSE(SplitView().contains("anything"));
  EXPECT_FALSE(BlockView().contains("anything"));
}

TEST(Blocked, merge_of_unequal_geometries_names_both) {
  BlockFilter a = *BlockFilter::with_geometry({10, 6}), b = *BlockFilter::with_geometry({11, 6});
  const std::string message = a.merge(b).error().message;
  EXPECT_NE(message.find("blocks = 10"), std::string::npos);
  EXPECT_NE(message.find("blocks = 11"), std::string::npos);
  AnyFilter block = *a.clone(), split = *SplitFilter::with_geometry({20});
  EXPECT_EQ(block.merge(split).error().code, ErrorCode::mismatch);
}

TEST(Blocked, envelopes_of_both_kinds_notice_every_bit_flip) {
  SplitFilter split = *SplitFilter::with_geometry({2});
  BlockFilter block = *BlockFilter::with_geometry({1, 5});
  split.add("a");
  block.add("a");
  for (const AnyView& view : {AnyView(split.view()), AnyView(block.view())}) {
    const std::vector<std::uint8_t> good = *encode(view, Format::envelope, 1);
    ASSERT_TRUE(decode(good)->view == view);
    EXPECT_FALSE(encode(view, Format::raw).ok()) << "only classic has a raw file";
    for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
      std::vector<std::uint8_t> flipped = good;
      flipped[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
      ASSERT_FALSE(decode(flipped).ok()) << "bit " << bit;
    }
  }
}

}  // namespace
}  // namespace bloomery
