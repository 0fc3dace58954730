// Bytes as an envelope whose magic, version and checksums are put right first, so that the checks behind them are
// reached: kinds, hashes, lengths, geometry, padding.
#include <algorithm>
#include <vector>

#include "bloomery/detail/bits.h"
#include "fuzz/fuzz.h"

namespace {

constexpr std::size_t kHeader = 128;
constexpr std::uint8_t kMagic[] = {0x89, 'B', 'L', 'M', 0x0d, 0x0a, 0x1a, 0x0a, 1, 0};

// The first byte of the input says what else is put right, so that lengths are not a lottery.
void repair(std::vector<std::uint8_t>& file, std::uint8_t choice) {
  using bloomery::detail::store_le;
  const auto sum = [](std::span<const std::uint8_t> bytes) { return bloomery::Hasher::xxh3()(bytes).bits; };
  std::copy(std::begin(kMagic), std::end(kMagic), file.begin());
  if (choice & 1) store_le<std::uint64_t>(&file[32], kHeader);
  if (choice & 2) store_le<std::uint64_t>(&file[40], file.size() - kHeader);
  if (choice & 4) store_le<std::uint64_t>(&file[48], 8 * (file.size() - kHeader) - (choice >> 5));
  if (choice & 8) std::fill(&file[64], &file[112], std::uint8_t{0});
  if (choice & 16) file[10] = 1, file[11] = 0, file[13] = 0, file[14] = 0, file[15] = 0;
  store_le<std::uint64_t>(&file[112], sum(std::span(file).subspan(kHeader)));
  store_le<std::uint64_t>(&file[120], sum(std::span(file).first(120)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bloomery;
  if (size < 1) return 0;
  std::vector<std::uint8_t> file(data + 1, data + size);
  if (file.size() < kHeader) file.resize(kHeader);
  repair(file, data[0]);
  OpenOptions options;
  options.without_secret = true;
  const Result<Decoded> decoded = decode(file, options);
  if (decoded.ok()) fuzz::check_decoded(*decoded, file);
  else FUZZ_CHECK(!decoded.error().message.empty());

  // The same file with one bit changed is never accepted.
  if (decoded.ok()) {
    const std::size_t bit = (data[0] * 2654435761u) % (8 * file.size());
    file[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    FUZZ_CHECK(!decode(file, options).ok());
  }
  return 0;
}
