// What the fuzzers share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include "bloomery/bloomery.h"
#include "bloomery/detail/bits.h"

// Unlike assert, stays in every build; a fuzzer that cannot fail finds nothing.
#define FUZZ_CHECK(condition)                                                             \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                       \
    }                                                                                     \
  } while (false)

namespace bloomery::fuzz {

// Whether a writer may have written these very bytes: an envelope with records in another order, or with flags that
// readers ignore, is read and written again without those.
inline bool is_plain(const FileInfo& info) { return info.format != Format::envelope || info.payload_offset == 128; }

// Whatever decodes must answer, describe itself, and encode to the very same bytes, or to a file that says the same. A
// keyed file does so without its secret, too.
inline void check_decoded(const Decoded& decoded, std::span<const std::uint8_t> bytes) {
  const AnyView& view = decoded.view;
  for (std::uint64_t i = 0; i < 16; ++i) (void)view.contains(Hash(i * 0x9e3779b97f4a7c15));
  FUZZ_CHECK(view.bits_set() <= view.payload_bits());
  FUZZ_CHECK(view.fill() >= 0 && view.fill() <= 1);
  (void)view.estimated_count();
  const FileInfo& info = decoded.info;
  const Result<std::vector<std::uint8_t>> again = info.format == Format::envelope
                                                      ? encode(view, info.key_count, info.rewrite_options())
                                                      : encode(view, info.format, info.key_count);
  FUZZ_CHECK(again.ok());
  FUZZ_CHECK(again->size() == bytes.size());
  const bool has_flags = info.format == Format::envelope && bytes[15] != 0;
  if (is_plain(info) && !has_flags) FUZZ_CHECK(std::equal(again->begin(), again->end(), bytes.begin()));
  OpenOptions options;
  options.parquet = info.format == Format::parquet;
  options.without_secret = !decoded.answers_keys;
  const Result<Decoded> twice = decode(*again, options);
  FUZZ_CHECK(twice.ok());
  FUZZ_CHECK(twice->info.records == info.records && twice->info.payload_offset == info.payload_offset);
  FUZZ_CHECK(std::ranges::equal(twice->view.payload(), view.payload()));
}

// Of an envelope.
inline constexpr std::size_t kHeader = 128;
inline constexpr std::uint8_t kEnvelopeMagic[] = {0x89, 'B', 'L', 'M', 0x0d, 0x0a, 0x1a, 0x0a, 1, 0};

// Puts magic, version and checksums right, and what else the choice says, so that lengths are not a lottery.
inline void repair_envelope(std::vector<std::uint8_t>& file, std::uint8_t choice) {
  using detail::store_le;
  const auto sum = [](std::span<const std::uint8_t> bytes) { return Hasher::xxh3()(bytes).bits; };
  std::copy(std::begin(kEnvelopeMagic), std::end(kEnvelopeMagic), file.begin());
  if (choice & 1) store_le<std::uint64_t>(&file[32], kHeader);
  const std::uint64_t asked = detail::load_le<std::uint64_t>(&file[32]);
  const std::size_t offset = asked >= kHeader && asked <= file.size() ? asked : kHeader;
  if (choice & 2) store_le<std::uint64_t>(&file[40], file.size() - offset);
  if (choice & 4) store_le<std::uint64_t>(&file[48], 8 * (file.size() - offset) - (choice >> 5));
  if (choice & 8) std::fill(&file[64], &file[112], std::uint8_t{0});
  if (choice & 16) file[10] = 1, file[11] = 0, file[13] = 0, file[14] = 0, file[15] = 0;
  store_le<std::uint64_t>(&file[112], sum(std::span(file).subspan(offset)));
  std::vector<std::uint8_t> summed(file.begin(), file.begin() + 120);
  summed.insert(summed.end(), file.begin() + kHeader, file.begin() + static_cast<std::ptrdiff_t>(offset));
  store_le<std::uint64_t>(&file[120], sum(summed));
}

}  // namespace bloomery::fuzz
