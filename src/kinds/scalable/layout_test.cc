// What scalable adds to the promises of all kinds: its golden bytes, a chain that grows by itself below its rate, a
// directory that is never believed.
#include <gtest/gtest.h>

#include <cstdio>
#include <numeric>

#include "bloomery/detail/fnv.h"
#include "bloomery/scalable.h"
#include "support/key_shapes.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::scaled;

std::vector<Hash> hashes_from(std::uint64_t first, std::uint64_t count) {
  std::vector<Hash> hashes;
  for (std::uint64_t i = 0; i < count; ++i) hashes.emplace_back(detail::splitmix64(first + i));
  return hashes;
}

ScalableFilter chain_of(std::uint64_t first, double fpr, std::uint32_t growth = 2) {
  return *ScalableFilter::with_geometry(*ScalableGeometry::for_capacity(first, fpr, growth));
}

// How many of the keys from first on it contains.
std::uint64_t found(const ScalableFilter& chain, std::uint64_t first, std::uint64_t count) {
  std::uint64_t sum = 0;
  for (std::uint64_t done = 0; done < count; done += 100'000) {
    const std::vector<Hash> hashes = hashes_from(first + done, std::min<std::uint64_t>(100'000, count - done));
    std::vector<std::uint8_t> answers(hashes.size());
    chain.contains_many(hashes, answers);
    sum = std::accumulate(answers.begin(), answers.end(), sum);
  }
  return sum;
}

constexpr std::uint64_t kAbsent = std::uint64_t{1} << 50;

TEST(Scalable, bytes_are_those_of_the_golden_data) {
  const auto check = [](const nlohmann::json& row) {
    ScalableFilter one = chain_of(row["first"], row["fpr"], row["growth"].get<std::uint32_t>());
    ScalableFilter batch = *one.clone();
    const std::vector<Hash> keys = hashes_from(row["stream"][0], row["stream"][1]);
    for (const Hash& key : keys) EXPECT_TRUE(one.add(key).ok());
    EXPECT_TRUE(batch.add_many(keys).ok());
    EXPECT_EQ(one.geometry().values(), (row["words"].get<std::array<std::uint64_t, 6>>()));
    EXPECT_EQ(one, batch);
    EXPECT_EQ(one.key_count(), keys.size());
    EXPECT_EQ(batch.key_count(), keys.size());
    return one;
  };
  for (const auto& row : testing::vectors("scalable", "payloads")) {
    const ScalableFilter made = check(row);
    EXPECT_EQ(made.bytes(), row["bytes"].get<std::uint64_t>());
    EXPECT_EQ(Hasher::xxh3()(made.view().payload()).bits, testing::u64_from_hex(row["xxh3"])) << row;
    char rate[32];
    std::snprintf(rate, sizeof rate, "%.4g", made.predicted_fpr());
    EXPECT_EQ(std::string(rate), row["predicted_fpr"].get<std::string>()) << row;
  }
  const auto example = testing::vectors("scalable", "example");
  const std::vector<std::uint8_t> expected = testing::bytes_from_hex(example["hex"]);
  const ScalableFilter made = check(example);
  const auto payload = made.view().payload();
  EXPECT_TRUE(std::equal(payload.begin(), payload.end(), expected.begin(), expected.end()));
}

TEST(Scalable, grown_chains_lose_no_key_and_stay_below_the_target) {
  struct Case {
    std::uint64_t first, n;
    double fpr;
    std::uint32_t growth;
  };
  std::vector<Case> cases = {
      {1000, 1'000'000, 0.01, 2}, {1, 3000, 0.001, 2}, {10, 100'000, 0.01, 8}, {3000, 60'000, 0.05, 1}};
  if (testing::soak()) cases.insert(cases.end(), {{10, 10'000'000, 0.01, 2}, {1000, 10'000'000, 0.001, 2}});
  for (const auto& [first, n, fpr, growth] : cases) {
    ScalableFilter chain = chain_of(first, fpr, growth);
    ASSERT_TRUE(chain.add_many(hashes_from(0, n)).ok());
    EXPECT_EQ(found(chain, 0, n), n);
    EXPECT_EQ(chain.key_count(), n);
    const std::uint64_t asked = scaled<std::uint64_t>(1'000'000, 10'000'000);
    const double rate = static_cast<double>(found(chain, kAbsent, asked)) / static_cast<double>(asked);
    EXPECT_LE(rate, fpr) << n << " keys from " << first;
    EXPECT_NEAR(chain.predicted_fpr() / rate, 1, 0.1);
    EXPECT_NEAR(ScalableGeometry::for_capacity(first, fpr, growth)->predicted_fpr_after(n) / rate, 1, 0.1);
    EXPECT_NEAR(static_cast<double>(*chain.estimated_count()) / static_cast<double>(n), 1, 0.05);
    EXPECT_NEAR(chain.fill() / chain.geometry().expected_fill(n), 1, 0.05);
  }
}

TEST(Scalable, the_rate_stays_below_the_target_on_every_key_shape) {
  const std::uint64_t n = scaled<std::uint64_t>(50'000, 1'000'000), asked = scaled<std::uint64_t>(200'000, 5'000'000);
  for (const testing::Shape& shape : testing::kShapes) {
    ScalableFilter chain = chain_of(n / 100, 0.01);
    for (std::uint64_t i = 0; i < n; ++i) ASSERT_TRUE(chain.add(shape.key(i, n)).ok());
    for (std::uint64_t i = 0; i < n; i += 7) ASSERT_TRUE(chain.contains(shape.key(i, n)));
    std::uint64_t hits = 0;
    for (std::uint64_t i = n; i < n + asked; ++i) hits += chain.contains(shape.key(i, n));
    EXPECT_NEAR(static_cast<double>(hits) / static_cast<double>(asked) / chain.predicted_fpr(), 1, 0.1) << shape.name;
    EXPECT_LE(hits, asked / 100) << shape.name;
  }
}

TEST(Scalable, keys_that_come_again_do_not_make_it_longer) {
  ScalableFilter chain = chain_of(100, 0.01);
  std::vector<Hash> keys = hashes_from(0, 60);
  for (int round = 0; round < 20; ++round) ASSERT_TRUE(chain.add_many(keys).ok());
  EXPECT_EQ(chain.geometry().links, 1u);
  EXPECT_EQ(chain.key_count(), 20u * 60);
  const ScalableFilter longer = *ScalableLayout::grown(chain);
  EXPECT_EQ(longer.geometry().links, 2u);
  EXPECT_EQ(longer.key_count(), chain.key_count());
  EXPECT_EQ(found(longer, 0, 60), 60u);
  // In one batch too, where none of them was there when it began.
  ScalableFilter twice = chain_of(60, 0.01);
  keys.insert(keys.end(), keys.begin(), keys.end());
  ASSERT_TRUE(twice.add_many(keys).ok());
  EXPECT_EQ(twice.geometry().links, 1u);
}

TEST(Scalable, batches_of_any_size_answer_and_add_as_one_key_does) {
  ScalableFilter one = chain_of(5, 0.1, 3), many = chain_of(5, 0.1, 3);
  std::uint64_t next = 0;
  for (std::uint64_t size : {0u, 1u, 2u, 63u, 64u, 511u, 512u, 513u, 1500u}) {
    std::vector<Hash> keys = hashes_from(next, size);
    for (std::uint64_t i = 3; i < size; i += 5) keys[i] = keys[i - 3];
    for (const Hash& key : keys) ASSERT_TRUE(one.add(key).ok());
    ASSERT_TRUE(many.add_many(keys).ok());
    ASSERT_EQ(one, many);
    // Of every link, and of none.
    std::vector<Hash> asked;
    for (std::uint64_t i = 0; i < size; ++i)
      asked.emplace_back(detail::splitmix64(i * 7919 % (3 * (next + size) / 2 + 1)));
    std::vector<std::uint8_t> answers(size);
    one.contains_many(asked, answers);
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(answers[i] != 0, one.contains(asked[i]));
    next += size;
  }
}

TEST(Scalable, a_chain_that_can_grow_no_more_refuses_and_changes_nothing) {
  ScalableFilter chain = chain_of(1, 0.01, 1);
  Status status;
  std::uint64_t next = 0;
  while (status.ok()) status = chain.add(Hash(detail::splitmix64(next++)));
  EXPECT_EQ(status.error().code, ErrorCode::full);
  EXPECT_NE(status.error().message.find("fold"), std::string::npos);
  EXPECT_EQ(chain.geometry().links, 64u);
  EXPECT_EQ(chain.key_count(), next - 1);
  EXPECT_EQ(ScalableLayout::grown(chain).error().code, ErrorCode::full);
  const ScalableFilter before = *chain.clone();
  EXPECT_FALSE(chain.add(Hash(detail::splitmix64(next - 1))).ok());
  EXPECT_EQ(chain, before);
  EXPECT_TRUE(chain.add(Hash(detail::splitmix64(0))).ok()) << "what is there needs no room";
  EXPECT_EQ(found(chain, 0, next - 1), next - 1);
}

TEST(Scalable, fold_makes_one_link_with_the_same_target) {
  ScalableFilter chain = *ScalableFilter::with_geometry(*ScalableGeometry::for_capacity(10, 0.02, 3), Hasher::xxh3(7));
  const std::vector<Hash> keys = hashes_from(0, 5000);
  ASSERT_TRUE(chain.add_many(keys).ok());
  const ScalableFilter folded = *fold(chain, keys);
  EXPECT_EQ(folded.geometry().links, 1u);
  EXPECT_EQ(folded.geometry().link_capacity, 5000u);
  EXPECT_EQ(folded.geometry().growth, 3u);
  EXPECT_EQ(folded.geometry().fpr_ppt, chain.geometry().fpr_ppt);
  EXPECT_EQ(folded.hasher(), chain.hasher());
  EXPECT_LT(folded.bytes(), chain.bytes());
  EXPECT_EQ(found(folded, 0, 5000), 5000u);
  EXPECT_EQ(fold(chain_of(10, 0.01), std::vector<Hash>())->bits_set(), 0u);
}

TEST(Scalable, fold_refuses_fewer_keys_than_the_links_hold) {
  ScalableFilter chain = chain_of(10, 0.01);
  ASSERT_TRUE(chain.add_many(hashes_from(0, 1000)).ok());
  EXPECT_EQ(fold(chain, std::vector<Hash>()).error().field, "keys");
  EXPECT_EQ(fold(chain, hashes_from(0, 900)).error().field, "keys");
  EXPECT_TRUE(fold(chain, hashes_from(0, 1000)).ok());
}

TEST(Scalable, cleared_chains_are_empty_and_take_keys_again) {
  ScalableFilter chain = chain_of(10, 0.01);
  ASSERT_TRUE(chain.add_many(hashes_from(0, 100)).ok());
  chain.clear();
  EXPECT_EQ(chain.bits_set(), 0u);
  EXPECT_EQ(chain.predicted_fpr(), 0);
  EXPECT_EQ(found(chain, 0, 100), 0u);
  EXPECT_EQ(chain, *ScalableFilter::with_geometry(chain.geometry()));
  EXPECT_TRUE(ScalableView::from_payload(chain.view().payload(), chain.geometry()).ok());
  ASSERT_TRUE(chain.add_many(hashes_from(0, 500)).ok());
  EXPECT_EQ(found(chain, 0, 500), 500u);
}

TEST(Scalable, an_empty_view_contains_nothing_and_its_copy_takes_keys) {
  EXPECT_FALSE(ScalableView().contains("anything"));
  std::uint8_t answer = 1;
  ScalableView().contains_many(std::vector<Hash>{Hash(7)}, {&answer, 1});
  EXPECT_EQ(answer, 0);
  EXPECT_EQ(ScalableView().predicted_fpr(), 0);
  ScalableFilter copy = *ScalableFilter::copy_of(ScalableView(), 0);
  EXPECT_TRUE(copy.add(Hash(7)).ok());
  EXPECT_EQ(copy.geometry().links, 1u);
  EXPECT_TRUE(copy.add_many(hashes_from(0, 100)).ok());
  EXPECT_EQ(found(copy, 0, 100), 100u);
}

TEST(Scalable, damaged_directories_are_refused) {
  ScalableFilter chain = chain_of(10, 0.01);
  ASSERT_TRUE(chain.add_many(hashes_from(0, 60)).ok());
  ASSERT_EQ(chain.geometry().links, 3u);
  const std::vector<std::uint8_t> good(chain.view().payload().begin(), chain.view().payload().end());
  ASSERT_TRUE(ScalableView::from_payload(good, chain.geometry()).ok());
  const auto refused = [&](std::size_t at, std::uint64_t value) {
    std::vector<std::uint8_t> bad = good;
    detail::store_le(bad.data() + at, value);
    return !ScalableView::from_payload(bad, chain.geometry()).ok();
  };
  for (std::size_t entry : {0u, 32u, 64u}) {
    for (std::uint64_t blocks : {std::uint64_t{0}, std::uint64_t{9}, std::uint64_t{1} << 58, ~std::uint64_t{0}})
      EXPECT_TRUE(refused(entry, blocks));
    EXPECT_TRUE(refused(entry + 8, 0) && refused(entry + 8, 17) && refused(entry + 8, ~std::uint64_t{0}));
    EXPECT_TRUE(refused(entry + 16, 0) && refused(entry + 16, ~std::uint64_t{0}) && refused(entry + 24, 1000));
  }
  EXPECT_TRUE(refused(64 + 8, 16) && refused(64 + 16, 41)) << "the newest link is that of the geometry";
  ASSERT_GT(detail::load_le<std::uint64_t>(good.data() + 64), 1u);
  EXPECT_TRUE(refused(64, 1)) << "all blocks belong to a link";
  EXPECT_TRUE(refused(96, 1) && refused(120, std::uint64_t{1} << 63)) << "padding";
  EXPECT_FALSE(ScalableView::from_payload(std::span(good).first(good.size() - 64), chain.geometry()).ok());
}

TEST(Scalable, a_directory_that_changes_later_reads_nothing_outside_and_denies_nothing) {
  ScalableFilter chain = chain_of(10, 0.01);
  ASSERT_TRUE(chain.add_many(hashes_from(0, 60)).ok());
  std::vector<std::uint8_t> bytes(chain.view().payload().begin(), chain.view().payload().end());
  const ScalableView view = *ScalableView::from_payload(bytes, chain.geometry());
  detail::store_le(bytes.data() + 64, ~std::uint64_t{0});
  detail::store_le(bytes.data() + 72, ~std::uint64_t{0});
  const std::vector<Hash> keys = hashes_from(0, 60);
  std::vector<std::uint8_t> answers(60);
  view.contains_many(keys, answers);
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_TRUE(view.contains(keys[i]) && answers[i] == 1);
}

}  // namespace
}  // namespace bloomery
