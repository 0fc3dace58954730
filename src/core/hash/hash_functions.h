// The hash functions behind Hasher, one file each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "bloomery/hash.h"

namespace BLOOMERY_NAMESPACE::detail {

void fnv_splitmix_many(std::span<const std::string_view> keys, Hash* out);
std::uint64_t xxh3(const void* data, std::size_t size, std::uint64_t seed) noexcept;
// Keys is a span of string_views or a StringColumn.
template <class Keys>
void xxh3_many(const Keys& keys, std::uint64_t seed, Hash* out);
std::uint64_t xxh64(const void* data, std::size_t size, std::uint64_t seed) noexcept;
template <class Keys>
void xxh64_many(const Keys& keys, std::uint64_t seed, Hash* out);
std::uint64_t siphash13(const void* data, std::size_t size, std::uint64_t k0, std::uint64_t k1) noexcept;
std::uint64_t siphash24(const void* data, std::size_t size, std::uint64_t k0, std::uint64_t k1) noexcept;
// SipHash-2-4 with a result of 128 bits: a MAC, of no filter.
struct SipHash128 {
  std::uint64_t low = 0, high = 0;
};
SipHash128 siphash24_128(const void* data, std::size_t size, std::uint64_t k0, std::uint64_t k1) noexcept;

// The published FNV-1a values of "" and "foobar", and splitmix64 of 0: a compiler or a build that gets them wrong would
// write files nobody else can read. Checked once in every build, when the library is loaded; a program in which it
// fails ends with a sentence.
bool fnv_self_check() noexcept;
// Whether the check at the start has run.
bool fnv_checked_at_start() noexcept;

}  // namespace BLOOMERY_NAMESPACE::detail
