// A cuckoo filter against a model of it: a long run of random adds and removes at 90 to 95 % load. No key that is in is
// ever denied, and as many slots are taken as keys are in.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "bloomery/cuckoo.h"
#include "bloomery/detail/fnv.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

class CuckooModel {
 public:
  explicit CuckooModel(std::uint32_t bits) : filter_(*CuckooFilter::with_geometry({10'000, bits})), random_(bits) {}

  void step() {
    const double load = static_cast<double>(in_.size()) / static_cast<double>(filter_.geometry().cells());
    if (load < 0.90 || (load < 0.95 && random_() % 2 == 0)) add();
    else remove();
    ASSERT_TRUE(filter_.contains(in_[pick()])) << "a key that is in is denied";
  }
  void check_all() const {
    for (const Hash hash : in_) ASSERT_TRUE(filter_.contains(hash));
    ASSERT_EQ(filter_.bits_set(), in_.size());
    ASSERT_EQ(filter_.key_count(), in_.size());
  }
  void remove_all() {
    while (!in_.empty()) remove();
    EXPECT_TRUE(filter_ == *CuckooFilter::with_geometry(filter_.geometry()));
  }

 private:
  std::size_t pick() { return random_() % in_.size(); }

  // One in sixteen is a key that is in already.
  void add() {
    const Hash hash = in_.empty() || random_() % 16 != 0 ? Hash(detail::splitmix64(next_++)) : in_[pick()];
    if (filter_.count(hash) >= 8) return;
    ASSERT_TRUE(filter_.add(hash).ok());
    in_.push_back(hash);
  }
  void remove() {
    const std::size_t at = pick();
    ASSERT_TRUE(filter_.remove(in_[at])) << "a key that is in cannot be removed";
    in_[at] = in_.back();
    in_.pop_back();
  }

  CuckooFilter filter_;
  std::mt19937_64 random_;
  std::uint64_t next_ = 1;
  std::vector<Hash> in_;  // a multiset
};

TEST(CuckooModel, no_key_that_is_in_is_denied_over_random_adds_and_removes) {
  for (std::uint32_t bits : {8u, 12u, 16u}) {
    CuckooModel model(bits);
    const std::uint64_t steps = testing::scaled<std::uint64_t>(350'000, 34'000'000);
    for (std::uint64_t i = 1; i <= steps; ++i) {
      ASSERT_NO_FATAL_FAILURE(model.step());
      if (i % (steps / 10) == 0) {
        ASSERT_NO_FATAL_FAILURE(model.check_all());
      }
    }
    ASSERT_NO_FATAL_FAILURE(model.remove_all());
  }
}

}  // namespace
}  // namespace bloomery
