// What stable adds to the promises of all kinds: its golden bytes, a window that is remembered for certain, the curve
// by which it forgets, and a rate that stays on its plateau.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>

#include "bloomery/detail/fnv.h"
#include "bloomery/stable.h"
#include "support/key_shapes.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::scaled;

constexpr std::uint64_t kAbsent = std::uint64_t{1} << 50;

Hash hash_of(std::uint64_t i) { return Hash(detail::splitmix64(i)); }

std::vector<Hash> hashes_from(std::uint64_t first, std::uint64_t count) {
  std::vector<Hash> hashes;
  for (std::uint64_t i = 0; i < count; ++i) hashes.push_back(hash_of(first + i));
  return hashes;
}

double rate(const StableFilter& filter, std::uint64_t first, std::uint64_t asked) {
  const std::vector<Hash> hashes = hashes_from(first, asked);
  std::vector<std::uint8_t> answers(asked);
  filter.seen_recently_many(hashes, answers);
  return static_cast<double>(std::count(answers.begin(), answers.end(), 1)) / static_cast<double>(asked);
}

TEST(Stable, bytes_are_those_of_the_golden_data) {
  const auto check = [](const nlohmann::json& row) {
    const auto geometry = *StableGeometry::from_values(row["words"].get<std::array<std::uint64_t, 3>>());
    StableFilter one = *StableFilter::with_geometry(geometry), batch = *StableFilter::with_geometry(geometry);
    const std::vector<Hash> keys = hashes_from(row["stream"][0], row["stream"][1]);
    for (const Hash& key : keys) one.add(key);
    (void)batch.add_many(keys);
    EXPECT_EQ(one, batch);
    EXPECT_EQ(one.key_count(), keys.size());
    EXPECT_TRUE(StableView::from_payload(one.view().payload(), geometry).ok());
    return one;
  };
  for (const auto& row : testing::vectors("stable", "payloads")) {
    const StableFilter made = check(row);
    EXPECT_EQ(Hasher::xxh3()(made.view().payload()).bits, testing::u64_from_hex(row["xxh3"])) << row;
    EXPECT_EQ(detail::load_le<std::uint64_t>(made.view().payload().data()), row["hand"].get<std::uint64_t>());
    std::uint64_t seen = 0;
    for (const Hash& key : hashes_from(row["stream"][0], row["stream"][1])) seen += made.seen_recently(key);
    EXPECT_EQ(seen, row["seen_recently"].get<std::uint64_t>()) << row;
  }
  const auto example = testing::vectors("stable", "example");
  const StableFilter made = check(example);
  const std::vector<std::uint8_t> expected = testing::bytes_from_hex(example["hex"]);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), made.view().payload().begin(), made.view().payload().end()));
}

// Against a model, the last so many adds: any of them must be found, whatever was added, repeated keys included.
TEST(Stable, every_key_of_the_last_n_adds_is_found) {
  for (const auto& [n, fpr] : {std::pair<std::uint64_t, double>{1, 0.01}, {2, 0.5}, {30, 0.001}, {1000, 0.1}}) {
    StableFilter filter = *StableFilter::with_capacity(n, fpr);
    const std::uint64_t window = filter.geometry().remembered_adds() + 1;
    EXPECT_GT(window, n);
    std::deque<std::uint64_t> last;
    const std::uint64_t adds = scaled<std::uint64_t>(20'000, 1'000'000);
    for (std::uint64_t i = 0; i < adds; ++i) {
      const std::uint64_t dice = detail::splitmix64(~i);
      const std::uint64_t key = dice % 4 == 0 ? dice % 50 : i;
      filter.add(hash_of(key));
      last.push_back(key);
      if (last.size() > window) last.pop_front();
      ASSERT_TRUE(filter.seen_recently(hash_of(last.front()))) << "n = " << n << ", add " << i;
      ASSERT_TRUE(filter.seen_recently(hash_of(last[dice % last.size()])));
    }
  }
}

TEST(Stable, the_rate_settles_on_the_plateau_over_a_hundred_times_n) {
  for (const auto& [n, fpr] : {std::pair<std::uint64_t, double>{5000, 0.1}, {50'000, 0.01}, {50'000, 0.001}}) {
    StableFilter filter = *StableFilter::with_capacity(n, fpr);
    const double plateau = filter.geometry().predicted_fpr_after(100 * n);
    EXPECT_LE(plateau, fpr);
    double measured = 0, predicted = 0;
    std::uint64_t next = 0;
    for (int times : {4, 10, 30, 100}) {
      for (; next < static_cast<std::uint64_t>(times) * n; ++next) filter.add(hash_of(next));
      const std::uint64_t asked = scaled<std::uint64_t>(300'000, 10'000'000);
      measured += rate(filter, kAbsent + next, asked) / 4;
      predicted += filter.predicted_fpr() / 4;
      EXPECT_NEAR(filter.fill() / filter.geometry().expected_fill(next), 1, 0.01);
      EXPECT_NEAR(filter.predicted_fpr() / plateau, 1, 0.1) << times << " times " << n;
    }
    EXPECT_NEAR(measured / plateau, 1, 0.1) << fpr;
    EXPECT_NEAR(measured / predicted, 1, 0.1) << fpr;
    EXPECT_EQ(filter.estimated_count(), std::nullopt);
  }
}

TEST(Stable, the_rate_climbs_to_the_plateau_as_the_formula_says) {
  StableFilter filter = *StableFilter::with_capacity(100'000, 0.01);
  std::uint64_t next = 0;
  for (std::uint64_t n : {50'000u, 100'000u, 140'000u}) {
    for (; next < n; ++next) filter.add(hash_of(next));
    EXPECT_NEAR(rate(filter, kAbsent + next, 1'000'000) / filter.geometry().predicted_fpr_after(n), 1, 0.1) << n;
  }
}

TEST(Stable, small_filters_are_never_above_the_formula) {
  for (std::uint64_t n : {1u, 10u, 19u, 40u, 100u, 300u}) {
    StableFilter filter = *StableFilter::with_capacity(n, 0.01);
    const double plateau = filter.geometry().predicted_fpr_after(1'000'000);
    EXPECT_LE(plateau, 0.01);
    double measured = 0;
    const std::uint64_t states = scaled<std::uint64_t>(2000, 20'000);
    for (std::uint64_t state = 0; state < states; ++state) {
      for (std::uint64_t i = 0; i < 7; ++i) filter.add(hash_of(7 * state + i));
      measured += rate(filter, kAbsent + 100 * state, 100) / static_cast<double>(states);
    }
    EXPECT_LE(measured / plateau, 1.1) << n;
    EXPECT_GE(measured / plateau, 0.75) << n;
  }
}

TEST(Stable, the_plateau_holds_on_every_key_shape) {
  const std::uint64_t n = scaled<std::uint64_t>(5000, 100'000), adds = 4 * n,
                      asked = scaled<std::uint64_t>(200'000, 5'000'000);
  for (const testing::Shape& shape : testing::kShapes) {
    StableFilter filter = *StableFilter::with_capacity(n, 0.01);
    for (std::uint64_t i = 0; i < adds; ++i) filter.add(shape.key(i, adds));
    for (std::uint64_t i = adds - n; i < adds; i += 7) ASSERT_TRUE(filter.seen_recently(shape.key(i, adds)));
    std::uint64_t hits = 0;
    for (std::uint64_t i = adds; i < adds + asked; ++i) hits += filter.seen_recently(shape.key(i, adds));
    const double measured = static_cast<double>(hits) / static_cast<double>(asked);
    EXPECT_NEAR(measured / filter.predicted_fpr(), 1, 0.1) << shape.name;
    EXPECT_NEAR(measured / filter.geometry().predicted_fpr_after(adds), 1, 0.15) << shape.name;
  }
}

TEST(Stable, keys_are_forgotten_along_the_curve) {
  StableFilter filter = *StableFilter::with_capacity(2000, 0.01);
  const std::uint64_t sure = filter.geometry().remembered_adds(), asked = scaled<std::uint64_t>(20'000, 500'000);
  constexpr double kTimes[] = {0.5, 1, 1.1, 1.2, 1.3, 1.4, 1.5, 2};
  std::array<std::uint64_t, std::size(kTimes)> found{};
  const auto gap = [&](std::size_t i) { return static_cast<std::uint64_t>(kTimes[i] * static_cast<double>(sure)); };
  for (std::uint64_t next = 0; next < 3 * sure + asked; ++next) {
    filter.add(hash_of(next));
    for (std::size_t i = 0; next >= 3 * sure && i < found.size(); ++i)
      found[i] += filter.seen_recently(hash_of(next - gap(i)));
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double chance = static_cast<double>(found[i]) / static_cast<double>(asked);
    EXPECT_NEAR(chance, filter.geometry().found_after(gap(i)), 0.03) << kTimes[i];
    EXPECT_EQ(found[i] == asked, kTimes[i] <= 1) << kTimes[i];
  }
}

TEST(Stable, add_tells_whether_the_key_was_there) {
  StableFilter filter = *StableFilter::with_capacity(100, 1e-6);
  EXPECT_FALSE(filter.test_and_add("event"));
  EXPECT_TRUE(filter.test_and_add("event"));
  for (int i = 0; i < 100; ++i) filter.add(i);
  EXPECT_TRUE(filter.test_and_add("event"));
  for (int i = 0; i < 400; ++i) filter.add(i);
  EXPECT_FALSE(filter.test_and_add("event")) << "it is forgotten by now";
  filter.clear();
  EXPECT_FALSE(filter.seen_recently("event"));
  EXPECT_EQ(filter, *StableFilter::with_geometry(filter.geometry()));
  EXPECT_FALSE(StableView().seen_recently("event"));
}

TEST(Stable, batches_of_any_size_answer_and_add_as_one_key_does) {
  StableFilter one = *StableFilter::with_capacity(300, 0.05), many = *one.clone();
  std::uint64_t next = 0;
  for (std::uint64_t size : {0u, 1u, 2u, 31u, 32u, 33u, 64u, 1500u}) {
    const std::vector<Hash> keys = hashes_from(next, size), asked = hashes_from(next + size / 2, size);
    for (const Hash& key : keys) one.add(key);
    (void)many.add_many(keys);
    ASSERT_EQ(one, many);
    std::vector<std::uint8_t> answers(size);
    one.seen_recently_many(asked, answers);
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(answers[i] != 0, one.seen_recently(asked[i]));
    next += size;
  }
}

TEST(Stable, a_damaged_header_is_refused) {
  StableFilter filter = *StableFilter::with_geometry({2, 5, 27});
  (void)filter.add_many(hashes_from(0, 100));
  std::vector<std::uint8_t> bytes(filter.view().payload().begin(), filter.view().payload().end());
  ASSERT_TRUE(StableView::from_payload(bytes, filter.geometry()).ok());
  for (std::size_t at = 8; at < 64; ++at) {
    bytes[at] = 1;
    EXPECT_FALSE(StableView::from_payload(bytes, filter.geometry()).ok()) << at;
    bytes[at] = 0;
  }
  for (std::uint64_t hand : {std::uint64_t{512}, ~std::uint64_t{0}}) {
    detail::store_le(bytes.data(), hand);
    EXPECT_FALSE(StableView::from_payload(bytes, filter.geometry()).ok()) << hand;
  }
  detail::store_le(bytes.data(), std::uint64_t{511});
  EXPECT_TRUE(StableView::from_payload(bytes, filter.geometry()).ok());
  EXPECT_FALSE(StableView::from_payload(std::span(bytes).first(128), filter.geometry()).ok());
}

}  // namespace
}  // namespace bloomery
