// Random adds and removes against a multiset: 10^8 of them in the soak.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "bloomery/counting.h"
#include "bloomery/detail/fnv.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::scaled;

// How often each key is in a filter, and the filter.
class Model {
 public:
  Model(const CountingGeometry& geometry, std::size_t keys)
      : filter_(*CountingFilter::with_geometry(geometry)), times_(keys) {}

  static Hash hash(std::size_t key) { return Hash(detail::splitmix64(key)); }

  void add(std::size_t key) {
    const bool fresh = filter_.add(hash(key));
    ASSERT_FALSE(fresh && times_[key] > 0) << "a key that was in had a counter of 0";
    ++times_[key], ++in_;
  }
  // Only what is in.
  void remove(std::size_t key) {
    if (times_[key] == 0) return;
    ASSERT_TRUE(filter_.remove(hash(key)));
    --times_[key], --in_;
  }
  void check(std::size_t key, std::uint64_t most) const {
    if (times_[key] == 0) return;
    ASSERT_TRUE(filter_.contains(hash(key)));
    ASSERT_GE(filter_.view().count(hash(key)), std::min<std::uint64_t>(times_[key], most));
  }
  void check_all(std::uint64_t most) const {
    for (std::size_t key = 0; key < times_.size(); ++key) check(key, most);
    ASSERT_EQ(filter_.key_count(), in_);
  }
  void remove_all() {
    for (std::size_t key = 0; key < times_.size(); ++key)
      while (times_[key] > 0 && !::testing::Test::HasFatalFailure()) remove(key);
  }
  const CountingFilter& filter() const { return filter_; }

 private:
  CountingFilter filter_;
  std::vector<std::uint32_t> times_;
  std::uint64_t in_ = 0;
};

// Of hot keys there are few, so that they are added again and again.
void run(Model& model, std::uint64_t operations, std::size_t keys, std::size_t hot, std::uint64_t most) {
  std::mt19937_64 random(7);
  for (std::uint64_t i = 0; i < operations; ++i) {
    const std::uint64_t dice = random();
    const std::size_t key = (dice >> 8) % (dice % 4 == 0 ? hot : keys);
    if (dice & 16) model.add(key);
    else model.remove(key);
    model.check(key, most);
    model.check((dice >> 32) % keys, most);
    if (i % (operations / 4) == 0) model.check_all(most);
    if (::testing::Test::HasFatalFailure()) return;
  }
  model.check_all(most);
}

TEST(CountingModel, wide_counters_follow_a_multiset_and_end_at_zero) {
  const std::size_t keys = scaled<std::size_t>(10'000, 100'000);
  Model model(*CountingGeometry::for_capacity(keys, 0.01, 32), keys);
  run(model, scaled<std::uint64_t>(600'000, 100'000'000), keys, 100, 0xffffffff);
  model.remove_all();
  EXPECT_EQ(model.filter().bits_set(), 0u);
  EXPECT_EQ(model.filter().key_count(), 0u);
}

TEST(CountingModel, counters_of_four_bits_that_fill_up_deny_no_key) {
  const std::size_t keys = scaled<std::size_t>(10'000, 100'000);
  Model model(*CountingGeometry::for_capacity(keys, 0.01), keys);
  run(model, scaled<std::uint64_t>(400'000, 100'000'000), keys, 100, 15);
  model.remove_all();
  std::uint64_t full = 0, neither = 0;
  for (std::uint8_t byte : model.filter().view().payload()) {
    for (int counter : {byte & 15, byte >> 4}) full += counter == 15, neither += counter != 15 && counter != 0;
  }
  EXPECT_GT(full, 100u) << "nothing was tried";
  EXPECT_EQ(neither, 0u) << "what was never full is exact";
}

// Few counters and many indexes: keys whose own indexes coincide are added and removed all the time.
TEST(CountingModel, keys_whose_indexes_coincide_leave_nothing_behind) {
  for (std::uint64_t m : {1u, 12u, 30u, 64u}) {
    Model model({m, 30, 32}, 200);
    run(model, scaled<std::uint64_t>(20'000, 1'000'000), 200, 10, 0xffffffff);
    model.remove_all();
    EXPECT_EQ(model.filter().bits_set(), 0u) << m;
  }
}

}  // namespace
}  // namespace bloomery
