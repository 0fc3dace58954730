// Many sets of keys for static kinds: each is built, and no key may be lost. What a build had to try again is counted.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/detail/fnv.h"
#include "bloomery/filter.h"
#include "core/base/parallel.h"
#include "support/vectors.h"

namespace bloomery::testing {

inline std::vector<Hash> random_set(std::uint64_t first, std::uint64_t count) {
  std::vector<Hash> hashes;
  hashes.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) hashes.emplace_back(detail::splitmix64(first + i));
  return hashes;
}

struct NamedSet {
  const char* name;
  std::vector<Hash> hashes;
};

// n hashes each that are nothing like random ones.
inline std::vector<NamedSet> odd_sets(std::uint64_t n) {
  std::vector<NamedSet> sets = {{"all equal", {}},          {"sequential", {}},      {"one bit apart", {}},
                                {"half of them twice", {}}, {"high bits alone", {}}, {"every 2^32nd", {}}};
  for (std::uint64_t i = 0; i < n; ++i) {
    sets[0].hashes.emplace_back(detail::splitmix64(n));
    sets[1].hashes.emplace_back(i);
    sets[2].hashes.emplace_back(detail::splitmix64(i / 64) ^ (std::uint64_t{1} << i % 64));
    sets[3].hashes.emplace_back(detail::splitmix64(i < n / 2 ? i : i - n / 2));
    sets[4].hashes.emplace_back(i << 40);
    sets[5].hashes.emplace_back(i << 32);
  }
  return sets;
}

template <class Layout>
class StaticSets {
 public:
  explicit StaticSets(const typename Layout::Geometry& target) : target_(target) {}

  // Builds it, asks for every key, one by one and in a batch; the filter, for more questions.
  BasicFilter<Layout> check(const std::vector<Hash>& hashes, unsigned threads = 1) {
    const Hasher hasher = Layout::default_hasher();
    auto filter = BasicFilter<Layout>::build_like(target_, detail::key_run(hasher, hashes), hasher, threads);
    EXPECT_TRUE(filter.ok()) << filter.error().message;
    std::uint64_t lost = 0;
    for (const Hash hash : hashes) lost += !filter->contains(hash);
    EXPECT_EQ(lost, 0u) << "of " << hashes.size();
    EXPECT_LE(filter->key_count(), hashes.size());
    answers_.assign(hashes.size(), 0);
    filter->contains_many(hashes, answers_);
    EXPECT_EQ(std::count(answers_.begin(), answers_.end(), 1), std::ssize(hashes));
    if constexpr (RetryingLayout<Layout>) ++retries_[filter->retries()];
    return *std::move(filter);
  }

  // So many random sets of each size. In a soak by all cores.
  void check_sizes(std::uint64_t from, std::uint64_t to, std::uint64_t sets_of_size) {
    const unsigned threads = soak() ? std::max(1u, std::thread::hardware_concurrency()) : 1;
    std::vector<StaticSets> shares(threads, StaticSets(target_));
    run_parallel(threads, [&](unsigned t) {
      for (std::uint64_t n = from; n <= to; ++n)
        for (std::uint64_t i = t; i < sets_of_size; i += threads)
          shares[t].check(random_set(1 + ((n - from) * sets_of_size + i) * to, n));
    });
    for (const StaticSets& share : shares)
      for (const auto& [failed, sets] : share.retries_) retries_[failed] += sets;
  }

  std::uint64_t with_retries() const {
    std::uint64_t count = 0;
    for (const auto& [failed, sets] : retries_) count += failed > 0 ? sets : 0;
    return count;
  }

  void print(const std::string& what) const {
    std::printf("%s, sets by failed attempts:", what.c_str());
    for (const auto& [failed, sets] : retries_)
      std::printf(" %llu: %llu", static_cast<unsigned long long>(failed), static_cast<unsigned long long>(sets));
    std::printf("\n");
  }

 private:
  typename Layout::Geometry target_;
  std::vector<std::uint8_t> answers_;
  std::map<std::uint64_t, std::uint64_t> retries_;
};

}  // namespace bloomery::testing
