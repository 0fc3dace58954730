// The promise of every kind that refuses too few bits per key: the number that the refusal names is enough.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace bloomery::testing {

// The bits per key that a refusal for n keys names; 0 where the fewest bits are enough.
template <class Geometry>
double named_bits(std::uint64_t n) {
  const auto refused = Geometry::for_bits_per_key(n, 1e-6);
  if (refused.ok()) return 0;
  const std::string message = refused.error().message, before = "takes at least ";
  const std::size_t at = message.find(before);
  EXPECT_NE(at, std::string::npos) << message;
  return at == std::string::npos ? 0 : std::strtod(message.c_str() + at + before.size(), nullptr);
}

template <class Geometry>
void expect_named_bits_suffice() {
  int refused = 0;
  for (std::uint64_t n = 1; n < std::uint64_t{1} << 40; n += n < 3000 ? 1 : n / 97) {
    const double named = named_bits<Geometry>(n);
    if (named == 0) continue;
    ++refused;
    EXPECT_TRUE(Geometry::for_bits_per_key(n, named).ok()) << n << " keys in " << named << " bits each";
    // It is no more than the rounding away from the least.
    if (n >= 10'000) {
      EXPECT_FALSE(Geometry::for_bits_per_key(n, 0.985 * named).ok()) << n << " keys, not " << named;
    }
  }
  EXPECT_GT(refused, 4000);
}

}  // namespace bloomery::testing
