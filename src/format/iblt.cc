// IBLTs and strata estimators as envelopes: see bloomery/iblt_file.h.
#include <algorithm>

#include "bloomery/iblt_file.h"
#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "format/header.h"
#include "format/reading.h"

namespace BLOOMERY_NAMESPACE {
namespace {

Result<std::vector<std::uint8_t>> encoded(const IbltGeometry& geometry, const Hasher& hasher,
                                          std::optional<std::uint64_t> key_count, std::span<const Iblt> tables,
                                          const EnvelopeOptions& options) {
  if (tables.empty()) return invalid_argument("strata", "the estimator was moved from: it has no strata to write");
  std::vector<std::uint8_t> payload;
  payload.reserve(geometry.payload_bytes());
  for (const Iblt& table : tables) payload.insert(payload.end(), table.payload().begin(), table.payload().end());
  Result<std::vector<std::uint8_t>> out = format::envelope_start(
      {Kind::iblt, hasher, any::geometry_words(geometry), payload}, key_count, format::checksum(payload), options);
  BLOOMERY_TRY(out);
  out->insert(out->end(), payload.begin(), payload.end());
  return out;
}

// What compares the checksums: format::check_payload_sum, or format::check_all_sums.
using CheckSums = Status (*)(std::span<const std::uint8_t> bytes, const FileInfo& info, std::uint64_t expected);

// Decodes all bytes of a file whose header was parsed.
Result<IbltFile> decode_checked(const format::Header& header, std::span<const std::uint8_t> bytes,
                                const OpenOptions& options, CheckSums check_sums) {
  bool answers_keys = true;
  Result<Hasher> hasher = format::hasher_for(header.info, options, answers_keys);
  BLOOMERY_TRY(hasher);
  BLOOMERY_TRY(check_sums(bytes, header.info, header.payload_checksum));
  const IbltGeometry& geometry = std::get<IbltGeometry>(header.geometry);
  const auto payload = bytes.subspan(header.info.payload_offset);
  if (geometry.strata == 0) {
    Result<Iblt> table = Iblt::copy_of(payload, geometry, *hasher, header.info.key_count);
    BLOOMERY_TRY(table);
    return IbltFile{header.info, *std::move(table), answers_keys};
  }
  Result<StrataEstimator> strata = StrataEstimator::copy_of(payload, geometry, *hasher, header.info.key_count);
  BLOOMERY_TRY(strata);
  return IbltFile{header.info, *std::move(strata), answers_keys};
}

Result<IbltFile> open_checked(const std::string& path, const OpenOptions& options, CheckSums check_sums) {
  return guarded([&]() -> Result<IbltFile> {
    Result<format::ReadFile> read = format::read_checked(path, format::parse_iblt_header);
    if (!read.ok()) return in_file(std::move(read).error(), path);
    Result<IbltFile> file = decode_checked(read->header, {read->bytes.data(), read->bytes.size()}, options, check_sums);
    if (!file.ok()) return in_file(std::move(file).error(), path);
    return file;
  });
}

Status write_file(const std::string& path, const Result<std::vector<std::uint8_t>>& bytes) {
  if (!bytes.ok()) return in_file(bytes.error(), path);
  Result<io::AtomicFile> file = io::AtomicFile::create(path);
  BLOOMERY_TRY(file);
  BLOOMERY_TRY(file->write(*bytes));
  return file->commit();
}

}  // namespace

const IbltGeometry& IbltFile::geometry() const {
  return std::visit([](const auto& one) -> const IbltGeometry& { return one.geometry(); }, contents);
}

Result<IbltFile> decode_iblt(std::span<const std::uint8_t> bytes, const OpenOptions& options) {
  return guarded([&]() -> Result<IbltFile> {
    const auto start = bytes.first(std::min(bytes.size(), format::kEnvelopeHeader));
    Result<format::Header> header =
        format::parse_iblt_header(bytes.first(format::header_bytes(start, bytes.size())), bytes.size());
    BLOOMERY_TRY(header);
    return decode_checked(*header, bytes, options, format::check_payload_sum);
  });
}

Result<IbltFile> open_iblt(const std::string& path, const OpenOptions& options) {
  return open_checked(path, options, format::check_payload_sum);
}

Status format::verify_iblt(const std::string& path, const OpenOptions& options) {
  const Result<IbltFile> file = open_checked(path, options, check_all_sums);
  return file.ok() ? Status() : Status(file.error());
}

Result<std::vector<std::uint8_t>> encode(const Iblt& table, const EnvelopeOptions& options) {
  return guarded([&] { return encoded(table.geometry(), table.hasher(), table.key_count(), {&table, 1}, options); });
}

Result<std::vector<std::uint8_t>> encode(const StrataEstimator& strata, const EnvelopeOptions& options) {
  return guarded(
      [&] { return encoded(strata.geometry(), strata.hasher(), strata.key_count(), strata.strata(), options); });
}

Status save(const std::string& path, const Iblt& table, const EnvelopeOptions& options) {
  return guarded([&] { return write_file(path, encode(table, options)); });
}

Status save(const std::string& path, const StrataEstimator& estimator, const EnvelopeOptions& options) {
  return guarded([&] { return write_file(path, encode(estimator, options)); });
}

}  // namespace BLOOMERY_NAMESPACE
