// Bytes as the footer of a table, whose magic, version and checksum are put right first unless the first byte says
// otherwise. What is accepted lies inside the file, and is written again as it was.
#include <string>

#include "bloomery/detail/bits.h"
#include "fuzz/fuzz.h"
#include "table/format.h"

namespace {

using namespace bloomery;
using table::kFooterBytes;

void repair(std::string& footer, std::uint8_t choice, std::uint64_t file_bytes) {
  auto* const bytes = reinterpret_cast<std::uint8_t*>(footer.data());
  if (choice & 1) detail::store_le<std::uint64_t>(bytes + 48, file_bytes);
  if (choice & 2) detail::store_le<std::uint32_t>(bytes + 56, table::kVersion);
  if (choice & 4) detail::store_le<std::uint32_t>(bytes + 60, choice >> 7);
  if (choice & 8) detail::store_le(bytes + 64, Hasher::xxh3()(std::span<const std::uint8_t>(bytes, 64)).bits);
  if (choice & 16) {
    const auto good = table::encode_footer({});
    footer.replace(72, 8, reinterpret_cast<const char*>(good.data()) + 72, 8);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 9) return 0;
  const std::uint8_t choice = data[0];
  // Any size of file, mostly one of few bytes.
  const auto number = detail::load_le<std::uint64_t>(data + 1);
  const std::uint64_t file_bytes = choice & 32 ? number : number % 10'000;
  std::string footer(reinterpret_cast<const char*>(data) + 9, size - 9);
  if (footer.size() >= kFooterBytes) repair(footer, choice, file_bytes);
  const Result<table::Footer> decoded = table::decode_footer(footer, file_bytes);
  if (!decoded.ok()) {
    FUZZ_CHECK(!decoded.error().message.empty());
    return 0;
  }
  for (const table::Handle& handle : {decoded->index, decoded->filter, decoded->properties}) {
    FUZZ_CHECK(handle.offset <= file_bytes && handle.bytes <= file_bytes - handle.offset);
    FUZZ_CHECK(handle.offset + handle.bytes + table::kTrailerBytes + kFooterBytes <= file_bytes);
    const std::optional<table::Handle> back = table::decode_handle(table::encode_handle(handle));
    FUZZ_CHECK(back && *back == handle);
  }
  const auto again = table::encode_footer(*decoded);
  FUZZ_CHECK(std::equal(again.begin(), again.end(), reinterpret_cast<const std::uint8_t*>(footer.data())));
  // With one bit changed, or of a file of another size, it is never accepted.
  FUZZ_CHECK(!table::decode_footer(footer, file_bytes + 1).ok());
  const std::size_t bit = number % (8 * kFooterBytes);
  footer[bit / 8] = static_cast<char>(footer[bit / 8] ^ (1 << bit % 8));
  FUZZ_CHECK(!table::decode_footer(footer, file_bytes).ok());
  return 0;
}
