// SipHash-c-d (Aumasson and Bernstein, 2012): a keyed hash for keys that an adversary may choose. Written here because
// it is forty lines and no packaged library offers both round counts.
#include <bit>

#include "bloomery/detail/bits.h"
#include "core/hash/hash_functions.h"

namespace BLOOMERY_NAMESPACE::detail {
namespace {

struct State {
  std::uint64_t v0, v1, v2, v3;

  State(std::uint64_t k0, std::uint64_t k1)  // the constants spell "somepseudorandomlygeneratedbytes"
      : v0(k0 ^ 0x736f6d6570736575),
        v1(k1 ^ 0x646f72616e646f6d),
        v2(k0 ^ 0x6c7967656e657261),
        v3(k1 ^ 0x7465646279746573) {}

  void round() {
    v0 += v1, v1 = std::rotl(v1, 13) ^ v0, v0 = std::rotl(v0, 32);
    v2 += v3, v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3, v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1, v1 = std::rotl(v1, 17) ^ v2, v2 = std::rotl(v2, 32);
  }

  template <int kRounds>
  void absorb(std::uint64_t word) {
    v3 ^= word;
    for (int i = 0; i < kRounds; ++i) round();
    v0 ^= word;
  }
};

template <int kCompression>
void absorb_all(State& state, const void* data, std::size_t size) {
  const auto* at = static_cast<const std::uint8_t*>(data);
  for (std::size_t words = size / 8; words > 0; --words, at += 8)
    state.absorb<kCompression>(load_le<std::uint64_t>(at));
  std::uint64_t last = static_cast<std::uint64_t>(size) << 56;
  for (std::size_t i = 0; i < size % 8; ++i) last |= static_cast<std::uint64_t>(at[i]) << (8 * i);
  state.absorb<kCompression>(last);
}

template <int kFinalization>
std::uint64_t finalize(State& state) {
  for (int i = 0; i < kFinalization; ++i) state.round();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

template <int kCompression, int kFinalization>
std::uint64_t siphash(const void* data, std::size_t size, std::uint64_t k0, std::uint64_t k1) {
  State state(k0, k1);
  absorb_all<kCompression>(state, data, size);
  state.v2 ^= 0xff;
  return finalize<kFinalization>(state);
}

}  // namespace

std::uint64_t siphash13(const void* data, std::size_t size, std::uint64_t k0, std::uint64_t k1) noexcept {
  return siphash<1, 3>(data, size, k0, k1);
}

std::uint64_t siphash24(const void* data, std::size_t size, std::uint64_t k0, std::uint64_t k1) noexcept {
  return siphash<2, 4>(data, size, k0, k1);
}

SipHash128 siphash24_128(const void* data, std::size_t size, std::uint64_t k0, std::uint64_t k1) noexcept {
  State state(k0, k1);
  state.v1 ^= 0xee;
  absorb_all<2>(state, data, size);
  state.v2 ^= 0xee;
  const std::uint64_t low = finalize<4>(state);
  state.v1 ^= 0xdd;
  return {low, finalize<4>(state)};
}

}  // namespace BLOOMERY_NAMESPACE::detail
