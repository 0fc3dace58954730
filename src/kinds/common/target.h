// What every kind asks of the numbers it is sized by.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE::sizing {

inline double as_double(std::uint64_t x) { return static_cast<double>(x); }

inline std::string short_number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

// The bits per key to name where n keys take at least `bits`, in three digits: the least that is no less than asked
// for.
inline std::string least_bits_per_key(std::uint64_t n, double bits) {
  const double least = bits / as_double(n);
  const double digit = std::pow(10.0, std::floor(std::log10(least)) - 2);
  std::string text = short_number(least);
  if (as_double(n) * std::strtod(text.c_str(), nullptr) < bits) text = short_number(least + 0.75 * digit);
  return text;
}

inline Status check_n(std::uint64_t n) {
  if (n == 0) return invalid_argument("n", "n is 0: a filter is sized for at least one key");
  return {};
}

// n and a rate that a filter over 64-bit hashes can have at all.
inline Status check_target(std::uint64_t n, double fpr) {
  constexpr double kTwo64 = 18446744073709551616.0;
  BLOOMERY_TRY(check_n(n));
  if (!(fpr > 0 && fpr < 1))
    return invalid_argument(
        "fpr", "the false-positive rate is " + short_number(fpr) + ": it must lie between 0 and 1, as 0.01");
  if (fpr < as_double(n) / kTwo64)
    return invalid_argument("fpr", "a false-positive rate of " + short_number(fpr) + " for " + std::to_string(n) +
                                       " keys is below n / 2^64, which no 64-bit hash reaches: ask for a higher one");
  return {};
}

inline Status check_bits_per_key(std::uint64_t n, double bits_per_key) {
  BLOOMERY_TRY(check_n(n));
  if (!(bits_per_key > 0 && std::isfinite(bits_per_key)))
    return invalid_argument("bits_per_key", "bits per key must be a number above 0, as 10");
  return {};
}

// The smallest x in [low, high] with good(x), which holds from there on and holds at high.
template <class Good>
std::uint64_t smallest(std::uint64_t low, std::uint64_t high, Good good) {
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (good(middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}

}  // namespace BLOOMERY_NAMESPACE::sizing
