// Arbitrary bytes as a filter file: refused, or a filter that encodes back to them. Nothing crashes, and no count in
// the bytes makes memory be allocated (run with -malloc_limit_mb).
#include "fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bloomery;
  const std::span<const std::uint8_t> bytes(data, size);
  OpenOptions options;
  options.without_secret = true;
  const Result<Decoded> decoded = decode(bytes, options);
  if (decoded.ok()) fuzz::check_decoded(*decoded, bytes);
  else FUZZ_CHECK(!decoded.error().message.empty());
  return 0;
}
