// Compiled with -mavx2 where the machine is an x86-64, see cmake/bench.cmake.
#include "bench/one_call.h"

namespace bloomery::bench::one_call {
namespace {

template <class View, class Key>
std::uint64_t count(const View& filter, std::span<const Key> keys) {
  std::uint64_t found = 0;
  for (const Key& key : keys) found += filter.contains(key) ? 1 : 0;
  return found;
}

Hash hash_of(const BlockView&, std::uint64_t start, std::uint64_t key) {
  return Hash(detail::xxh3_of_integer(key, start));
}
Hash hash_of(const SplitView&, std::uint64_t start, std::uint64_t key) {
  return Hash(detail::xxh64_of_integer(key, start));
}

template <class View>
std::uint64_t hash_and_count(const View& filter, std::span<const std::uint64_t> keys) {
  const std::uint64_t start = filter.hasher().integer_start();
  std::uint64_t found = 0;
  for (const std::uint64_t key : keys) found += filter.contains(hash_of(filter, start, key)) ? 1 : 0;
  return found;
}

}  // namespace

bool has_avx2() {
#ifdef __AVX2__
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

std::uint64_t count_avx2(const BlockView& filter, std::span<const Hash> hashes) { return count(filter, hashes); }
std::uint64_t count_avx2(const SplitView& filter, std::span<const Hash> hashes) { return count(filter, hashes); }
std::uint64_t count_avx2(const BlockView& filter, std::span<const std::uint64_t> keys) { return count(filter, keys); }
std::uint64_t count_avx2(const SplitView& filter, std::span<const std::uint64_t> keys) { return count(filter, keys); }
std::uint64_t hash_and_count_avx2(const BlockView& filter, std::span<const std::uint64_t> keys) {
  return hash_and_count(filter, keys);
}
std::uint64_t hash_and_count_avx2(const SplitView& filter, std::span<const std::uint64_t> keys) {
  return hash_and_count(filter, keys);
}
std::uint64_t hash_avx2(const Hasher& hasher, std::span<const std::uint64_t> keys) {
  std::uint64_t all = 0;
  for (const std::uint64_t key : keys) all ^= hash_key(hasher, key).bits;
  return all;
}

}  // namespace bloomery::bench::one_call
