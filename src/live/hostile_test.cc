// Keys chosen by somebody who knows the hash: they work against a fixed hash and do nothing to a keyed one.
#include <gtest/gtest.h>

#include "bloomery/bloomery.h"
#include "bloomery/live/live.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kKeys = 5000;
constexpr double kFpr = 0.01;

Secret secret(std::uint8_t first) {
  std::array<std::uint8_t, 16> bytes{};
  bytes[0] = first;
  return Secret(bytes);
}

template <class T>
class Hostile : public ::testing::Test {
 protected:
  using Live = LiveFilter<T>;

  static std::unique_ptr<Live> make(std::optional<Hasher> hasher) {
    auto live = *Live::make({.n = kKeys, .fpr = kFpr, .hasher = hasher});
    for (std::uint64_t key = 0; key < kKeys; ++key) live->add(key);
    return live;
  }
  static double share_of_maybes(const Live& live, const std::vector<std::uint64_t>& keys) {
    std::uint64_t maybes = 0;
    for (std::uint64_t key : keys) maybes += live.contains(key);
    return static_cast<double>(maybes) / static_cast<double>(keys.size());
  }
};
using All = ::testing::Types<ClassicFilter, SplitFilter, BlockFilter>;
TYPED_TEST_SUITE(Hostile, All);

// Who knows keys and hash makes the same filter at home and sends only absent keys that it does not deny.
TYPED_TEST(Hostile, a_flood_of_false_positives_works_against_a_fixed_hash_only) {
  TypeParam at_home = *TypeParam::with_capacity(kKeys, kFpr);
  for (std::uint64_t key = 0; key < kKeys; ++key) at_home.add(key);
  std::vector<std::uint64_t> flood;
  for (std::uint64_t key = kKeys; flood.size() < 3000; ++key)
    if (at_home.contains(key)) flood.push_back(key);
  EXPECT_GT(this->share_of_maybes(*this->make({}), flood), 10 * kFpr);
  auto keyed = this->make(Hasher::siphash13(secret(1)));
  EXPECT_LT(this->share_of_maybes(*keyed, flood), 2 * kFpr);

  // And should the secret leak, a rebuild with a fresh one ends it.
  flood.clear();
  for (std::uint64_t key = kKeys; flood.size() < 3000; ++key)
    if (keyed->contains(key)) flood.push_back(key);
  ASSERT_TRUE(keyed->begin_rebuild(kKeys, kFpr, Hasher::siphash13(secret(2))).ok());
  for (std::uint64_t key = 0; key < kKeys; ++key) ASSERT_TRUE(keyed->feed(key).ok());
  ASSERT_TRUE(keyed->commit().ok());
  EXPECT_LT(this->share_of_maybes(*keyed, flood), 2 * kFpr);
}

// Who may add picks keys that set as many new bits as possible, so that the filter fills before its time.
TEST(HostileAdds, keys_picked_to_fill_a_filter_work_against_a_fixed_hash_only) {
  ClassicFilter at_home = *ClassicFilter::with_capacity(kKeys, kFpr);
  std::vector<std::uint64_t> picked;
  std::uint64_t candidate = 0;
  while (picked.size() < kKeys) {
    // Of some thousand candidates the one that adds most.
    std::uint64_t best = 0, best_bits = 0;
    for (int i = 0; i < 5000 && best_bits < at_home.geometry().k; ++i, ++candidate) {
      const Hash hash = hash_key(at_home.hasher(), candidate);
      detail::ClassicIndexes indexes(detail::Remainder(at_home.geometry().m), hash);
      std::uint64_t fresh = 0;
      for (std::uint32_t k = 0; k < at_home.geometry().k; ++k, indexes.next(at_home.geometry().m))
        fresh += 1 - detail::classic_bit(at_home.view().payload().data(), indexes.at());
      if (fresh > best_bits) best = candidate, best_bits = fresh;
    }
    at_home.add(best);
    picked.push_back(best);
  }
  const auto rate = [&](std::optional<Hasher> hasher) {
    auto live = *LiveFilter<ClassicFilter>::make({.n = kKeys, .fpr = kFpr, .hasher = hasher});
    for (std::uint64_t key : picked) live->add(key);
    return live->stats(200'000)->sampled_fpr.rate;
  };
  EXPECT_GT(rate({}), 10 * kFpr);
  EXPECT_LT(rate(Hasher::siphash13(secret(1))), 1.2 * kFpr);
}

}  // namespace
}  // namespace bloomery
