// One call after the other in a file that is compiled for AVX2, as a program of a user's may be.
#pragma once

#include <cstdint>
#include <span>

#include "bloomery/block.h"
#include "bloomery/split.h"

namespace bloomery::bench::one_call {

bool has_avx2();
// How many of the keys may be present. Only where has_avx2().
std::uint64_t count_avx2(const BlockView& filter, std::span<const Hash> hashes);
std::uint64_t count_avx2(const SplitView& filter, std::span<const Hash> hashes);
std::uint64_t count_avx2(const BlockView& filter, std::span<const std::uint64_t> keys);
std::uint64_t count_avx2(const SplitView& filter, std::span<const std::uint64_t> keys);
// Count by hashes that are made here, by the formula of the kind's own hash: what a lookup of keys is held to.
std::uint64_t hash_and_count_avx2(const BlockView& filter, std::span<const std::uint64_t> keys);
std::uint64_t hash_and_count_avx2(const SplitView& filter, std::span<const std::uint64_t> keys);
// All hashes of the keys, one by one, made one number.
std::uint64_t hash_avx2(const Hasher& hasher, std::span<const std::uint64_t> keys);

}  // namespace bloomery::bench::one_call
