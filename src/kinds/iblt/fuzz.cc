// Bytes as an iblt file whose magic, version, kind and checksums are put right first. Whatever decodes must be listed,
// describe itself and, without records and flags, encode to the very same bytes, a keyed one without its secret, too.
// The same file with one bit changed is never accepted.
#include "fuzz/fuzz.h"
#include "bloomery/iblt_file.h"

namespace {

using namespace bloomery;

void check(const IbltFile& file, std::span<const std::uint8_t> bytes) {
  FUZZ_CHECK(file.info.kind == Kind::iblt && file.info.file_bytes == bytes.size());
  FUZZ_CHECK(file.geometry().payload_bytes() + file.info.payload_offset == bytes.size());
  if (const Iblt* table = file.table(); table != nullptr) {
    FUZZ_CHECK(table->cells_used() <= table->geometry().cells);
    const IbltEstimate estimate = table->estimate();
    FUZZ_CHECK(estimate.low <= estimate.count && estimate.count <= estimate.high);
    FUZZ_CHECK(table->list().ok());
  } else {
    const Result<IbltEstimate> estimate = file.estimator()->estimate();
    FUZZ_CHECK(estimate.ok() && estimate->low <= estimate->count && estimate->count <= estimate->high);
  }
  const bool plain = file.info.payload_offset == fuzz::kHeader && bytes[14] == 0 && bytes[15] == 0;
  if (!plain) return;
  const Result<std::vector<std::uint8_t>> again =
      file.table() != nullptr ? encode(*file.table()) : encode(*file.estimator());
  FUZZ_CHECK(again.ok() && std::equal(again->begin(), again->end(), bytes.begin(), bytes.end()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using fuzz::kHeader;
  if (size < 1) return 0;
  std::vector<std::uint8_t> file(data + 1, data + size);
  if (file.size() < kHeader) file.resize(kHeader);
  if (data[0] & 32) {  // cells as the length has them, so that it is not a lottery
    const std::uint64_t cell = 12 + file[56] % 65u + file[64] % 65u, strata = file[80] % 65u;
    detail::store_le<std::uint64_t>(&file[48], (file.size() - kHeader) / cell / std::max<std::uint64_t>(strata, 1));
    detail::store_le<std::uint64_t>(&file[56], file[56] % 65u);
    detail::store_le<std::uint64_t>(&file[64], file[64] % 65u);
    detail::store_le<std::uint64_t>(&file[72], file[72] % 2u);
    detail::store_le<std::uint64_t>(&file[80], strata);
    std::fill(&file[88], &file[112], std::uint8_t{0});
    file.resize(kHeader + (file.size() - kHeader) / cell / std::max<std::uint64_t>(strata, 1) * cell *
                              std::max<std::uint64_t>(strata, 1));
  }
  if (data[0] & 64) file[10] = 12, file[11] = 0, file[13] = 0, file[14] = 0, file[15] = 0;
  fuzz::repair_envelope(file, data[0] & 3);
  OpenOptions options;
  options.without_secret = true;
  const Result<IbltFile> decoded = decode_iblt(file, options);
  if (!decoded.ok()) {
    FUZZ_CHECK(!decoded.error().message.empty());
    return 0;
  }
  FUZZ_CHECK(!decode(file, options).ok());  // the door of filters is another
  check(*decoded, file);
  const std::size_t bit = (data[0] * 2654435761u) % (8 * file.size());
  file[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
  FUZZ_CHECK(!decode_iblt(file, options).ok());
  return 0;
}
