// Little-endian fields, checked arithmetic and wide multiplication: the small tools every layer uses.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>

#include "bloomery/detail/wide.h"
#include "bloomery/export.h"

static_assert(std::endian::native == std::endian::little, "bloomery supports little-endian machines only");

namespace BLOOMERY_NAMESPACE::detail {

template <class T>
inline T load_le(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
inline void store_le(std::uint8_t* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

// Always inline: no copy of it for another instruction set can be called (compiled_for.h).
[[gnu::always_inline]] inline std::uint64_t mulhi64(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>((static_cast<Uint128>(a) * b) >> 64);
}

inline std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) {
  if (a > std::numeric_limits<std::uint64_t>::max() - b) return std::nullopt;
  return a + b;
}

inline std::optional<std::uint64_t> checked_mul(std::uint64_t a, std::uint64_t b) {
  const Uint128 product = static_cast<Uint128>(a) * b;
  if (product >> 64 != Uint128(std::uint64_t{0})) return std::nullopt;
  return static_cast<std::uint64_t>(product);
}

// ceil(bits / 8) without the overflow of (bits + 7) / 8.
constexpr std::uint64_t bytes_for_bits(std::uint64_t bits) { return bits / 8 + (bits % 8 != 0 ? 1 : 0); }

}  // namespace BLOOMERY_NAMESPACE::detail
