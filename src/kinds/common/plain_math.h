// Powers, logarithms and exponentials by additions, products and divisions alone, in the order that spec/sizing.md
// gives. The functions of <cmath> differ between systems and languages in the last digit, and split and block filters
// take the smallest number of blocks whose rate meets the target: now and then that digit would decide it.
#pragma once

#include <cmath>
#include <cstdint>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::sizing {

inline constexpr double kLn2 = 0.6931471805599453;
inline constexpr double kLn2High = 3048493539143.0 / 4398046511104;  // the first 42 bits of ln 2
inline constexpr double kLn2Low = 5.497923018708371e-14;             // ln 2 less those

inline double power(double base, std::uint32_t exponent) {
  double result = 1;
  for (; exponent != 0; exponent /= 2, base *= base)
    if (exponent % 2 != 0) result *= base;
  return result;
}

// -ln(1 - y) for 0 <= y < 1: twice the inverse hyperbolic tangent of a z of at most 0.177, by its series.
inline double minus_log_of_rest(double y) {
  double z = y / (2 - y), halvings = 0;
  if (y >= 0.25) {
    double rest = 1 - y;
    for (; rest < 0.7; rest *= 2) ++halvings;
    z = (1 - rest) / (1 + rest);
  }
  const double square = z * z;
  double sum = 1.0 / 25;
  for (int odd = 23; odd >= 3; odd -= 2) sum = sum * square + 1.0 / odd;
  return halvings * kLn2 + 2 * z * (1 + sum * square);
}

// e^-x for x >= 0; 0 where that is below the smallest normal number.
inline double exp_of_minus(double x) {
  constexpr double kInverseFactorials[] = {
      1.0,         1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,       1.0 / 720,       1.0 / 5040,
      1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
  const double halvings = std::floor(x / kLn2 + 0.5);
  if (!(halvings <= 1021)) return 0;
  const double rest = (x - halvings * kLn2High) - halvings * kLn2Low;
  double sum = kInverseFactorials[12];
  for (int i = 11; i >= 0; --i) sum = kInverseFactorials[i] - rest * sum;
  return std::ldexp(1 - rest * sum, -static_cast<int>(halvings));
}

}  // namespace BLOOMERY_NAMESPACE::sizing
