// Compiled with -mavx2 where the machine is an x86-64, see cmake/bench.cmake.
#include "bench/one_call.h"

namespace bloomery::bench::one_call {
namespace {

template <class View>
std::uint64_t count(const View& filter, std::span<const Hash> hashes) {
  std::uint64_t found = 0;
  for (const Hash hash : hashes) found += filter.contains(hash) ? 1 : 0;
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

}  // namespace bloomery::bench::one_call
