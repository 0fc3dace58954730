// Batches of cuckoo filters by every instruction set of this machine, held to the lookup of one key.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "bloomery/detail/cuckoo_probe.h"
#include "kernel/kernel.h"

namespace bloomery::kernel {
namespace {

class EveryIsaOfCuckoo : public ::testing::TestWithParam<const Kernel*> {};
INSTANTIATE_TEST_SUITE_P(Kernel, EveryIsaOfCuckoo, ::testing::ValuesIn(available()),
                         [](const auto& instance) { return std::string(instance.param->name); });

bool contains(const std::vector<std::uint8_t>& bytes, std::uint64_t buckets, std::uint32_t bits, std::uint64_t hash) {
  return detail::with_cuckoo_bucket(bits, [&]<class Bucket>(Bucket) {
    return detail::cuckoo_contains<Bucket>(bytes.data(), detail::cuckoo_places<Bucket>(buckets, Hash(hash)));
  });
}

// Bytes that are no filter's, so full of fingerprints that many of the short ones are found; and behind the last bucket
// the padding that a filter has.
TEST_P(EveryIsaOfCuckoo, answers_as_one_key_is_answered) {
  if (GetParam()->cuckoo_contains == nullptr) GTEST_SKIP() << "no batches of its own";
  std::mt19937_64 random(13);
  std::array<std::size_t, 2> answered{};
  for (const std::uint32_t bits : {8u, 12u, 16u}) {
    for (const std::uint64_t buckets : {2ull, 4ull, 10ull, 1000ull, 70'000ull}) {
      std::vector<std::uint8_t> bytes(buckets * bits / 2 + 2);
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
      for (const std::size_t count : {0u, 1u, 3u, 4u, 31u, 32u, 33u, 64u, 100u, 1000u}) {
        std::vector<std::uint64_t> hashes(count);
        for (std::uint64_t& hash : hashes) hash = random();
        if (count > 1) hashes[0] = 0, hashes[1] = ~std::uint64_t{0};
        // Half of them are there: a slot of the first or the second bucket gets the fingerprint.
        for (std::size_t i = 0; i < count; i += 2) {
          detail::with_cuckoo_bucket(bits, [&]<class Bucket>(Bucket) {
            const detail::CuckooPlaces places = detail::cuckoo_places<Bucket>(buckets, Hash(hashes[i]));
            const std::uint64_t at = i % 4 == 0 ? places.first : places.second;
            const auto slot = static_cast<std::uint32_t>(random() % 4);
            Bucket::store(bytes.data(), at, Bucket::with(Bucket::load(bytes.data(), at), slot, places.fingerprint));
          });
        }
        std::vector<std::uint8_t> right(count + 1, 7), answers(count + 1, 7);
        for (std::size_t i = 0; i < count; ++i)
          ++answered[right[i] = contains(bytes, buckets, bits, hashes[i]) ? 1 : 0];
        for (const bool fetch : {false, true}) {
          std::fill(answers.begin(), answers.end(), std::uint8_t{7});
          GetParam()->cuckoo_contains(bytes.data(), {buckets, bits, hashes.data(), count, fetch}, answers.data());
          ASSERT_EQ(answers, right) << "bits " << bits << " buckets " << buckets << " count " << count;
        }
      }
    }
  }
  EXPECT_GT(answered[0], 1000u);
  EXPECT_GT(answered[1], 1000u);
}

}  // namespace
}  // namespace bloomery::kernel
