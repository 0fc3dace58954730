// The salts of spec/split.md and spec/block.md: odd numbers whose products have well-mixed high bits. The first eight
// are those of the Parquet format.
#pragma once

#include <cstdint>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::detail {

inline constexpr std::uint32_t kSalt[16] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b,
                                            0x9efc4947, 0x5c6bfb31, 0x9e3779b1, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f,
                                            0x165667b1, 0xd3a2646d, 0xfd7046c5, 0xb55a4f09};

// The salts for every k as vectors want them: the lanes beyond k repeat those before, so that one path serves every k.
// Split's eight are the row of k = 8.
struct Salts {
  alignas(64) std::uint32_t of_k[17][16];
};

inline constexpr Salts kSalts = [] {
  Salts salts{};
  for (unsigned k = 1; k <= 16; ++k)
    for (unsigned i = 0; i < 16; ++i) salts.of_k[k][i] = kSalt[i % k];
  return salts;
}();

}  // namespace BLOOMERY_NAMESPACE::detail
