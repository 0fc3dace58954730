#include "kinds/common/ln.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace BLOOMERY_NAMESPACE::sizing {
namespace {

// A fixed-point number from 0 up: limb 0 is the whole part, the others are 224 bits behind the point. The logarithms of
// doubles that are hardest to round agree with a tie in about 120 bits.
constexpr std::size_t kLimbs = 8;
constexpr unsigned kBits = 32;
using Fixed = std::array<std::uint32_t, kLimbs>;

constexpr Fixed kLn2 = {0, 0xb17217f7, 0xd1cf79ab, 0xc9e3b398, 0x03f2f6af, 0x40f34326, 0x7298b62d, 0x8a0d175c};

void add(Fixed& a, const Fixed& b) {
  std::uint64_t carry = 0;
  for (std::size_t i = kLimbs; i-- > 0; carry >>= kBits) {
    carry += std::uint64_t{a[i]} + b[i];
    a[i] = static_cast<std::uint32_t>(carry);
  }
}

// a >= b.
void subtract(Fixed& a, const Fixed& b) {
  std::uint64_t borrow = 0;
  for (std::size_t i = kLimbs; i-- > 0;) {
    const std::uint64_t difference = std::uint64_t{a[i]} - b[i] - borrow;
    a[i] = static_cast<std::uint32_t>(difference);
    borrow = difference >> 63;
  }
}

void multiply(Fixed& a, std::uint32_t by) {
  std::uint64_t carry = 0;
  for (std::size_t i = kLimbs; i-- > 0; carry >>= kBits) {
    carry += std::uint64_t{a[i]} * by;
    a[i] = static_cast<std::uint32_t>(carry);
  }
}

void divide(Fixed& a, std::uint32_t by) {
  std::uint64_t rest = 0;
  for (std::uint32_t& limb : a) {
    rest = rest << kBits | limb;
    limb = static_cast<std::uint32_t>(rest / by);
    rest %= by;
  }
}

// Returns the product of numbers below 1; what is behind the last bit is cut off.
Fixed product(const Fixed& a, const Fixed& b) {
  std::array<std::uint32_t, 2 * kLimbs> all{};
  for (std::size_t i = kLimbs; i-- > 0;) {
    std::uint64_t carry = 0;
    for (std::size_t j = kLimbs; j-- > 0; carry >>= kBits) {
      carry += std::uint64_t{a[i]} * b[j] + all[i + j + 1];
      all[i + j + 1] = static_cast<std::uint32_t>(carry);
    }
    all[i] = static_cast<std::uint32_t>(carry);
  }
  Fixed out;
  for (std::size_t i = 0; i < kLimbs; ++i) out[i] = all[i + 1];
  return out;
}

// a / b for a < b < 2^63, bit by bit.
Fixed quotient(std::uint64_t a, std::uint64_t b) {
  Fixed out{};
  for (std::size_t i = 1; i < kLimbs; ++i) {
    for (unsigned bit = 0; bit < kBits; ++bit) {
      a *= 2;
      out[i] = out[i] << 1 | (a >= b ? 1u : 0u);
      if (a >= b) a -= b;
    }
  }
  return out;
}

// 2 artanh(s) = 2 (s + s^3/3 + s^5/5 + ..), for s below 0.172: each term adds five bits.
Fixed twice_artanh(const Fixed& s) {
  const Fixed square = product(s, s);
  Fixed sum{}, power = s;
  for (std::uint32_t odd = 1; odd < 96; odd += 2) {
    Fixed term = power;
    divide(term, odd);
    add(sum, term);
    power = product(power, square);
  }
  multiply(sum, 2);
  return sum;
}

// The nearest double; no logarithm of a double but 0 lies in the middle between two.
double rounded(const Fixed& a) {
  std::size_t first = 0;
  while (first < kLimbs && a[first] == 0) ++first;
  if (first == kLimbs) return 0;
  // 64 bits from the highest that is set on; what is behind them does not decide.
  const unsigned shift = static_cast<unsigned>(std::countl_zero(a[first]));
  const auto limb = [&](std::size_t i) { return i < kLimbs ? std::uint64_t{a[i]} : 0; };
  std::uint64_t top = limb(first) << kBits | limb(first + 1);
  if (shift > 0) top = top << shift | limb(first + 2) >> (kBits - shift);
  bool behind = (limb(first + 2) << (kBits + shift)) != 0;
  for (std::size_t i = first + 3; i < kLimbs; ++i) behind = behind || a[i] != 0;
  const std::uint64_t rest = top & 0x7ff;
  std::uint64_t mantissa = top >> 11;
  if (rest > 0x400 || (rest == 0x400 && (behind || mantissa % 2 != 0))) ++mantissa;
  return std::ldexp(static_cast<double>(mantissa), 11 - static_cast<int>(kBits * (first + 1) + shift));
}

}  // namespace

double ln(double x) noexcept {
  constexpr double kSqrtHalf = 0.7071067811865476;
  int e = 0;
  double f = std::frexp(x, &e);
  if (f < kSqrtHalf) {
    f *= 2;
    --e;
  }
  // x = f 2^e with f near 1: ln x = e ln 2 + 2 artanh((f - 1) / (f + 1)), of integers times 2^-53.
  const auto scaled = static_cast<std::uint64_t>(std::ldexp(f, 53));
  constexpr std::uint64_t kOne = std::uint64_t{1} << 53;
  const bool below = scaled < kOne;
  Fixed small = twice_artanh(quotient(below ? kOne - scaled : scaled - kOne, scaled + kOne));
  if (e == 0) return below ? -rounded(small) : rounded(small);
  Fixed large = kLn2;
  multiply(large, static_cast<std::uint32_t>(e < 0 ? -e : e));
  if (below == (e < 0)) add(large, small);
  else subtract(large, small);
  return e < 0 ? -rounded(large) : rounded(large);
}

}  // namespace BLOOMERY_NAMESPACE::sizing
