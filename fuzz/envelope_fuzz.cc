// Bytes as an envelope whose magic, version and checksums are put right first, so that the checks behind them are
// reached: kinds, hashes, lengths, records, geometry, padding.
#include <vector>

#include "fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bloomery;
  using fuzz::kHeader;
  if (size < 1) return 0;
  std::vector<std::uint8_t> file(data + 1, data + size);
  if (file.size() < kHeader) file.resize(kHeader);
  fuzz::repair_envelope(file, data[0]);
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
