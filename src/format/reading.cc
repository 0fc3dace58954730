#include "format/reading.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/hash/xxh3_stream.h"
#include "format/records.h"

namespace BLOOMERY_NAMESPACE::format {
namespace {

constexpr char kMadeFor[] = "the file was made with a keyed hash (";

Error wrong_payload_sum() {
  return corrupt("payload checksum",
                 "the payload does not match its checksum: the file is damaged; restore it from a copy or rebuild it "
                 "from the keys");
}

}  // namespace

Result<Hasher> hasher_for(const FileInfo& info, const OpenOptions& options, bool& answers_keys) {
  switch (info.hash) {
    case HashId::fnv_splitmix: return Hasher::fnv_splitmix();
    case HashId::xxh3: return Hasher::xxh3(info.seed);
    case HashId::xxh64: return Hasher::xxh64(info.seed);
    case HashId::siphash13:
    case HashId::siphash24: break;
  }
  if (options.secret.has_value()) {
    if (options.secret->id() != info.seed)
      return Error{
          ErrorCode::wrong_secret,
          kMadeFor + std::string(to_string(info.hash)) + ") and another secret: offer the one it was built with",
          {},
          "secret"};
    return info.hash == HashId::siphash13 ? Hasher::siphash13(*options.secret) : Hasher::siphash24(*options.secret);
  }
  if (!options.without_secret)
    return Error{ErrorCode::wrong_secret,
                 kMadeFor + std::string(to_string(info.hash)) + "): its secret is needed",
                 {},
                 "secret"};
  answers_keys = false;
  return Hasher::without_secret(info.hash, info.seed);
}

Status check_payload_sum(std::span<const std::uint8_t> bytes, const FileInfo& info, std::uint64_t expected) {
  if (info.format != Format::envelope) return {};
  const std::span<const std::uint8_t> payload = bytes.subspan(info.payload_offset);
  if (checksum(payload) == expected) return {};
  if (info.chunks) BLOOMERY_TRY(compare_chunks(*info.chunks, payload, 0, payload.size()));
  return wrong_payload_sum();
}

Status check_all_sums(std::span<const std::uint8_t> bytes, const FileInfo& info, std::uint64_t expected) {
  if (!info.chunks) return check_payload_sum(bytes, info, expected);
  const std::span<const std::uint8_t> payload = bytes.subspan(info.payload_offset);
  detail::Xxh3Stream whole;
  for (std::uint64_t at = 0; at < payload.size();) {
    const std::uint64_t size = std::min<std::uint64_t>(info.chunks->chunk_bytes, payload.size() - at);
    BLOOMERY_TRY(compare_chunks(*info.chunks, payload, at, size));
    whole.update(payload.subspan(at, size));
    at += size;
  }
  return whole.value() == expected ? Status() : wrong_payload_sum();
}

Result<StartedFile> read_start(const std::string& path, const ParseHeader& parse) {
  Result<io::File> file = io::File::open_regular(path);
  BLOOMERY_TRY(file);
  Result<std::uint64_t> size = file->size();
  BLOOMERY_TRY(size);
  std::vector<std::uint8_t> start(std::min<std::uint64_t>(kEnvelopeHeader, *size));
  BLOOMERY_TRY(file->read_exactly(start));
  const std::size_t fixed = start.size();
  start.resize(header_bytes(start, *size));
  BLOOMERY_TRY(file->read_exactly(std::span(start).subspan(fixed)));
  Result<Header> header = parse(start, *size);
  BLOOMERY_TRY(header);
  return StartedFile{*std::move(file), *std::move(header), std::move(start)};
}

Result<ReadFile> read_checked(const std::string& path, const ParseHeader& parse) {
  Result<StartedFile> started = read_start(path, parse);
  BLOOMERY_TRY(started);
  Result<detail::Buffer> bytes = detail::Buffer::zeroed(started->header.info.file_bytes);
  BLOOMERY_TRY(bytes);
  std::copy(started->start.begin(), started->start.end(), bytes->data());
  const std::span<std::uint8_t> rest = std::span(bytes->data(), bytes->size()).subspan(started->start.size());
  BLOOMERY_TRY(started->file.read_exactly(rest));
  return ReadFile{std::move(started->header), *std::move(bytes)};
}

}  // namespace BLOOMERY_NAMESPACE::format
