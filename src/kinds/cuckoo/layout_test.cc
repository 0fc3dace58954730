// What cuckoo adds to the promises of every kind: it takes what it was made for, refuses the rest without a trace, and
// gives back what was removed. Golden bytes are in golden_test.cc.
#include "bloomery/cuckoo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "bloomery/detail/fnv.h"
#include "support/key_shapes.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::kShapes;
using testing::scaled;
using testing::Shape;

Hash random_hash(std::uint64_t i) { return Hash(detail::splitmix64(i)); }

std::vector<Hash> random_hashes(std::uint64_t first, std::size_t count) {
  std::vector<Hash> hashes;
  for (std::size_t i = 0; i < count; ++i) hashes.push_back(random_hash(first + i));
  return hashes;
}

CuckooFilter of_geometry(std::uint64_t buckets, std::uint32_t bits) {
  return *CuckooFilter::with_geometry({buckets, bits});
}

// Keys from `first` on, until one is refused; how many are in.
std::uint64_t fill_up(CuckooFilter& filter, std::uint64_t first) {
  std::uint64_t n = 0;
  while (filter.add(random_hash(first + n)).ok()) ++n;
  return n;
}

std::uint64_t lost(const CuckooFilter& filter, std::uint64_t first, std::uint64_t count) {
  std::uint64_t denied = 0;
  for (std::uint64_t i = first; i < first + count; ++i) denied += !filter.contains(random_hash(i));
  return denied;
}

TEST(Cuckoo, a_filter_for_n_keys_takes_n_keys_for_every_n) {
  std::uint64_t first = 1;
  const auto check = [&](std::uint64_t n, double fpr) {
    CuckooFilter filter = *CuckooFilter::with_capacity(n, fpr);
    ASSERT_TRUE(filter.add_many(random_hashes(first, n)).ok()) << n;
    ASSERT_EQ(lost(filter, first, n), 0u) << n;
    ASSERT_EQ(filter.bits_set(), n);
    ASSERT_EQ(filter.key_count(), n);
    ASSERT_EQ(filter.estimated_count(), n);
    first += n;
  };
  for (int round = 0; round < scaled(3, 300); ++round)
    for (std::uint64_t n = 1; n <= 400; ++n) check(n, round % 3 == 0 ? 0.03 : round % 3 == 1 ? 0.003 : 0.0003);
  for (std::uint64_t n = 500; n <= scaled<std::uint64_t>(200'000, 50'000'000); n = n * 3 / 2) check(n, 0.002);
}

TEST(Cuckoo, takes_keys_up_to_a_load_of_more_than_95_percent) {
  for (std::uint32_t bits : {8u, 12u, 16u}) {
    for (std::uint64_t buckets : {std::uint64_t{2048}, scaled<std::uint64_t>(30'002, 3'000'002)}) {
      CuckooFilter filter = of_geometry(buckets, bits);
      const std::uint64_t n = fill_up(filter, 1);
      EXPECT_GT(filter.fill(), 0.96) << bits;
      EXPECT_EQ(filter.bits_set(), n);
      EXPECT_EQ(lost(filter, 1, n), 0u);
    }
  }
}

TEST(Cuckoo, a_refused_key_has_changed_nothing) {
  for (std::uint32_t bits : {8u, 12u, 16u}) {
    for (std::uint64_t buckets : {2u, 4u, 10u, 100u}) {
      CuckooFilter filter = of_geometry(buckets, bits);
      std::vector<std::uint64_t> in;
      for (std::uint64_t i = 0; i < 10 * filter.geometry().cells(); ++i) {  // ten times what fits
        const CuckooFilter before = *filter.clone();
        const Status status = filter.add(random_hash(i));
        if (status.ok()) {
          in.push_back(i);
          continue;
        }
        ASSERT_EQ(status.error().code, ErrorCode::full);
        ASSERT_TRUE(filter == before);
        ASSERT_EQ(filter.key_count(), in.size());
      }
      EXPECT_EQ(filter.bits_set(), in.size());
      for (std::uint64_t i : in) ASSERT_TRUE(filter.contains(random_hash(i)));
    }
  }
  const std::string message = CuckooLayout::full({}).message;
  EXPECT_NE(message.find("full"), std::string::npos);
  EXPECT_NE(message.find("eight times"), std::string::npos);
  EXPECT_NE(message.find("for more keys"), std::string::npos);
}

TEST(Cuckoo, a_key_goes_in_eight_times_and_comes_out_eight_times) {
  for (std::uint32_t bits : {8u, 12u, 16u}) {
    CuckooFilter filter = of_geometry(1000, bits);
    ASSERT_TRUE(filter.add_many(random_hashes(1, 3000)).ok());
    const Hash key = random_hash(0);
    const std::uint64_t before = filter.count(key);
    for (std::uint64_t copies = before + 1; copies <= 8; ++copies) {
      ASSERT_TRUE(filter.add(key).ok());
      ASSERT_EQ(filter.count(key), copies);
    }
    EXPECT_EQ(filter.add(key).error().code, ErrorCode::full);
    EXPECT_EQ(filter.count(key), 8u);
    EXPECT_EQ(lost(filter, 1, 3000), 0u);
    for (std::uint64_t copies = 8; copies > 0; --copies) ASSERT_TRUE(filter.remove(key));
    EXPECT_FALSE(filter.remove(key));
    EXPECT_FALSE(filter.contains(key));
  }
}

TEST(Cuckoo, removing_what_was_added_denies_no_other_and_leaves_nothing) {
  for (std::uint32_t bits : {8u, 12u, 16u}) {
    CuckooFilter filter = of_geometry(5000, bits);
    const std::uint64_t n = 19'000;
    ASSERT_TRUE(filter.add_many(random_hashes(0, n)).ok());
    for (std::uint64_t i = 0; i < n; ++i) {
      ASSERT_TRUE(filter.remove(random_hash(i)));
      if (i % 1000 == 0) {
        ASSERT_EQ(lost(filter, i + 1, n - i - 1), 0u);
      }
    }
    EXPECT_TRUE(filter == of_geometry(5000, bits));
    EXPECT_EQ(filter.key_count(), 0u);
  }
}

// The page's promise about a mistake: a key that was never added is removed as often as it would be found.
TEST(Cuckoo, removes_of_absent_keys_succeed_at_the_rate_of_false_positives) {
  CuckooFilter filter = *CuckooFilter::with_capacity(400'000, 0.03);
  ASSERT_TRUE(filter.add_many(random_hashes(0, 400'000)).ok());
  const double rate = filter.predicted_fpr();
  const std::uint64_t asked = 100'000;
  std::uint64_t removed = 0;
  for (std::uint64_t i = 0; i < asked; ++i) {
    const Hash absent = random_hash((std::uint64_t{1} << 50) + i);
    const bool looked_present = filter.contains(absent);
    ASSERT_EQ(filter.remove(absent), looked_present);
    removed += looked_present;
  }
  EXPECT_NEAR(static_cast<double>(removed) / (rate * static_cast<double>(asked)), 1, 0.08);
  EXPECT_EQ(filter.bits_set(), 400'000 - removed);
  EXPECT_LE(lost(filter, 0, 400'000), removed);
  EXPECT_GT(lost(filter, 0, 400'000), removed / 2) << "the damage that the page warns of";
}

TEST(Cuckoo, batches_do_what_one_by_one_does) {
  for (std::uint32_t bits : {8u, 12u, 16u}) {
    CuckooFilter one = of_geometry(300, bits), batch = of_geometry(300, bits);
    const std::vector<Hash> hashes = random_hashes(1, 1300);  // more than fit
    std::size_t placed = 0;
    while (placed < hashes.size() && one.add(hashes[placed]).ok()) ++placed;
    EXPECT_EQ(batch.add_many(hashes).error().code, ErrorCode::full);
    EXPECT_TRUE(one == batch);
    EXPECT_EQ(batch.key_count(), placed);
    CuckooFilter last = of_geometry(300, bits);  // the last of a batch is the one that is refused
    EXPECT_EQ(last.add_many(std::span(hashes).first(placed + 1)).error().code, ErrorCode::full);
    EXPECT_TRUE(one == last);
    EXPECT_EQ(last.key_count(), placed);
    for (std::size_t count : {0u, 1u, 15u, 16u, 17u, 33u, 1300u}) {
      std::vector<std::uint8_t> answers(count + 1, 7);
      batch.contains_many(std::span(hashes).first(count), answers);
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(answers[i], one.contains(hashes[i]));
      ASSERT_EQ(answers[count], 7);
    }
  }
}

TEST(Cuckoo, a_merge_holds_all_of_both_or_is_refused_without_a_trace) {
  for (std::uint32_t bits : {8u, 12u, 16u}) {
    CuckooFilter a = of_geometry(1000, bits), b = of_geometry(1000, bits);
    ASSERT_TRUE(a.add_many(random_hashes(0, 1900)).ok());
    ASSERT_TRUE(b.add_many(random_hashes(1900, 1900)).ok());
    ASSERT_TRUE(a.merge(b).ok());
    EXPECT_EQ(lost(a, 0, 3800), 0u);
    EXPECT_EQ(a.bits_set(), 3800u);
    EXPECT_EQ(a.key_count(), 3800u);
    const CuckooFilter before = *a.clone();
    EXPECT_EQ(a.merge(b).error().code, ErrorCode::full);
    EXPECT_TRUE(a == before);
    EXPECT_EQ(a.key_count(), 3800u);
    EXPECT_EQ(a.merge(of_geometry(1002, bits)).error().code, ErrorCode::mismatch);
    for (std::uint64_t i = 0; i < 3800; ++i) ASSERT_TRUE(a.remove(random_hash(i)));
    EXPECT_EQ(a.bits_set(), 0u);
  }
}

TEST(Cuckoo, foreign_bytes_of_any_content_are_asked_and_changed_safely) {
  std::mt19937_64 random(5);
  for (std::uint32_t bits : {8u, 12u, 16u}) {
    const CuckooGeometry geometry{6, bits};
    std::vector<std::uint8_t> bytes(geometry.payload_bytes());
    for (int round = 0; round < 40; ++round) {
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(round % 2 == 0 ? random() : 0xff);
      if (bits == 12) {
        ASSERT_EQ(CuckooView::from_payload(bytes, geometry).error().code, ErrorCode::corrupt);
        bytes[bytes.size() - 1] = bytes[bytes.size() - 2] = 0;
      }
      CuckooFilter filter = *CuckooFilter::copy_of(*CuckooView::from_payload(bytes, geometry), {});
      for (std::uint64_t i = 0; i < 50; ++i) {
        const Hash hash(random());
        const bool was_in = filter.contains(hash);
        ASSERT_EQ(filter.remove(hash), was_in);
        if (filter.add(hash).ok()) {
          ASSERT_TRUE(filter.contains(hash));
        }
      }
    }
    EXPECT_FALSE(CuckooView::from_payload(std::span(bytes).first(bytes.size() - 1), geometry).ok());
  }
}

// Four standard deviations of chance, but at least 5 %.
double tolerance(double expected_hits) { return std::max(0.05, 4 / std::sqrt(expected_hits)); }

TEST(CuckooFpr, measured_is_the_formula_on_every_key_shape_and_width) {
  const std::uint64_t n = scaled<std::uint64_t>(30'000, 1'000'000);
  for (double target : {0.03, 0.002, 1.2e-4}) {
    for (const Shape& shape : kShapes) {
      CuckooFilter filter = *CuckooFilter::with_capacity(n, target);
      for (std::uint64_t i = 0; i < n; ++i) ASSERT_TRUE(filter.add(shape.key(i, n)).ok());
      const double formula = filter.geometry().predicted_fpr_after(n);
      EXPECT_LE(formula, target);
      EXPECT_EQ(filter.predicted_fpr(), formula);
      const std::uint64_t asked = scaled<std::uint64_t>(300'000, 20'000'000);
      std::uint64_t hits = 0;
      for (std::uint64_t i = n; i < n + asked; ++i) hits += filter.contains(shape.key(i, n));
      const double expected = formula * static_cast<double>(asked);
      EXPECT_NEAR(static_cast<double>(hits) / expected, 1, tolerance(expected)) << shape.name << " at " << target;
    }
  }
}

TEST(CuckooFpr, tiny_filters_measure_the_formula) {
  for (std::uint64_t n : {1u, 8u, 9u, 100u}) {
    const std::uint64_t filters = scaled<std::uint64_t>(200'000, 5'000'000) / (n + 10), asked = 200;
    CuckooFilter filter = *CuckooFilter::with_capacity(n, 0.03);
    std::uint64_t hits = 0;
    for (std::uint64_t f = 0; f < filters; ++f) {
      filter.clear();
      ASSERT_TRUE(filter.add_many(random_hashes(f * 1'000'000, n)).ok());
      for (std::uint64_t i = 0; i < asked; ++i)
        hits += filter.contains(random_hash((std::uint64_t{1} << 50) + f * asked + i));
    }
    const double expected = filter.geometry().predicted_fpr_after(n) * static_cast<double>(filters * asked);
    EXPECT_NEAR(static_cast<double>(hits) / expected, 1, tolerance(expected)) << "n = " << n;
  }
}

}  // namespace
}  // namespace bloomery
