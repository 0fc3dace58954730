// 128 bits without a sign: the type of the compiler where it has one, which is on every 64-bit machine; elsewhere as
// much of it as the library needs.
#pragma once

#include <cstdint>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::detail {

#ifdef __SIZEOF_INT128__

__extension__ using Uint128 = unsigned __int128;

#else

class Uint128 {
 public:
  constexpr Uint128() = default;
  constexpr Uint128(std::uint64_t low) : low_(low) {}

  // Multiplies factors below 2^64, by four products of halves.
  friend constexpr Uint128 operator*(Uint128 a, std::uint64_t b) {
    const std::uint64_t a0 = a.low_ & kHalf, a1 = a.low_ >> 32, b0 = b & kHalf, b1 = b >> 32;
    const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & kHalf);
    return {a1 * b1 + (middle >> 32) + (other >> 32), a.low_ * b};
  }
  friend constexpr Uint128 operator>>(Uint128 a, unsigned bits) {
    if (bits == 0) return a;
    if (bits >= 64) return {0, a.high_ >> (bits - 64)};
    return {a.high_ >> bits, (a.low_ >> bits) | (a.high_ << (64 - bits))};
  }
  constexpr Uint128& operator+=(Uint128 other) {
    low_ += other.low_;
    high_ += other.high_ + (low_ < other.low_ ? 1 : 0);
    return *this;
  }
  friend constexpr bool operator==(Uint128, Uint128) = default;
  constexpr explicit operator std::uint64_t() const { return low_; }
  constexpr explicit operator double() const {
    return static_cast<double>(high_) * 18446744073709551616.0 + static_cast<double>(low_);
  }

 private:
  static constexpr std::uint64_t kHalf = 0xffff'ffff;
  constexpr Uint128(std::uint64_t high, std::uint64_t low) : high_(high), low_(low) {}

  std::uint64_t high_ = 0, low_ = 0;
};

#endif

}  // namespace BLOOMERY_NAMESPACE::detail
