// A quotient filter against a model multiset of fingerprints: random adds and removes, from empty to full, in small and
// large tables. 10^6 in `make test`, 10^8 in `make soak`.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "bloomery/detail/fnv.h"
#include "bloomery/quotient.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

class QuotientModel {
 public:
  // Of few keys, each is added again and again.
  QuotientModel(const QuotientGeometry& geometry, std::uint64_t keys)
      : filter_(*QuotientFilter::with_geometry(geometry)), keys_(keys), random_(keys) {}

  // Fills up to 95 %, then goes up and down; now and then nearly everything goes.
  void step() {
    if (in_.empty()) falling_ = false;
    if (in_.size() >= filter_.geometry().capacity()) falling_ = random_() % 4 == 0;
    if (in_.empty() || random_() % 16 >= (falling_ ? 12u : 7u)) add(Hash(detail::splitmix64(random_() % keys_)));
    else remove(random_() % in_.size());
    const Hash asked(detail::splitmix64(random_() % keys_));
    const auto found = model_.find(fingerprint(asked));
    const std::uint64_t times = found == model_.end() ? 0 : found->second;
    ASSERT_EQ(filter_.count(asked), times);
    ASSERT_EQ(filter_.contains(asked), times > 0);
    if (times == 0) {
      ASSERT_FALSE(filter_.remove(asked));
    }
  }

  void check_all() const {
    ASSERT_EQ(filter_.bits_set(), in_.size());
    ASSERT_EQ(filter_.key_count(), in_.size());
    auto expected = model_.begin();
    filter_.view().for_each([&](std::uint64_t fingerprint, std::uint64_t times) {
      ASSERT_TRUE(expected != model_.end() && expected->first == fingerprint && expected->second == times);
      ++expected;
    });
    ASSERT_TRUE(expected == model_.end());
    const Result<QuotientFilter> copy = QuotientFilter::copy_of(filter_.view(), {});
    ASSERT_TRUE(copy.ok()) << copy.error().message;
    std::vector<std::uint8_t> answers(in_.size());
    filter_.contains_many(in_, answers);
    ASSERT_EQ(std::count(answers.begin(), answers.end(), 1), static_cast<std::ptrdiff_t>(in_.size()));
  }

 private:
  std::uint64_t fingerprint(Hash hash) const { return hash.bits >> (64 - filter_.geometry().fingerprint_bits()); }

  void add(Hash hash) {
    if (!filter_.add(hash).ok()) {
      ASSERT_EQ(in_.size(), filter_.geometry().capacity()) << "refused before it was full";
      return;
    }
    in_.push_back(hash);
    ++model_[fingerprint(hash)];
  }
  void remove(std::size_t at) {
    ASSERT_TRUE(filter_.remove(in_[at]));
    const auto found = model_.find(fingerprint(in_[at]));
    if (--found->second == 0) model_.erase(found);
    in_[at] = in_.back();
    in_.pop_back();
  }

  QuotientFilter filter_;
  std::uint64_t keys_;
  std::mt19937_64 random_;
  bool falling_ = false;
  std::vector<Hash> in_;                          // the keys, each as often as it is in
  std::map<std::uint64_t, std::uint64_t> model_;  // their fingerprints
};

TEST(QuotientModel, holds_what_a_multiset_holds_over_random_adds_and_removes) {
  struct Case {
    QuotientGeometry geometry;
    std::uint64_t keys, share;  // of the steps, in percent
  };
  const std::uint32_t large = testing::scaled(14u, 18u);
  for (const Case& c : {Case{{1, 3}, 3, 3}, Case{{4, 2}, 9, 7}, Case{{6, 1}, 500, 10}, Case{{6, 56}, 20, 10},
                        Case{{9, 9}, 5000, 20}, Case{{11, 13}, 700, 20}, Case{{large, 7}, 1u << 19, 30}}) {
    QuotientModel model(c.geometry, c.keys);
    const std::uint64_t steps = testing::scaled<std::uint64_t>(10'000, 1'000'000) * c.share;
    for (std::uint64_t i = 1; i <= steps; ++i) {
      ASSERT_NO_FATAL_FAILURE(model.step()) << i;
      if (i % (steps / 20) == 0) {
        ASSERT_NO_FATAL_FAILURE(model.check_all()) << i;
      }
    }
  }
}

}  // namespace
}  // namespace bloomery
