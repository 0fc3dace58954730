// One integer asked for by itself, with every kind, every hash and every width of cells: the kind's own hash is
// computed in place, any other by a call, and both answer as the hash of the integer is answered.
#include <gtest/gtest.h>

#include <vector>

#include "bloomery/bloomery.h"
#include "support/all_layouts.h"

namespace bloomery {
namespace {

template <class Layout>
class OneInteger : public ::testing::Test {};
TYPED_TEST_SUITE(OneInteger, testing::AllLayoutTypes, testing::KindNames);

std::vector<Hasher> hashers_of_integers() {
  const Secret secret = *Secret::from_hex("000102030405060708090a0b0c0d0e0f");
  return {Hasher::fnv_splitmix(),    Hasher::xxh3(),           Hasher::xxh3(77), Hasher::xxh64(), Hasher::xxh64(78),
          Hasher::siphash13(secret), Hasher::siphash24(secret)};
}

TYPED_TEST(OneInteger, is_answered_as_its_hash_is_whatever_the_hash) {
  if constexpr (!ForgettingLayout<TypeParam>) {
    constexpr int kIn = 300, kAsked = 3000;
    std::vector<int> in;
    for (int i = 0; i < kIn; ++i) in.push_back(i - 3);
    for (const Hasher& hasher : hashers_of_integers()) {
      for (const double fpr : {0.03, 0.002, 0.0001}) {  // 8, 12 and 16 bits of cuckoo
        const Result<BasicFilter<TypeParam>> filter = BasicFilter<TypeParam>::build(in, fpr, hasher);
        ASSERT_TRUE(filter.ok()) << filter.error().message;
        int found = 0;
        for (int i = 0; i < kAsked; ++i) {
          const bool answer = filter->contains(i - 3);
          ASSERT_EQ(answer, filter->contains(hasher(static_cast<std::uint64_t>(i - 3)))) << to_string(hasher.id());
          ASSERT_TRUE(answer || i >= kIn) << to_string(hasher.id()) << " " << i << " at " << fpr;
          found += answer ? 1 : 0;
        }
        EXPECT_LT(found, kAsked / 2) << to_string(hasher.id());
        EXPECT_TRUE(filter->contains(std::int8_t{-3}));
        EXPECT_TRUE(filter->contains(std::uint16_t{7}));
      }
    }
  }
}

}  // namespace
}  // namespace bloomery
