// What a quotient filter adds to the promises of every kind: its golden bytes, one form for one multiset, growing and
// merging without the keys, and bytes from outside.
#include "bloomery/quotient.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "bloomery/detail/fnv.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::u64_from_hex;
using testing::vectors;

QuotientGeometry geometry_of(const nlohmann::json& row) { return {row["quotient_bits"], row["remainder_bits"]}; }

std::vector<Hash> random_hashes(std::uint64_t first, std::uint64_t count) {
  std::vector<Hash> hashes;
  for (std::uint64_t i = 0; i < count; ++i) hashes.emplace_back(detail::splitmix64(first + i));
  return hashes;
}

QuotientFilter of(const QuotientGeometry& geometry, std::span<const Hash> hashes) {
  QuotientFilter filter = *QuotientFilter::with_geometry(geometry);
  EXPECT_TRUE(filter.add_many(hashes).ok());
  return filter;
}

using Content = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
Content content(const QuotientFilter& filter) {
  Content all;
  filter.view().for_each([&](std::uint64_t fingerprint, std::uint64_t times) { all.emplace_back(fingerprint, times); });
  return all;
}

std::vector<Hash> golden_hashes(const nlohmann::json& row) {
  std::vector<Hash> hashes;
  for (std::uint64_t i = 0; i < row["stream"][1]; ++i)
    for (std::uint64_t copy = 0; copy <= i % row["copies"].get<std::uint64_t>(); ++copy)
      hashes.emplace_back(detail::splitmix64(row["stream"][0].get<std::uint64_t>() + i));
  return hashes;
}

TEST(Quotient, a_key_has_the_quotient_and_the_remainder_of_the_page) {
  for (const auto& row : vectors("quotient", "fingerprints")) {
    const detail::QuotientSlots slots(geometry_of(row));
    EXPECT_EQ(slots.quotient(Hash(u64_from_hex(row["hash"]))), row["quotient"]) << row;
    EXPECT_EQ(slots.remainder(Hash(u64_from_hex(row["hash"]))), row["remainder"]) << row;
  }
}

TEST(Quotient, the_bytes_are_the_golden_ones_in_whatever_order_keys_came_and_went) {
  std::mt19937_64 random(5);
  for (const auto& row : vectors("quotient", "payloads")) {
    std::vector<Hash> hashes = golden_hashes(row);
    QuotientFilter filter = of(geometry_of(row), hashes);
    EXPECT_EQ(filter.bytes(), row["bytes"]) << row;
    EXPECT_EQ(Hasher::xxh3()(filter.view().payload()).bits, u64_from_hex(row["xxh3"])) << row;
    for (int round = 0; round < 2; ++round) {  // some go, and come back in another order
      std::shuffle(hashes.begin(), hashes.end(), random);
      for (std::size_t i = 0; i <= hashes.size() / 2; i += 2) ASSERT_TRUE(filter.remove(hashes[i]));
      for (std::size_t i = 0; i <= hashes.size() / 2; i += 2) ASSERT_TRUE(filter.add(hashes[i]).ok());
    }
    EXPECT_TRUE(filter == of(geometry_of(row), hashes)) << row;
    EXPECT_EQ(Hasher::xxh3()(filter.view().payload()).bits, u64_from_hex(row["xxh3"])) << row;
  }
  const nlohmann::json example = vectors("quotient", "example");
  const QuotientFilter filter = of(geometry_of(example), golden_hashes(example));
  EXPECT_EQ(std::vector(filter.view().payload().begin(), filter.view().payload().end()),
            testing::bytes_from_hex(example["hex"]));
}

TEST(Quotient, copies_are_counted_and_go_one_by_one) {
  QuotientFilter filter = of({10, 20}, random_hashes(0, 500));
  for (std::uint64_t copies = 1; copies <= 70; ++copies) {
    EXPECT_EQ(filter.count(Hash(detail::splitmix64(7))), copies);
    ASSERT_TRUE(filter.add(Hash(detail::splitmix64(7))).ok());
  }
  EXPECT_EQ(filter.bits_set(), 570u);
  for (std::uint64_t copies = 71; copies > 0; --copies) ASSERT_TRUE(filter.remove(Hash(detail::splitmix64(7))));
  EXPECT_EQ(filter.count(Hash(detail::splitmix64(7))), 0u);
  const QuotientFilter before = *filter.clone();
  EXPECT_FALSE(filter.remove(Hash(detail::splitmix64(7)))) << "a fingerprint that is not there is refused";
  EXPECT_TRUE(filter == before);
  EXPECT_EQ(filter.predicted_fpr(), 499.0 / (1 << 30)) << "exact: different fingerprints over all there are";
}

TEST(Quotient, it_takes_95_percent_and_a_refused_key_changes_nothing) {
  for (std::uint32_t q = 1; q <= 16; ++q) {
    QuotientFilter filter = *QuotientFilter::with_geometry({q, 9});
    const std::vector<Hash> keys = random_hashes(q * 1'000'000, filter.geometry().capacity() + 1);
    ASSERT_TRUE(filter.add_many(std::span(keys).first(keys.size() - 1)).ok()) << q;
    const QuotientFilter before = *filter.clone();
    const Status status = filter.add(keys.back());
    ASSERT_EQ(status.error().code, ErrorCode::full);
    EXPECT_NE(status.error().message.find("resize"), std::string::npos);
    EXPECT_TRUE(filter == before);
    ASSERT_TRUE(filter.resize().ok());
    EXPECT_TRUE(filter.add(keys.back()).ok());
  }
}

TEST(Quotient, a_full_one_that_cannot_be_resized_does_not_say_that_it_can) {
  QuotientFilter filter = *QuotientFilter::with_geometry({8, 1});
  const Status full = filter.add_many(random_hashes(0, filter.geometry().capacity() + 1));
  ASSERT_EQ(full.error().code, ErrorCode::full);
  ASSERT_FALSE(filter.resize().ok());
  EXPECT_EQ(full.error().message.find("resize"), std::string::npos) << full.error().message;
  EXPECT_NE(full.error().message.find("make one for more keys"), std::string::npos) << full.error().message;
}

TEST(Quotient, one_key_added_too_often_is_refused_where_runs_reach_too_far) {
  QuotientFilter end = *QuotientFilter::with_geometry({16, 8});  // in the last home slot: no more than the tail
  std::uint64_t added = 0;
  while (end.add(Hash(~std::uint64_t{0})).ok()) ++added;
  EXPECT_EQ(added, end.geometry().slots() - end.geometry().home_slots() + 1);
  EXPECT_EQ(end.count(Hash(~std::uint64_t{0})), added);
  ASSERT_TRUE(end.resize().ok());
  EXPECT_EQ(end.add(Hash(~std::uint64_t{0})).error().code, ErrorCode::full) << "twice the slots, the same tail";
  QuotientFilter middle = *QuotientFilter::with_geometry({18, 8});  // an offset has 16 bits
  const Hash key(std::uint64_t{0x1001fff} << 38);                   // 33 places before the end of its block
  EXPECT_FALSE(middle.add_many(std::vector<Hash>(70'000, key)).ok());
  EXPECT_EQ(middle.key_count(), 0xffffu + 33);
  EXPECT_EQ(middle.count(key), 0xffffu + 33);
  EXPECT_TRUE(middle.add(Hash(std::uint64_t{3} << 62)).ok()) << "elsewhere there is room";
  const QuotientFilter before = *middle.clone();
  EXPECT_EQ(middle.resize().error().code, ErrorCode::full) << "there it would be the last of its block";
  EXPECT_TRUE(middle == before);
}

TEST(Quotient, resize_keeps_every_fingerprint_until_no_bit_is_left) {
  const std::vector<Hash> keys = random_hashes(0, 900), asked = random_hashes(1u << 30, 20'000);
  QuotientFilter filter = of({10, 4}, keys);
  const Content before = content(filter);
  std::vector<std::uint8_t> answers(asked.size()), answers_before(asked.size());
  filter.contains_many(asked, answers_before);
  for (std::uint32_t q = 11; q <= 13; ++q) {
    ASSERT_TRUE(filter.resize().ok());
    EXPECT_EQ(filter.geometry(), (QuotientGeometry{q, 14 - q}));
    EXPECT_TRUE(filter == of({q, 14 - q}, keys));
    EXPECT_EQ(content(filter), before);
    filter.contains_many(asked, answers);
    EXPECT_EQ(answers, answers_before);
    EXPECT_EQ(filter.key_count(), 900u);
  }
  const Status status = filter.resize();
  ASSERT_EQ(status.error().code, ErrorCode::full);
  EXPECT_NE(status.error().message.find("remainder_bits = 1"), std::string::npos);
}

TEST(Quotient, merge_takes_the_fewest_slots_that_hold_both) {
  const std::vector<Hash> a = random_hashes(0, 900), b = random_hashes(500, 900);
  std::vector<Hash> both = a;
  both.insert(both.end(), b.begin(), b.end());
  QuotientFilter filter = of({10, 10}, a);
  ASSERT_TRUE(filter.merge(of({12, 8}, b)).ok());
  EXPECT_TRUE(filter == of({12, 8}, both)) << "the larger of both has room";
  filter = of({10, 10}, a);
  ASSERT_TRUE(filter.merge(of({10, 10}, b)).ok());
  EXPECT_TRUE(filter == of({11, 9}, both)) << "neither has room";
  EXPECT_EQ(filter.key_count(), 1800u);
  EXPECT_EQ(filter.count(a[600]), 2u);
  filter = of({10, 1}, a);
  EXPECT_EQ(filter.merge(of({10, 1}, b)).error().code, ErrorCode::full) << "no bit is left";
  EXPECT_TRUE(filter == of({10, 1}, a));
  EXPECT_EQ(filter.merge(of({10, 2}, b)).error().code, ErrorCode::mismatch);
  EXPECT_EQ(filter.merge(*QuotientFilter::with_geometry({10, 1}, Hasher::xxh3(7))).error().code, ErrorCode::mismatch);
}

TEST(Quotient, what_adding_relies_on_is_checked_bit_by_bit) {
  for (const QuotientGeometry& geometry : {QuotientGeometry{3, 3}, QuotientGeometry{7, 4}}) {
    const QuotientFilter filter = of(geometry, random_hashes(9, geometry.capacity() - 2));
    const std::span<const std::uint8_t> good = filter.view().payload();
    std::size_t accepted = 0;
    for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
      std::vector<std::uint8_t> bytes(good.begin(), good.end());
      bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
      const Result<QuotientView> view = QuotientView::from_payload(bytes, geometry);
      if (!view.ok()) continue;
      for (std::uint64_t i = 0; i < 64; ++i) (void)view->contains(Hash(i << 58)), (void)view->count(Hash(i << 58));
      Result<QuotientFilter> copy = QuotientFilter::copy_of(*view, {});
      if (!copy.ok()) {
        EXPECT_EQ(copy.error().code, ErrorCode::corrupt);
        continue;
      }
      EXPECT_GE(bit / 8 % geometry.block_bytes(), 18u) << "bit " << bit;
      ++accepted;  // another remainder that keeps its run in order makes another filter, of as many keys
      const Content all = content(*copy);
      QuotientFilter rebuilt = *QuotientFilter::with_geometry(geometry);
      for (const auto& [fingerprint, times] : all)
        for (std::uint64_t i = 0; i < times; ++i)
          ASSERT_TRUE(rebuilt.add(Hash(fingerprint << (64 - geometry.fingerprint_bits()))).ok());
      EXPECT_TRUE(rebuilt == *copy) << "bit " << bit;
    }
    EXPECT_LE(accepted, filter.bits_set() * geometry.remainder_bits) << "nothing else passes";
  }
}

TEST(Quotient, quotients_without_a_home_and_too_many_taken_slots_are_seen_without_reading_it_all) {
  for (const QuotientGeometry& geometry : {QuotientGeometry{3, 3}, QuotientGeometry{12, 4}}) {
    std::vector<std::uint8_t> bytes(geometry.payload_bytes());
    for (std::uint64_t x = 0; x < geometry.slots(); ++x) {
      std::uint8_t& byte = bytes[x / 64 * geometry.block_bytes() + 2 + x % 64 / 8];
      byte = static_cast<std::uint8_t>(1u << (x % 8));
      EXPECT_EQ(QuotientView::from_payload(bytes, geometry).ok(), x < geometry.home_slots()) << x;
      byte = 0;
    }
    detail::store_le<std::uint64_t>(&bytes[bytes.size() - 8], geometry.capacity());
    EXPECT_TRUE(QuotientView::from_payload(bytes, geometry).ok());
    detail::store_le<std::uint64_t>(&bytes[bytes.size() - 8], geometry.capacity() + 1);
    EXPECT_EQ(QuotientView::from_payload(bytes, geometry).error().code, ErrorCode::corrupt);
  }
}

TEST(Quotient, damaged_bytes_are_answered_with_maybe_and_come_to_an_end) {
  const QuotientGeometry geometry{20, 3};
  std::vector<std::uint8_t> bytes(geometry.payload_bytes());
  for (std::size_t block = 0; block < geometry.home_slots() / 64; ++block)
    std::fill_n(&bytes[block * geometry.block_bytes()], 10, std::uint8_t{0xff});  // offset, occupied; no end anywhere
  const QuotientView view = *QuotientView::from_payload(bytes, geometry);
  for (Hash hash : random_hashes(0, 1000)) ASSERT_TRUE(view.contains(hash) && view.count(hash) > 0);
  EXPECT_FALSE(QuotientFilter::copy_of(view, {}).ok());
  EXPECT_LE(view.predicted_fpr(), 1);
}

}  // namespace
}  // namespace bloomery
