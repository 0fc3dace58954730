// A slot of 12 bits that lies in two words changes in two steps. Nobody may take what lies there between them for a
// fingerprint. Run under ThreadSanitizer as well (make test).
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>

#include "bloomery/live/shared_cuckoo.h"
#include "live/known_adds.h"

namespace bloomery {
namespace {

using detail::CuckooPlaces;

constexpr std::uint64_t kFourBuckets = 4;

// A hash whose first bucket of four is that one, with the lowest bits as told.
Hash hash_in(std::uint64_t bucket, std::uint64_t low) { return Hash(bucket << 62 | low); }

// The lowest bits of a hash in bucket 1 with that second bucket, whose fingerprint is as asked.
std::uint64_t low_bits(std::uint64_t second, const std::function<bool(std::uint64_t)>& is_right) {
  for (std::uint64_t low = 0; low < 1 << 16; ++low) {
    const CuckooPlaces places = detail::cuckoo_places<detail::CuckooBucket<12>>(kFourBuckets, hash_in(1, low));
    if (places.first == 1 && places.second == second && is_right(places.fingerprint)) return low;
  }
  ADD_FAILURE() << "there is no such hash";
  return 0;
}
std::uint64_t fingerprint_of(std::uint64_t low) { return detail::CuckooBucket<12>::fingerprint(Hash(low)); }

// The slot 1 of bucket 1 has its low 4 bits in one word and the others in the next. One thread adds and removes a key
// there, of buckets 1 and 0. Whenever its low bits are gone and the others not yet, it looks like a key of buckets 1
// and 2, of which another thread has a copy in bucket 2 that it removes and adds again.
TEST(SharedCuckooSplitSlot, a_remove_never_takes_half_of_another_fingerprint) {
  const std::uint64_t half = low_bits(2, [](auto fingerprint) { return fingerprint > 0xf && fingerprint % 16 == 0; });
  const std::uint64_t whole = low_bits(0, [&](auto fingerprint) {
    return fingerprint % 16 != 0 && fingerprint - fingerprint % 16 == fingerprint_of(half);
  });
  const std::uint64_t stays = low_bits(
      0, [&](auto fingerprint) { return fingerprint / 16 != fingerprint_of(half) / 16 && fingerprint / 16 != 0; });
  auto shared = *Shared<CuckooFilter>::with_geometry({kFourBuckets, 12});
  for (const std::uint64_t low : {stays, whole, stays, stays}) ASSERT_TRUE(shared.add(hash_in(1, low)).ok());
  ASSERT_TRUE(shared.add(hash_in(2, half)).ok());
  ASSERT_EQ(shared.bits_set(), 5u);

  const std::uint64_t rounds = std::getenv("BLOOMERY_SOAK") != nullptr ? 20'000'000 : 300'000;
  std::atomic<std::uint64_t> failed{0}, writing{1};
  testing::on_threads(2, [&](unsigned self) {
    if (self == 0) {
      for (std::uint64_t i = 0; i < rounds; ++i) {
        failed += !shared.remove(hash_in(1, whole));
        failed += !shared.add(hash_in(1, whole)).ok();
      }
      --writing;
      return;
    }
    while (writing > 0) {
      failed += !shared.remove(hash_in(1, half));
      failed += !shared.add(hash_in(2, half)).ok();
    }
  });
  EXPECT_EQ(failed, 0u);
  EXPECT_EQ(shared.bits_set(), 5u);
  EXPECT_TRUE(shared.remove(hash_in(1, whole)));
  EXPECT_TRUE(shared.remove(hash_in(1, half)));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(shared.remove(hash_in(1, stays)));
  EXPECT_TRUE(*shared.copy() == *CuckooFilter::with_geometry(shared.geometry()));
}

}  // namespace
}  // namespace bloomery
