// What an IBLT promises: it lists exactly the difference, says when it could not, and never invents or repeats a key.
#include "bloomery/iblt.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "bloomery/detail/bits.h"
#include "bloomery/detail/fnv.h"
#include "kinds/iblt/cells.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using detail::splitmix64;
using Bytes = std::vector<std::uint8_t>;
using testing::scaled;

Bytes key_of(std::uint64_t number, std::size_t bytes) {
  Bytes key(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    key[i] = static_cast<std::uint8_t>(splitmix64(number + i / 8) >> (8 * (i % 8)));
  return key;
}

std::string text(std::span<const std::uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

std::multiset<std::string> keys_in(const IbltItems& items) {
  std::multiset<std::string> keys;
  for (std::size_t i = 0; i < items.size(); ++i) keys.insert(text(items.key(i)) + text(items.value(i)));
  return keys;
}

Iblt made(std::uint64_t d, std::uint32_t key_bytes = 8, std::uint32_t value_bytes = 0) {
  return Iblt::for_differences(d, key_bytes, value_bytes).value();
}

IbltListing listed(const Iblt& table) { return table.list().value(); }

TEST(Iblt, lists_exactly_the_difference_of_two_sets) {
  for (const std::uint32_t key_bytes : {1u, 7u, 8u, 16u, 33u, 64u}) {
    Iblt a = made(40, key_bytes), b = made(40, key_bytes);
    std::multiset<std::string> only_a, only_b;
    for (std::uint64_t i = 0; i < 200; ++i) {
      const Bytes key = key_bytes == 1 ? Bytes{static_cast<std::uint8_t>(i)} : key_of(i * 100, key_bytes);
      ASSERT_TRUE(i % 10 == 0 || a.add(key).ok());
      ASSERT_TRUE(i % 10 == 1 || b.add(key).ok());
      if (i % 10 == 0) only_b.insert(text(key));
      if (i % 10 == 1) only_a.insert(text(key));
    }
    EXPECT_EQ(a.key_count(), 180u);
    ASSERT_TRUE(a.subtract(b).ok());
    EXPECT_EQ(a.key_count(), std::nullopt);
    const IbltListing listing = listed(a);
    EXPECT_TRUE(listing.complete);
    EXPECT_EQ(listing.cells_left, 0u);
    EXPECT_EQ(keys_in(listing.added), only_a);
    EXPECT_EQ(keys_in(listing.removed), only_b);
  }
}

TEST(Iblt, of_a_changed_value_lists_both_pairs) {
  Iblt a = made(10, 4, 3), b = made(10, 4, 3);
  const Bytes key = {1, 2, 3, 4}, same = {5, 6, 7, 8}, before = {1, 1, 1}, after = {2, 2, 2};
  ASSERT_TRUE(a.add(key, before).ok() && a.add(same, before).ok());
  ASSERT_TRUE(b.add(key, after).ok() && b.add(same, before).ok());
  ASSERT_TRUE(a.subtract(b).ok());
  const IbltListing listing = listed(a);
  ASSERT_TRUE(listing.complete);
  ASSERT_EQ(listing.added.size(), 1u);
  ASSERT_EQ(listing.removed.size(), 1u);
  EXPECT_EQ(text(listing.added.key(0)), text(key));
  EXPECT_EQ(text(listing.removed.key(0)), text(key));
  EXPECT_EQ(text(listing.added.value(0)), text(before));
  EXPECT_EQ(text(listing.removed.value(0)), text(after));
}

TEST(Iblt, keys_of_any_length_come_back_as_they_were) {
  const auto geometry = IbltGeometry::for_differences(20, 17, 0, true).value();
  Iblt table = Iblt::with_geometry(geometry).value();
  std::multiset<std::string> in;
  for (const std::string& key :
       {std::string(), std::string("a"), std::string("a\0", 2), std::string("\0", 1), std::string(16, 'z')}) {
    ASSERT_TRUE(table.add(key).ok());
    in.insert(key);
  }
  const Status refused = table.add(std::string(17, 'z'));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("up to 16"), std::string::npos);
  const IbltListing listing = listed(table);
  EXPECT_TRUE(listing.complete);
  EXPECT_EQ(keys_in(listing.added), in);
}

TEST(Iblt, other_widths_are_refused_and_change_nothing) {
  Iblt table = made(10, 8, 2);
  const Bytes before(table.payload().begin(), table.payload().end()), seven(7), eight(8), two(2);
  for (const Status& status :
       {table.add(seven, two), table.add(eight), table.add(eight, seven), table.remove(seven, two)})
    EXPECT_EQ(status.error().code, ErrorCode::invalid_argument);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), table.payload().begin()));
  EXPECT_EQ(table.key_count(), 0u);
}

TEST(Iblt, tables_of_other_numbers_or_hashes_are_not_subtracted) {
  Iblt table = made(10);
  const Iblt longer = made(100), other = Iblt::for_differences(10, 8, 0, Hasher::xxh3(1)).value();
  EXPECT_EQ(table.subtract(longer).error().field, "cells");
  EXPECT_EQ(table.subtract(other).error().field, "hash");
  EXPECT_EQ(table.subtract(other).error().code, ErrorCode::mismatch);
}

TEST(Iblt, a_table_that_is_too_small_says_so_and_what_it_lists_is_right) {
  for (std::uint64_t seed = 0; seed < scaled(20u, 500u); ++seed) {
    Iblt table = made(50);
    std::multiset<std::string> in;
    const std::uint64_t items = 60 + 10 * seed;
    for (std::uint64_t i = 0; i < items; ++i) {
      const Bytes key = key_of(seed << 32 | i, 8);
      ASSERT_TRUE(table.add(key).ok());
      in.insert(text(key));
    }
    const IbltListing listing = listed(table);
    EXPECT_TRUE(listing.removed.empty());
    const auto found = keys_in(listing.added);
    EXPECT_TRUE(std::includes(in.begin(), in.end(), found.begin(), found.end()));
    EXPECT_EQ(listing.complete, found.size() == in.size());
    EXPECT_EQ(listing.complete, listing.cells_left == 0);
    EXPECT_FALSE(listing.complete && items > 200);
  }
}

TEST(Iblt, an_item_added_twice_is_not_listed_as_if_it_were_once) {
  Iblt table = made(10);
  const Bytes twice = key_of(1, 8), once = key_of(2, 8);
  ASSERT_TRUE(table.add(twice).ok() && table.add(twice).ok() && table.add(once).ok());
  const IbltListing listing = listed(table);
  EXPECT_FALSE(listing.complete);
  EXPECT_EQ(keys_in(listing.added), std::multiset<std::string>{text(once)});
  ASSERT_TRUE(table.remove(twice).ok());
  EXPECT_TRUE(listed(table).complete);
}

// One cell says "x is here", and the others of x say that nothing is: taking x out of them leaves "x was removed"
// there.
TEST(Iblt, a_table_made_to_go_round_in_circles_ends_and_lists_no_key_twice) {
  const IbltGeometry geometry = IbltGeometry::for_differences(10, 8).value();
  Bytes cells(geometry.payload_bytes());
  const Bytes key = key_of(7, 8);
  const auto places = detail::iblt_places(geometry, Hasher::xxh3()(key).bits);
  detail::IbltCell(cells.data(), places.cell[0], geometry).add(key.data(), places.check);
  const IbltListing listing = listed(Iblt::copy_of(cells, geometry, Hasher::xxh3(), {}).value());
  EXPECT_FALSE(listing.complete);
  EXPECT_EQ(listing.added.size() + listing.removed.size(), 1u);
}

TEST(Iblt, bytes_that_are_no_item_are_not_listed_however_right_their_checksum) {
  const IbltGeometry geometry = IbltGeometry::for_differences(10, 4, 0, true).value();
  for (const Bytes& item : {Bytes{4, 1, 1, 1}, Bytes{255, 0, 0, 0}, Bytes{1, 1, 1, 0}}) {  // too long, not padded
    Bytes cells(geometry.payload_bytes());
    const auto places = detail::iblt_places(geometry, Hasher::xxh3()(std::span<const std::uint8_t>(item)).bits);
    for (const std::uint64_t cell : places.cell)
      detail::IbltCell(cells.data(), cell, geometry).add(item.data(), places.check);
    const IbltListing listing = listed(Iblt::copy_of(cells, geometry, Hasher::xxh3(), {}).value());
    EXPECT_TRUE(listing.added.empty());
    EXPECT_FALSE(listing.complete);
  }
}

TEST(Iblt, a_flipped_bit_never_makes_it_list_another_key) {
  Iblt table = made(4, 8);
  std::multiset<std::string> in;
  for (std::uint64_t i = 0; i < 4; ++i) {
    ASSERT_TRUE(table.add(key_of(i, 8)).ok());
    in.insert(text(key_of(i, 8)));
  }
  Bytes cells(table.payload().begin(), table.payload().end());
  for (std::size_t bit = 0; bit < 8 * cells.size(); ++bit) {
    cells[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    const IbltListing listing = listed(Iblt::copy_of(cells, table.geometry(), Hasher::xxh3(), {}).value());
    EXPECT_FALSE(listing.complete) << bit;
    const auto added = keys_in(listing.added), removed = keys_in(listing.removed);
    ASSERT_TRUE(std::includes(in.begin(), in.end(), added.begin(), added.end())) << bit;
    ASSERT_TRUE(removed.empty()) << bit;
    cells[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
  }
}

// Adds, removes, subtractions and lists as dice have them, against a map of how often each key is there.
TEST(Iblt, does_what_a_map_does) {
  for (std::uint64_t round = 0; round < scaled(60u, 3000u); ++round) {
    std::uint64_t dice = round << 32;
    const auto roll = [&](std::uint64_t sides) { return splitmix64(dice++) % sides; };
    const auto key_bytes = static_cast<std::uint32_t>(1 + roll(64)),
               value_bytes = static_cast<std::uint32_t>(roll(3) * roll(33));
    Iblt tables[2] = {made(60, key_bytes, value_bytes), made(60, key_bytes, value_bytes)};
    std::map<std::pair<Bytes, Bytes>, int> models[2];
    for (int step = 0; step < 300; ++step) {
      const std::size_t side = roll(2);
      const std::pair<Bytes, Bytes> item = {key_of(roll(200), key_bytes), key_of(roll(2), value_bytes)};
      int& times = models[side][item];
      if (times > 0 && roll(4) == 0) {
        ASSERT_TRUE(tables[side].remove(item.first, item.second).ok());
        --times;
      } else if (times == 0) {
        ASSERT_TRUE(tables[side].add(item.first, item.second).ok());
        ++times;
      }
    }
    ASSERT_TRUE(tables[0].subtract(tables[1]).ok());
    for (const auto& [item, times] : models[1]) models[0][item] -= times;
    std::multiset<std::string> added, removed;
    for (const auto& [item, times] : models[0])
      if (times != 0) (times > 0 ? added : removed).insert(text(item.first) + text(item.second));
    const IbltListing listing = listed(tables[0]);
    const auto got_added = keys_in(listing.added), got_removed = keys_in(listing.removed);
    if (listing.complete) {
      ASSERT_EQ(got_added, added) << round;
      ASSERT_EQ(got_removed, removed) << round;
    } else {
      ASSERT_GT(added.size() + removed.size(), 55u) << round;
      ASSERT_TRUE(std::includes(added.begin(), added.end(), got_added.begin(), got_added.end())) << round;
      ASSERT_TRUE(std::includes(removed.begin(), removed.end(), got_removed.begin(), got_removed.end())) << round;
    }
  }
}

// Of the sizes the table in src/kinds/iblt/sizing.cc has, and of some between its rows.
TEST(Iblt, as_many_differences_as_it_was_made_for_are_listed_but_for_one_time_in_a_thousand) {
  for (const std::uint64_t d : {1u, 2u, 3u, 7u, 11u, 30u, 100u, 150u, 1000u, 1150u}) {
    const auto tries = scaled<std::uint64_t>(d > 200 ? 100 : 1000, d > 200 ? 10'000 : 100'000);
    std::uint64_t failed = 0;
    const Iblt empty = made(d);
    for (std::uint64_t i = 0; i < tries; ++i) {
      Iblt table = empty.clone().value();
      for (std::uint64_t j = 0; j < d; ++j) {
        std::uint8_t key[8];
        detail::store_le(key, i << 32 | j);
        ASSERT_TRUE(table.add(std::span<const std::uint8_t>(key)).ok());
      }
      failed += listed(table).complete ? 0u : 1u;
    }
    EXPECT_LE(static_cast<double>(failed), 3 + 1.2 * static_cast<double>(tries) / 1000) << d;
  }
}

TEST(Iblt, that_was_moved_from_is_an_empty_table_that_can_be_used) {
  Iblt table = Iblt::for_differences(20, 12).value();
  ASSERT_TRUE(table.add(key_of(1, 12)).ok());
  Iblt owner = std::move(table);
  EXPECT_EQ(owner.key_count(), 1u);
  const Iblt empty = Iblt::with_geometry(IbltGeometry()).value();
  const auto expect_empty = [&](const Iblt& one) {
    EXPECT_EQ(one.geometry(), IbltGeometry());
    EXPECT_EQ(text(one.payload()), text(empty.payload()));
    EXPECT_EQ(one.key_count(), 0u);
    EXPECT_EQ(one.cells_used(), 0u);
    EXPECT_EQ(one.estimate().count, 0u);
    EXPECT_TRUE(one.list()->complete && one.list()->added.empty());
    EXPECT_EQ(text(one.clone()->payload()), text(empty.payload()));
  };
  expect_empty(table);  // NOLINT(bugprone-use-after-move): that is what is tested
  EXPECT_TRUE(table.subtract(empty).ok());
  EXPECT_TRUE(table.add(key_of(2, 8)).ok());
  EXPECT_EQ(table.list()->added.size(), 1u);
  EXPECT_EQ(empty.cells_used(), 0u);
  table = std::move(owner);
  EXPECT_EQ(table.list()->added.size(), 1u);
  expect_empty(owner);  // NOLINT(bugprone-use-after-move)
  auto& same = table;
  table = std::move(same);
  EXPECT_EQ(table.key_count(), 1u);
}

TEST(IbltGeometry, more_differences_take_no_fewer_cells_and_capacity_is_the_way_back) {
  std::uint64_t before = 0;
  for (std::uint64_t d = 0; d < 300'000; d = d < 3000 ? d + 1 : d + d / 50) {
    const IbltGeometry geometry = IbltGeometry::for_differences(d, 8).value();
    ASSERT_EQ(geometry.cells % 4, 0u);
    ASSERT_GE(geometry.capacity(), d);
    ASSERT_TRUE(IbltGeometry::from_values(geometry.values()).ok());
    ASSERT_GE(geometry.cells, before) << d;
    before = geometry.cells;
  }
  EXPECT_EQ(IbltGeometry::for_differences(IbltGeometry::kMaxDifferences + 1, 8).error().field, "differences");
  EXPECT_TRUE(IbltGeometry::for_differences(IbltGeometry::kMaxDifferences, 8).ok());
}

TEST(IbltGeometry, what_no_table_has_is_refused_by_name) {
  const std::vector<std::pair<std::array<std::uint64_t, 5>, std::string>> bad = {
      {{0, 8, 0, 0, 0}, "cells"},        {{5, 8, 0, 0, 0}, "cells"},      {{1ull << 41, 8, 0, 0, 0}, "cells"},
      {{4, 0, 0, 0, 0}, "key_bytes"},    {{4, 65, 0, 0, 0}, "key_bytes"}, {{4, 1, 0, 1, 0}, "key_bytes"},
      {{4, 8, 65, 0, 0}, "value_bytes"}, {{4, 8, 0, 2, 0}, "variable"},   {{4, 8, 0, 0, 65}, "strata"},
      {{4, 9, 0, 0, 1}, "strata"},       {{4, 8, 1, 0, 1}, "strata"},     {{4, 8, 0, 1, 1}, "strata"}};
  for (const auto& [values, field] : bad) EXPECT_EQ(IbltGeometry::from_values(values).error().field, field);
}

}  // namespace
}  // namespace bloomery
