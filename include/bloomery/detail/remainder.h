// h mod m for 32-bit h without a divide (Lemire, Kaser, Kurz, "Faster remainder by direct computation", 2019).
// Used by the classic filter, which needs an exact remainder: its bits are the same in every language.
#pragma once

#include <cstdint>

#include "bloomery/detail/bits.h"
#include "bloomery/detail/compiled_for.h"
#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::detail {

class Remainder {
 public:
  constexpr Remainder() = default;

  // m >= 1. For m <= 2^32 the reciprocal ceil(2^64/m) has the 64 fractional bits the method needs for a 32-bit
  // dividend and a 32-bit divisor (m = 1 wraps to 0, which gives the right answer 0). A larger m leaves h as it is.
  BLOOMERY_PER_ISA constexpr explicit Remainder(std::uint64_t m) : m_(m), reciprocal_(~std::uint64_t{0} / m + 1) {}

  constexpr std::uint64_t divisor() const { return m_; }

  BLOOMERY_PER_ISA std::uint64_t of(std::uint32_t h) const {
    if (m_ > kLargestReduced) [[unlikely]]
      return h;
    return mulhi64(reciprocal_ * h, m_);
  }

 private:
  static constexpr std::uint64_t kLargestReduced = std::uint64_t{1} << 32;

  std::uint64_t m_ = 1;
  std::uint64_t reciprocal_ = 0;
};

}  // namespace BLOOMERY_NAMESPACE::detail
