// The key shapes every kind is measured on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bloomery/detail/fnv.h"

namespace bloomery::testing {

// key(i, n) of a shape: indexes below n are added, those from n on are asked.
struct Shape {
  const char* name;
  std::function<std::string(std::uint64_t i, std::uint64_t n)> key;
};

inline std::string eight_bytes(std::uint64_t value) { return {reinterpret_cast<const char*>(&value), sizeof value}; }

inline const Shape kShapes[] = {
    {"random", [](std::uint64_t i, std::uint64_t) { return eight_bytes(detail::splitmix64(i)); }},
    {"sequential", [](std::uint64_t i, std::uint64_t) { return std::to_string(i); }},
    {"even in, odd asked",
     [](std::uint64_t i, std::uint64_t n) { return eight_bytes(i < n ? 2 * i : 2 * (i - n) + 1); }},
    {"shared prefix",
     [](std::uint64_t i, std::uint64_t) {
       return "https://example.org/a/rather/long/shared/prefix/" + std::to_string(i);
     }},
};

// The mean rate over 1,000 random halves of the 256 one-byte keys: 128 in, 128 asked. make(keys) is a filter of them.
template <class MakeFilter>
double one_byte_rate(MakeFilter make) {
  std::mt19937 random(11);
  std::vector<std::string> all;
  for (int i = 0; i < 256; ++i) all.emplace_back(1, static_cast<char>(i));
  double hits = 0;
  constexpr int kHalves = 1000;
  for (int round = 0; round < kHalves; ++round) {
    std::shuffle(all.begin(), all.end(), random);
    const auto filter = make(std::span<const std::string>(all).first(128));
    for (std::size_t i = 0; i < 128; ++i)
      if (!filter.contains(all[i])) return 1;  // a key was lost: no rate is good enough
    for (std::size_t i = 128; i < 256; ++i) hits += filter.contains(all[i]);
  }
  return hits / (128.0 * kHalves);
}

}  // namespace bloomery::testing
