// What fuse adds to the promises of every kind: it is built of any keys, in the space and with the rate that the page
// says, and the same for any number of threads. Golden bytes are in golden_test.cc.
#include "bloomery/fuse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "kinds/fuse/build.h"
#include "kinds/fuse/peel.h"
#include "support/static_sets.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::odd_sets;
using testing::random_set;
using testing::scaled;
using testing::StaticSets;

FuseGeometry target(std::uint32_t arity, std::uint32_t bits) { return {arity, bits}; }

// All four kinds of fuse filters there are.
template <class Use>
void for_all_targets(Use use) {
  for (const std::uint32_t arity : {3u, 4u})
    for (const std::uint32_t bits : {8u, 16u}) use(target(arity, bits));
}

double share_found(const FuseFilter& filter, std::uint64_t asked) {
  constexpr std::uint64_t kPiece = 100'000;
  std::vector<std::uint8_t> answers(kPiece);
  std::int64_t hits = 0;
  for (std::uint64_t done = 0; done < asked; done += kPiece) {
    filter.contains_many(random_set((std::uint64_t{1} << 50) + done, kPiece), answers);
    hits += std::count(answers.begin(), answers.end(), 1);
  }
  return static_cast<double>(hits) / static_cast<double>(asked);
}

TEST(Fuse, every_set_of_every_small_size_is_built_and_loses_no_key) {
  const std::uint64_t sets_of_size = scaled<std::uint64_t>(5, 10'000);
  for_all_targets([&](const FuseGeometry& geometry) {
    StaticSets<FuseLayout> sets(geometry);
    sets.check_sizes(0, 200, sets_of_size);
    if (geometry == target(3, 8)) sets.check_sizes(11'480, 11'521, testing::soak() ? sets_of_size : 1);
    else if (testing::soak()) sets.check_sizes(11'480, 11'521, 1000);
    sets.print("fuse, " + std::to_string(geometry.arity) + " of " + std::to_string(geometry.fingerprint_bits));
  });
}

TEST(Fuse, sets_that_are_nothing_like_hashes_are_built) {
  for_all_targets([](const FuseGeometry& geometry) {
    StaticSets<FuseLayout> sets(geometry);
    for (const std::uint64_t n : {1u, 2u, 64u, 1000u, 20'000u})
      for (const testing::NamedSet& set : odd_sets(n)) {
        SCOPED_TRACE(set.name);
        EXPECT_LE(sets.check(set.hashes).bytes(), 8 * n + 200);
      }
    sets.print("fuse, odd sets");
  });
}

TEST(Fuse, large_sets_keep_to_their_space_and_rate_for_any_number_of_threads) {
  struct Bar {
    std::uint32_t arity;
    double at_100_thousand, from_a_million;
  };
  for (const Bar& bar : {Bar{3, 1.18, 1.13}, Bar{4, 1.13, 1.08}}) {
    for (const std::uint64_t n :
         {std::uint64_t{100'000}, std::uint64_t{1'000'000}, scaled<std::uint64_t>(0, 200'000'000)}) {
      if (n == 0) continue;
      StaticSets<FuseLayout> sets(target(bar.arity, 8));
      const std::vector<Hash> keys = random_set(5, n);
      const FuseFilter filter = sets.check(keys, 3);
      const double slots = static_cast<double>(8 * filter.bytes()) / static_cast<double>(8 * n);
      EXPECT_LE(slots, n < 1'000'000 ? bar.at_100_thousand : bar.from_a_million) << n;
      EXPECT_EQ(filter.geometry().parts > 1, n >= 1'000'000);
      EXPECT_EQ(filter.key_count(), n);
      EXPECT_EQ(filter.estimated_count(), n);
      const std::uint64_t asked = scaled<std::uint64_t>(2'000'000, 100'000'000);
      const double chance = 4 * std::sqrt(256.0 / static_cast<double>(asked));
      EXPECT_NEAR(share_found(filter, asked) * 256, 1, std::max(0.01, chance)) << n;
      if (bar.arity == 3 || testing::soak()) {
        EXPECT_TRUE(filter == sets.check(keys, 1)) << "other bytes by one thread";
      }
    }
  }
}

TEST(FuseFpr, sixteen_bits_measure_two_to_the_minus_sixteen) {
  for (const std::uint32_t arity : {3u, 4u}) {
    // Near, and too large for a second-level cache: batches are of two kinds.
    const std::uint64_t n = arity == 3 ? 10'000 : 1'300'000;
    const FuseFilter filter = StaticSets<FuseLayout>(target(arity, 16)).check(random_set(1, n), 2);
    const std::uint64_t asked = scaled<std::uint64_t>(4'000'000, 400'000'000);
    const double chance = 4 * std::sqrt(65536.0 / static_cast<double>(asked));
    EXPECT_NEAR(share_found(filter, asked) * 65536, 1, std::max(0.02, chance)) << n;
    EXPECT_EQ(filter.predicted_fpr(), 0x1p-16);
  }
}

// Of hashes that are not random there is one part, whatever their number.
TEST(Fuse, a_million_sequential_hashes_are_one_part) {
  std::vector<Hash> keys;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) keys.emplace_back(i);
  const FuseFilter filter = StaticSets<FuseLayout>(target(3, 8)).check(keys, 2);
  EXPECT_EQ(filter.geometry().parts, 1u);
  EXPECT_GT(filter.retries(), 0u) << "seed 0 leaves their order";
}

TEST(Fuse, nothing_is_in_a_filter_of_no_keys) {
  for_all_targets([](const FuseGeometry& geometry) {
    const FuseFilter empty = StaticSets<FuseLayout>(geometry).check({});
    EXPECT_EQ(share_found(empty, 100'000), 0);
    for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_FALSE(empty.contains(Hash(detail::splitmix64(i))));
    EXPECT_EQ(empty.predicted_fpr(), 0);
    EXPECT_EQ(empty.key_count(), 0u);
    EXPECT_LE(empty.bytes(), 16u);
  });
}

// Wide ones are those of parts of more keys than 24 bits count.
void expect_same_by_both_words(const std::vector<Hash>& keys, const FuseGeometry& geometry) {
  using Probe = detail::FuseProbe<3, std::uint16_t>;
  const detail::FuseRing ring(geometry);
  auto narrow = detail::FusePeeler<detail::FuseSmallWords>::make(geometry.slots, keys.size());
  auto wide = detail::FusePeeler<detail::FuseLargeWords>::make(geometry.slots, keys.size());
  for (std::size_t seed = 0; seed < 3; ++seed) {
    std::vector<std::uint8_t> a(2 * geometry.slots), b(2 * geometry.slots);
    const std::uint64_t factor = detail::fuse_factor(1, seed);
    EXPECT_EQ(narrow->solve<Probe>(keys, ring, factor, a.data()), wide->solve<Probe>(keys, ring, factor, b.data()));
    EXPECT_EQ(a, b);
  }
}

TEST(Fuse, wide_words_make_the_same_bytes_as_narrow_ones) {
  expect_same_by_both_words(random_set(1, 40'000), target(3, 16).for_part_of(40'000));
  for (const auto& row : testing::vectors("fuse", "hashes")) {  // among them 256 keys in a slot, one too many
    std::vector<Hash> keys;
    for (const auto& hash : row["hashes"]) keys.emplace_back(testing::u64_from_hex(hash));
    if (row["arity"] == 3 && row["keys"] == keys.size())
      expect_same_by_both_words(keys, target(3, 16).for_part_of(keys.size()));
  }
}

TEST(Fuse, foreign_bytes_of_any_content_are_asked_safely) {
  std::mt19937_64 random(5);
  for_all_targets([&](FuseGeometry geometry) {
    geometry = {geometry.arity, geometry.fingerprint_bits, 3, 4, 13, 20};
    std::vector<std::uint8_t> bytes(geometry.payload_bytes());
    for (int round = 0; round < 40; ++round) {
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(round % 2 == 0 ? random() : 0xff);
      const FuseView view = *FuseView::from_payload(bytes, geometry);
      std::vector<Hash> hashes;
      for (int i = 0; i < 100; ++i) hashes.emplace_back(random());
      hashes.emplace_back(~std::uint64_t{0});
      std::vector<std::uint8_t> answers(hashes.size());
      view.contains_many(hashes, answers);
      for (std::size_t i = 0; i < hashes.size(); ++i) ASSERT_EQ(answers[i], view.contains(hashes[i]));
    }
    EXPECT_FALSE(FuseView::from_payload(std::span(bytes).first(bytes.size() - 1), geometry).ok());
  });
}

}  // namespace
}  // namespace bloomery
