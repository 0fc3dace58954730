// Arbitrary bytes as a Parquet filter: refused with a field to blame, or a filter that encodes back to them. Nothing
// crashes, and no count in the bytes makes memory be allocated (run with -malloc_limit_mb).
#include "fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bloomery;
  const std::span<const std::uint8_t> bytes(data, size);
  OpenOptions options;
  options.parquet = true;
  const Result<Decoded> decoded = decode(bytes, options);
  if (!decoded.ok()) {
    FUZZ_CHECK(!decoded.error().message.empty() && !decoded.error().field.empty());
    return 0;
  }
  FUZZ_CHECK(!decode(bytes).ok());  // nobody takes it for another format
  const auto* split = decoded->view.as<SplitView>();
  FUZZ_CHECK(split != nullptr && decoded->info.format == Format::parquet);
  // Sizes that some readers refuse are read, and not written.
  if (split->geometry().fits_parquet()) fuzz::check_decoded(*decoded, bytes);
  else FUZZ_CHECK(!encode(decoded->view, Format::parquet).ok());
  return 0;
}
