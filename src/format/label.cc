// Writes a file again with another label and the payload that it has: see bloomery/label.h.
#include "bloomery/label.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "format/header.h"
#include "format/reading.h"

namespace BLOOMERY_NAMESPACE {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;

// Parses the header of a filter or of an iblt.
Result<format::Header> parse_envelope(std::span<const std::uint8_t> start, std::uint64_t file_bytes) {
  Result<format::Header> header = format::parse_header(start, file_bytes);
  if (!header.ok() && header.error().field == "kind") {
    if (Result<format::Header> iblt = format::parse_iblt_header(start, file_bytes); iblt.ok()) return iblt;
  }
  if (header.ok() && header->info.format != Format::envelope)
    return unsupported("label", "only an envelope has a label, and this is a raw file: build it as an envelope");
  return header;
}

Status copy_payload(const format::StartedFile& from, io::AtomicFile& to) {
  const FileInfo& info = from.header.info;
  std::vector<std::uint8_t> piece(std::min(kPiece, info.file_bytes - info.payload_offset));
  for (std::uint64_t at = info.payload_offset; at < info.file_bytes; at += piece.size()) {
    piece.resize(std::min<std::uint64_t>(piece.size(), info.file_bytes - at));
    BLOOMERY_TRY(from.file.read_at(at, piece));
    BLOOMERY_TRY(to.write(piece));
  }
  return {};
}

}  // namespace

Status set_label(const std::string& path, const std::optional<std::string>& label) {
  return guarded([&]() -> Status {
    Result<format::StartedFile> old = format::read_start(path, parse_envelope);
    if (!old.ok()) return in_file(std::move(old).error(), path);
    Records records = old->header.info.records;
    if (records.label == label) return {};
    records.label = label;
    Result<std::vector<std::uint8_t>> start = format::with_records(old->start, records, old->header.info.chunks);
    if (!start.ok()) return in_file(std::move(start).error(), path);
    Result<io::AtomicFile> file = io::AtomicFile::create(path);
    BLOOMERY_TRY(file);
    BLOOMERY_TRY(file->write(*start));
    BLOOMERY_TRY(copy_payload(*old, *file));
    return file->commit();
  });
}

}  // namespace BLOOMERY_NAMESPACE
