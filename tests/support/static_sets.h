// Many sets of keys for static kinds: each is built, and no key may be lost. What a build had to try again is counted.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "bloomery/detail/basic_filter.h"
#include "bloomery/detail/fnv.h"

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
  explicit StaticSets(const typename Layout::Geometry& wish) : wish_(wish) {}

  // Builds it, asks for every key, one by one and in a batch; the filter, for more questions.
  BasicFilter<Layout> check(const std::vector<Hash>& hashes, unsigned threads = 1) {
    const Hasher hasher = Layout::default_hasher();
    auto filter = BasicFilter<Layout>::build_like(wish_, detail::key_run(hasher, hashes), threads, hasher);
    EXPECT_TRUE(filter.ok()) << filter.error().message;
    std::uint64_t lost = 0;
    for (const Hash hash : hashes) lost += !filter->contains(hash);
    EXPECT_EQ(lost, 0u) << "of " << hashes.size();
    answers_.assign(hashes.size(), 0);
    filter->contains_many(hashes, answers_);
    EXPECT_EQ(std::count(answers_.begin(), answers_.end(), 1), std::ssize(hashes));
    if constexpr (detail::RetryingLayout<Layout>) ++retries_[filter->retries()];
    return *std::move(filter);
  }

  void print(const std::string& what) const {
    std::printf("%s, sets by failed attempts:", what.c_str());
    for (const auto& [failed, sets] : retries_)
      std::printf(" %llu: %llu", static_cast<unsigned long long>(failed), static_cast<unsigned long long>(sets));
    std::printf("\n");
  }

 private:
  typename Layout::Geometry wish_;
  std::vector<std::uint8_t> answers_;
  std::map<std::uint64_t, std::uint64_t> retries_;
};

}  // namespace bloomery::testing
