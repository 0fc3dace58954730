// What the fuzzers share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "bloomery/bloomery.h"

// Unlike assert, stays in every build; a fuzzer that cannot fail finds nothing.
#define FUZZ_CHECK(condition)                                                             \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                       \
    }                                                                                     \
  } while (false)

namespace bloomery::fuzz {

// Whatever decodes must answer, describe itself, and encode to the very same bytes.
inline void check_decoded(const Decoded& decoded, std::span<const std::uint8_t> bytes) {
  const AnyView& view = decoded.view;
  for (std::uint64_t i = 0; i < 16; ++i) (void)view.contains(Hash(i * 0x9e3779b97f4a7c15));
  FUZZ_CHECK(view.bits_set() <= view.payload_bits());
  FUZZ_CHECK(view.fill() >= 0 && view.fill() <= 1);
  (void)view.estimated_count();
  if (!decoded.answers_keys) return;  // without its secret it cannot be written again
  const Result<std::vector<std::uint8_t>> again = encode(view, decoded.info.format, decoded.info.key_count);
  FUZZ_CHECK(again.ok());
  FUZZ_CHECK(std::equal(again->begin(), again->end(), bytes.begin(), bytes.end()));
}

}  // namespace bloomery::fuzz
