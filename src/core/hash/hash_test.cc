#include "bloomery/hash.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <random>
#include <set>

#include "bloomery/detail/bits.h"
#include "core/hash/hash_functions.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::from_hex;
using testing::u64_from_hex;
using testing::vectors;

Secret secret_from(const std::string& hex) { return *Secret::from_hex(hex); }

std::vector<Hasher> all_hashers() {
  const Secret secret = secret_from("000102030405060708090a0b0c0d0e0f");
  return {Hasher::fnv_splitmix(),
          Hasher::xxh3(),
          Hasher::xxh3(0x0123456789abcdef),
          Hasher::xxh64(),
          Hasher::xxh64(0xfedcba9876543210),
          Hasher::siphash13(secret),
          Hasher::siphash24(secret)};
}

TEST(Hash, classic_vectors_hold) {
  for (const auto& row : vectors("classic", "hash")) {
    const std::string key = from_hex(row["key_hex"]);
    const auto* data = reinterpret_cast<const std::uint8_t*>(key.data());
    EXPECT_EQ(detail::fnv1a64(data, key.size()), u64_from_hex(row["fnv1a64"]));
    EXPECT_EQ(Hasher()(key).bits, u64_from_hex(row["mix64"]));
  }
  for (const auto& row : vectors("classic", "splitmix64"))
    EXPECT_EQ(detail::splitmix64(u64_from_hex(row["x"])), u64_from_hex(row["y"]));
}

void expect_row(const nlohmann::json& all, const nlohmann::json& row, const std::string& key) {
  EXPECT_EQ(Hasher::fnv_splitmix()(key).bits, u64_from_hex(row["fnv_splitmix"]));
  for (std::size_t s = 0; s < all["seeds"].size(); ++s) {
    const std::uint64_t seed = u64_from_hex(all["seeds"][s]);
    EXPECT_EQ(Hasher::xxh3(seed)(key).bits, u64_from_hex(row["xxh3"][s]));
    EXPECT_EQ(Hasher::xxh64(seed)(key).bits, u64_from_hex(row["xxh64"][s]));
  }
  for (std::size_t s = 0; s < all["secrets"].size(); ++s) {
    const Secret secret = secret_from(all["secrets"][s]["secret"]);
    EXPECT_EQ(Hasher::siphash13(secret)(key).bits, u64_from_hex(row["siphash13"][s]));
    EXPECT_EQ(Hasher::siphash24(secret)(key).bits, u64_from_hex(row["siphash24"][s]));
    EXPECT_EQ(secret.id(), u64_from_hex(all["secrets"][s]["secret_id"]));
  }
}

TEST(Hash, every_hash_holds_its_vectors) {
  const nlohmann::json all = vectors("hash");
  for (const auto& row : all["rows"]) {
    std::string key;
    for (unsigned i = 0; i < row["length"].get<unsigned>(); ++i) key.push_back(static_cast<char>(i % 251));
    expect_row(all, row, key);
  }
  for (const auto& row : all["integers"]) expect_row(all, row, from_hex(row["key_hex"]));
}

TEST(Hash, siphash24_gives_its_authors_published_values) {
  const Hasher hasher = Hasher::siphash24(secret_from("000102030405060708090a0b0c0d0e0f"));
  const std::uint64_t published[] = {0x726fdb47dd0e0e31, 0x74f839c593dc67fd, 0x0d6c8009d9a94f5a, 0x85676696d7fb7e2d};
  const std::uint8_t input[] = {0, 1, 2, 3};
  for (std::size_t n = 0; n < 4; ++n) EXPECT_EQ(hasher(input, n).bits, published[n]);
}

TEST(Hash, integers_are_eight_bytes_little_endian) {
  for (const auto& row : vectors("hash", "integers")) {
    const std::string text = row["integer"];
    const std::uint64_t expected = u64_from_hex(row["fnv_splitmix"]);
    if (text.starts_with('-')) {
      EXPECT_EQ(hash_key(Hasher(), std::int64_t{std::stoll(text)}).bits, expected);
    } else {
      EXPECT_EQ(hash_key(Hasher(), std::uint64_t{std::stoull(text)}).bits, expected);
    }
  }
  EXPECT_EQ(hash_key(Hasher(), std::int8_t{-1}), hash_key(Hasher(), std::int64_t{-1}));
  EXPECT_EQ(hash_key(Hasher(), std::uint16_t{7}), hash_key(Hasher(), 7));
}

struct Point {
  std::uint32_t x, y;
};
Hash bloomery_hash(const Hasher& hasher, const Point& p) noexcept { return hasher((std::uint64_t{p.x} << 32) | p.y); }

TEST(Hash, keys_of_every_shape_are_accepted) {
  const Hasher hasher = Hasher::xxh3();
  const std::string text = "key";
  const std::vector<std::uint8_t> bytes = {'k', 'e', 'y'};
  EXPECT_EQ(hash_key(hasher, text), hash_key(hasher, std::string_view("key")));
  EXPECT_EQ(hash_key(hasher, text), hash_key(hasher, "key"));
  EXPECT_EQ(hash_key(hasher, text), hash_key(hasher, bytes));
  EXPECT_EQ(hash_key(hasher, text), hash_key(hasher, std::as_bytes(std::span(bytes))));
  EXPECT_EQ(hash_key(hasher, Hash(42)), Hash(42));
  EXPECT_EQ(hash_key(hasher, Point{1, 2}), hash_key(hasher, (std::uint64_t{1} << 32) | 2));
  EXPECT_NE(hash_key(hasher, 42), Hash(42));
  static_assert(!Key<bool> && !Key<char> && !Key<double> && !Key<void*>);
}

// Side by side, short strings are not fetched ahead; apart they are.
TEST(HashMany, equals_one_by_one_for_every_hash_length_and_place_in_memory) {
  std::mt19937_64 random(3);
  std::string text(20'000, '\0');
  for (char& c : text) c = static_cast<char>(random());
  for (const Hasher& hasher : all_hashers()) {
    for (std::size_t count : {0u, 1u, 7u, 8u, 9u, 16u, 17u, 63u, 64u, 65u, 200u, 600u}) {
      for (const bool equal : {true, false}) {
        for (const bool apart : {true, false}) {
          std::vector<std::string_view> keys;
          std::vector<std::uint64_t> numbers;
          for (std::size_t i = 0, end = 0; i < count; ++i) {
            const std::size_t at = apart ? random() % 19'000 : end;
            keys.push_back(std::string_view(text).substr(at, equal ? count % 37 : random() % (apart ? 70 : 32)));
            end = at + keys.back().size();
            numbers.push_back(random());
          }
          EXPECT_EQ(detail::lie_apart(std::span<const std::string_view>(keys)), apart && count > detail::kStringsAhead)
              << count;
          std::vector<Hash> hashes(count);
          hasher.hash_many(keys, hashes);
          for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(hashes[i], hasher(keys[i])) << to_string(hasher.id());
          hasher.hash_many(numbers, hashes);
          for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(hashes[i], hasher(numbers[i])) << to_string(hasher.id());
          const std::vector<std::string> strings(keys.begin(), keys.end());
          hash_keys(hasher, std::span(strings), hashes);
          for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(hashes[i], hasher(keys[i])) << to_string(hasher.id());
        }
      }
    }
  }
}

// Flipping any one bit of the key flips each output bit about half of the time. Plain FNV-1a fails this for the last
// byte of the key, which is why it is mixed; that failure is asserted too, so that the test is known to notice.
double worst_avalanche_bias(const std::function<std::uint64_t(std::uint64_t)>& hash) {
  constexpr int kKeys = 4000;
  double worst = 0;
  for (unsigned in = 0; in < 64; ++in) {
    int flips[64] = {};
    for (std::uint64_t i = 0; i < kKeys; ++i) {
      const std::uint64_t key = detail::splitmix64(i);
      const std::uint64_t difference = hash(key) ^ hash(key ^ (std::uint64_t{1} << in));
      for (unsigned out = 0; out < 64; ++out) flips[out] += static_cast<int>((difference >> out) & 1);
    }
    for (int count : flips) worst = std::max(worst, std::abs(count / double{kKeys} - 0.5));
  }
  return worst;
}

TEST(Avalanche, every_hash_spreads_every_key_bit) {
  // The largest of 4,096 binomial deviations at 4,000 trials is about 0.032; 0.05 is 6.3 sigma.
  for (const Hasher& hasher : all_hashers())
    EXPECT_LT(worst_avalanche_bias([&](std::uint64_t key) { return hasher(key).bits; }), 0.05)
        << to_string(hasher.id());
}

TEST(Avalanche, plain_fnv_fails_and_the_test_sees_it) {
  const auto fnv = [](std::uint64_t key) { return detail::fnv1a64(reinterpret_cast<const std::uint8_t*>(&key), 8); };
  EXPECT_GT(worst_avalanche_bias(fnv), 0.4);
}

// Chi-square of 2^20 sequential keys over 2^12 bins, by the low and by the high bits, in units of its deviation.
double worst_uniformity(const std::function<std::uint64_t(std::uint64_t)>& hash) {
  constexpr std::size_t kBins = 4096, kKeys = 1 << 20;
  double worst = 0;
  for (unsigned shift : {0u, 20u, 32u, 52u}) {
    std::vector<int> bins(kBins);
    for (std::uint64_t key = 0; key < kKeys; ++key) ++bins[(hash(key) >> shift) % kBins];
    const double mean = double{kKeys} / kBins;
    double chi = 0;
    for (int count : bins) chi += (count - mean) * (count - mean) / mean;
    worst = std::max(worst, std::abs(chi - (kBins - 1)) / std::sqrt(2.0 * (kBins - 1)));
  }
  return worst;
}

TEST(Uniformity, every_hash_fills_bins_evenly_from_sequential_keys) {
  for (const Hasher& hasher : all_hashers())
    EXPECT_LT(worst_uniformity([&](std::uint64_t key) { return hasher(key).bits; }), 5.0) << to_string(hasher.id());
}

TEST(Uniformity, plain_fnv_fails_and_the_test_sees_it) {
  const auto fnv = [](std::uint64_t key) { return detail::fnv1a64(reinterpret_cast<const std::uint8_t*>(&key), 8); };
  EXPECT_GT(worst_uniformity(fnv), 5.0);
}

TEST(Secret, takes_32_hex_digits_and_nothing_else) {
  EXPECT_TRUE(Secret::from_hex("000102030405060708090a0b0c0d0e0f").ok());
  EXPECT_TRUE(Secret::from_hex("000102030405060708090A0B0C0D0E0F\n").ok());
  EXPECT_TRUE(Secret::from_hex("000102030405060708090A0B0C0D0E0F\r\n").ok());
  for (const char* bad :
       {"", "00", "000102030405060708090a0b0c0d0e0", "000102030405060708090a0b0c0d0e0f0",
        "g00102030405060708090a0b0c0d0e0f", "000102030405060708090a0b0c0d0e0f\n\n", " 00102030405060708090a0b0c0d0e0f"})
    EXPECT_FALSE(Secret::from_hex(bad).ok()) << bad;
}

TEST(HashNames, go_both_ways_and_unknown_ones_are_refused_with_the_list) {
  for (HashId id : kAllHashes) {
    EXPECT_EQ(*hash_id_from_name(to_string(id)), id);
    EXPECT_EQ(hash_id_from_number(static_cast<std::uint16_t>(id)), id);
  }
  EXPECT_FALSE(hash_id_from_number(0).has_value());
  EXPECT_FALSE(hash_id_from_number(6).has_value());
  EXPECT_NE(hash_id_from_name("md5").error().message.find("xxh3"), std::string::npos);
}

TEST(Hash, self_check_passes_and_ran_at_the_start_of_every_build) {
  EXPECT_TRUE(detail::fnv_self_check());
  EXPECT_TRUE(detail::fnv_checked_at_start());
}

TEST(Secrets, at_random_are_all_different_and_use_every_bit) {
  std::set<std::array<std::uint8_t, 16>> seen;
  std::array<std::uint8_t, 16> ones{}, zeros{};
  for (int i = 0; i < 200; ++i) {
    const Secret secret = Secret::random().value();
    seen.insert(secret.bytes());
    for (std::size_t at = 0; at < 16; ++at) {
      ones[at] = static_cast<std::uint8_t>(ones[at] | secret.bytes()[at]);
      zeros[at] = static_cast<std::uint8_t>(zeros[at] | ~secret.bytes()[at]);
    }
  }
  EXPECT_EQ(seen.size(), 200u);
  for (std::size_t at = 0; at < 16; ++at) EXPECT_EQ(ones[at] & zeros[at], 0xff) << at;
}

}  // namespace
}  // namespace bloomery
